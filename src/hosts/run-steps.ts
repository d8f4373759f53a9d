/**
 * Runs steps on a Mac: look whether a step is done, do it if not, look again. Every call carries the epoch, so that a Mac
 * refuses work of an operation that was superseded; a repetition finds what is done already.
 */
import { throwIfAborted, withTimeLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { FleetError, isKind, toFleetError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { planSteps } from './plan-steps.ts';
import type { HostSession, StepAnswer, StepPhase, StepProgress } from './port.ts';
import { createProgress, type Progress } from './progress.ts';
import { redact } from './redact.ts';
import type { Step } from './step.ts';

export interface StepsRun {
  readonly session: HostSession;
  readonly steps: readonly Step[];
  readonly epoch: number;
  readonly inputs: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Secret<string>>>;
  readonly clock: Clock;
  readonly onProgress: (steps: readonly StepProgress[]) => void;
}

/**
 * Resolves when every step is verified. Rejects with the error of the first that is not; it names the step and holds no
 * secret. The signal is obeyed between phases and by the session.
 */
export const runSteps = async (run: StepsRun, signal: AbortSignal): Promise<void> => {
  const steps = planSteps(run.steps);
  for (const step of steps) assertInputs(run, step);
  const progress = createProgress(
    steps.map(({ id }) => id),
    run,
  );
  for (const step of steps) await trackStep({ run, step, signal }, progress);
};

interface OneStep {
  readonly run: StepsRun;
  readonly step: Step;
  readonly signal: AbortSignal;
}

const trackStep = async (one: OneStep, progress: Progress): Promise<void> => {
  const { id } = one.step;
  throwIfAborted(one.signal);
  progress.running(id);
  try {
    progress.ended(id, await runStep(one));
  } catch (thrown) {
    const error = inStep(one, toFleetError(thrown));
    if (isKind(error, 'cancelled')) progress.interrupted(id);
    else progress.ended(id, 'failed', error.message);
    throw error;
  }
};

const runStep = ({ run, step, signal }: OneStep): Promise<'done' | 'skipped'> => {
  const deadline = { clock: run.clock, timeoutMs: step.timeoutMs, signal, doing: `step ${step.id}` };
  return withTimeLimit(deadline, async (limited) => {
    const ask = (phase: StepPhase): Promise<StepAnswer> => {
      throwIfAborted(limited);
      const { inputs, secrets } = valuesFor(run, step);
      return run.session.run({ step: step.id, phase, epoch: run.epoch, inputs, secrets }, limited);
    };
    if ((await ask('check')).exitCode === 0) return 'skipped';
    assertSecrets(run, step);
    const applied = await ask('apply');
    if (applied.exitCode !== 0) throw stepFailed(run, step, applied);
    const verified = await ask('verify');
    if (verified.exitCode !== 0) throw notVerified(run, step, verified);
    return 'done';
  });
};

/** Only what the step names. */
const valuesFor = (run: StepsRun, { inputs, secretInputs }: Step): Pick<StepsRun, 'inputs' | 'secrets'> => ({
  inputs: pick(run.inputs, inputs),
  secrets: pick(run.secrets, secretInputs),
});

const pick = <T>(values: Readonly<Record<string, T>>, names: readonly string[]): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

const assertInputs = ({ inputs }: StepsRun, { id, inputs: names }: Step): void => {
  const missing = names.find((name) => inputs[name] === undefined);
  if (missing === undefined) return;
  throw new FleetError('bug', {
    code: 'StepInputMissing',
    message: `step ${id} needs the input ${missing}, which was not given`,
    details: { step: id, input: missing },
  });
};

const assertSecrets = ({ secrets }: StepsRun, { id, secretInputs }: Step): void => {
  const missing = secretInputs.find((name) => secrets[name] === undefined);
  if (missing === undefined) return;
  throw new FleetError('unavailable', {
    code: 'StepSecretUnknown',
    message: `step ${id} has to be applied and needs ${missing}, which is not known`,
    hint: 'For a sealed password wait until Scaleway shows it, reinstall the Mac, or prepare it by hand.',
    details: { step: id, secret: missing },
  });
};

const stepFailed = (run: StepsRun, { id }: Step, answer: StepAnswer): FleetError =>
  new FleetError('unavailable', {
    code: 'StepFailed',
    message: `step ${id} exited with ${answer.exitCode}: ${lastLine(run, answer)}`,
    hint: 'It is tried again. If it keeps failing, the line above says why.',
    details: { step: id, exitCode: answer.exitCode },
  });

/** The script said it was done, and it is not: the script or the Mac breaks its promise. */
const notVerified = (run: StepsRun, { id }: Step, answer: StepAnswer): FleetError =>
  new FleetError('contract', {
    code: 'StepNotVerified',
    message: `step ${id} was applied, but did not last: ${lastLine(run, answer)}`,
    hint: 'Something on the Mac undoes it, or its check is wrong.',
    details: { step: id, exitCode: answer.exitCode },
  });

const lastLine = ({ secrets }: StepsRun, { output }: StepAnswer): string => {
  const line = redact(output, secrets).trim().split('\n').at(-1) ?? '';
  return line === '' ? 'it printed nothing' : line;
};

/** The same error, with the step in it. What came from below keeps its kind and code: the caller decides by them. */
const inStep = ({ run, step: { id } }: OneStep, error: FleetError): FleetError => {
  if (error.details['step'] === id) return error;
  const { kind, code, hint, details, retryAfterMs, cause } = error;
  return new FleetError(kind, {
    code,
    message: redact(error.message.includes(`step ${id}`) ? error.message : `step ${id}: ${error.message}`, run.secrets),
    ...(hint !== undefined && { hint }),
    details: { ...details, step: id },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(cause !== undefined && { cause }),
  });
};
