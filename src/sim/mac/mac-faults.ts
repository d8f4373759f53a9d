/** Faults that somebody ordered for a simulated Mac, and how often each is still to come. */
import type { StepCall, StepPhase } from '../../hosts/port.ts';

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
  /** The fault for this very call, which is used up by it. */
  takeStepFault(call: StepCall): StepFault | undefined;
  takeRefusal(): boolean;
}

export const createMacFaults = (): MacFaults => {
  const stepFaults: { readonly fault: StepFault; left: number }[] = [];
  let refusals = 0;
  return {
    addStepFault: (fault) => {
      stepFaults.push({ fault, left: fault.times });
    },
    refuse: (times) => {
      refusals += times;
    },
    takeStepFault: ({ step, phase }) => {
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
