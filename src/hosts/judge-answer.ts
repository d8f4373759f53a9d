/** What became of a step, from its answer; and what a failure is called when its cause is known. Pure. */
import { type ErrorKind, FleetError } from '../base/errors.ts';
import { explainFailure } from './port/host-failures.ts';
import type { PhaseExit, StepAnswer } from './port.ts';

/** `skipped`: it was as wanted. */
export const judgeAnswer = (answer: StepAnswer): 'done' | 'skipped' | FleetError => {
  const last = answer.phases.at(-1);
  if (last === undefined) return notRun(answer);
  if (last.exitCode === 0 && last.phase !== 'apply') return last.phase === 'check' ? 'skipped' : 'done';
  if (isRefusedPassword(answer, last)) return passwordRefused(answer);
  const known = explainFailure(answer.output);
  const { kind, code, what, hint } = FAILURES[last.phase](last);
  return new FleetError(known?.kind ?? kind, {
    code: known?.code ?? code,
    message: `step ${answer.step} ${what}: ${lastLineOf(answer)}`,
    hint: known?.hint ?? hint,
    details: { step: answer.step, phase: last.phase, exitCode: last.exitCode },
  });
};

interface Failure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

const RETRIED = 'It is tried again. If it keeps failing, the line above says why.';

const FAILURES: Readonly<Record<PhaseExit['phase'], (exit: PhaseExit) => Failure>> = {
  check: ({ exitCode }) => ({
    ...{ kind: 'unavailable', code: 'StepNotLookedAt', hint: RETRIED },
    what: `could not be looked at (exit ${exitCode})`,
  }),
  apply: ({ exitCode }) => ({
    ...{ kind: 'unavailable', code: 'StepFailed', hint: RETRIED, what: `exited with ${exitCode}` },
  }),
  // The script said it was done, and it is not: the script or the Mac breaks its promise.
  verify: () => ({
    ...{ kind: 'contract', code: 'StepNotVerified', what: 'was applied, but did not last' },
    hint: 'Something on the Mac undoes it, or its check is wrong.',
  }),
};

/** How the script of `sudo` says that it was the password. */
const PASSWORD_REFUSED_EXIT = 77;

const isRefusedPassword = ({ step }: StepAnswer, { phase, exitCode }: PhaseExit): boolean =>
  step === 'sudo' && phase === 'apply' && exitCode === PASSWORD_REFUSED_EXIT;

const passwordRefused = (answer: StepAnswer): FleetError =>
  new FleetError('denied', {
    code: 'SudoPasswordRefused',
    message: `step sudo: ${lastLineOf(answer)}`,
    hint: 'Look up the password at Scaleway, or run `macfleet prepare-fleet-host` with the right one. The same one is not tried again.',
    details: { step: 'sudo', phase: 'apply', exitCode: PASSWORD_REFUSED_EXIT },
  });

const notRun = ({ step }: StepAnswer): FleetError =>
  new FleetError('unavailable', {
    code: 'StepNotRun',
    message: `step ${step} was not run`,
    hint: 'A step before it failed, or the Mac ended the batch.',
    details: { step },
  });

const lastLineOf = ({ output }: StepAnswer): string => {
  const line = output.trim().split('\n').at(-1) ?? '';
  return line === '' ? 'it printed nothing' : line;
};
