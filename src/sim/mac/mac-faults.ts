/** Faults that somebody ordered for a simulated Mac, and how often each is still to come. */
import type { StepPhase } from '../../hosts/port.ts';

export type StepFaultKind =
  /** Exits with 1 and this has no effect. */
  | 'exit'
  /** The connection breaks before the script did anything. */
  | 'lost-before'
  /** The connection breaks after the script did everything. */
  | 'lost-after'
  /** Neither output nor end. */
  | 'hang';

export interface StepFault {
  /** Or `upload-<name>` for the upload of an artefact, whose only phase is `apply`. */
  readonly step: string;
  /** `apply` unless given. */
  readonly phase?: StepPhase;
  readonly kind: StepFaultKind;
  readonly times: number;
  /** The output of an `exit`. */
  readonly output?: string;
}

export interface MacFaults {
  addStepFault(fault: StepFault): void;
  /** So many connections are refused. */
  refuse(times: number): void;
  /** The fault for this very phase, which is used up by it. */
  takeStepFault(step: string, phase: StepPhase): StepFault | undefined;
  takeRefusal(): boolean;
  /** The connection breaks at the phase or upload of this number, counted from now on. */
  cutAt(number: number, kind: 'lost-before' | 'lost-after'): void;
}

export const createMacFaults = (): MacFaults => {
  const stepFaults: { readonly fault: StepFault; left: number }[] = [];
  let refusals = 0;
  let cut: { readonly kind: StepFaultKind; left: number } | undefined;
  const takeCut = (): StepFaultKind | undefined => {
    if (cut === undefined) return undefined;
    cut.left -= 1;
    return cut.left === 0 ? cut.kind : undefined;
  };
  return {
    addStepFault: (fault) => {
      stepFaults.push({ fault, left: fault.times });
    },
    refuse: (times) => {
      refusals += times;
    },
    cutAt: (number, kind) => {
      cut = { kind, left: number };
    },
    takeStepFault: (step, phase) => {
      const kind = takeCut();
      if (kind !== undefined) return { step, phase, kind, times: 1 };
      const due = stepFaults.find(
        ({ fault, left }) => left > 0 && fault.step === step && (fault.phase ?? 'apply') === phase,
      );
      if (due !== undefined) due.left -= 1;
      return due?.fault;
    },
    takeRefusal: () => {
      if (refusals === 0) return false;
      refusals -= 1;
      return true;
    },
  };
};
