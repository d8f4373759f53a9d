/**
 * Runs steps on a Mac: one survey of all, then only what is not as wanted, in one batch of stages, or
 * in two around the uploads. Every batch carries the epoch, so that a Mac refuses work of an operation that was superseded; a
 * repetition finds what is done already.
 */
import { linkedController } from '../base/abort.ts';
import { FleetError, isKind, toFleetError } from '../base/errors.ts';
import { orderSteps } from './order-steps.ts';
import { groupWaves, planWaves, type WavePlan } from './plan-waves.ts';
import type { BatchAnswer } from './port.ts';
import { createProgress } from './progress.ts';
import { runWaves, surveyMac } from './run-wave.ts';
import type { Step } from './step.ts';
import type { StepsRun, Work } from './steps-run.ts';

/**
 * Resolves when every step is verified. Rejects with the error of the first that is not; it names the step and holds no
 * secret. The signal is obeyed between batches and by the session.
 */
export const runSteps = async (given: StepsRun, signal: AbortSignal): Promise<void> => {
  const run = { ...given, steps: orderSteps(given.steps) };
  for (const step of run.steps) assertGiven(run, step);
  const ids = run.steps.map(({ id }) => id);
  const work: Work = { run, progress: createProgress(ids, run), signal };
  const plan = planAfter(work, await surveyMac(work));
  const planned = new Set(plan.waves.flat().map(({ step }) => step.id));
  work.progress.skipped(ids.filter((id) => !planned.has(id)));
  await runPlan(work, plan);
};

const planAfter = ({ run, progress }: Work, survey: BatchAnswer): WavePlan => {
  const { steps, digests, secrets, artefacts } = run;
  const artefactSums = Object.fromEntries(Object.entries(artefacts).map(([name, { sha256 }]) => [name, sha256]));
  try {
    return planWaves({ steps, survey, digests, secrets: Object.keys(secrets), artefactSums });
  } catch (thrown) {
    const error = toFleetError(thrown);
    progress.failed(
      steps.map(({ id }) => id).filter((id) => id === error.details['step']),
      error.message,
    );
    throw error;
  }
};

/** Uploads begin at once; a batch waits for those of its own steps. When something fails, they end before we do. */
const runPlan = async (work: Work, plan: WavePlan): Promise<void> => {
  const uploading = linkedController(work.signal);
  const groups = groupWaves(plan);
  const uploaded = uploadAll(work, plan.uploads, uploading.signal);
  try {
    for (const [index, waves] of groups.entries()) {
      if (waves.flat().some(({ step }) => step.artefacts.some((name) => plan.uploads.includes(name)))) await uploaded;
      await runWaves(work, waves, index === groups.length - 1 ? 'release' : 'keep');
    }
  } finally {
    uploading.abort();
    await Promise.allSettled([uploaded]);
    uploading.release();
  }
};

const uploadAll = ({ run, progress }: Work, names: readonly string[], signal: AbortSignal): Promise<void> => {
  const users = run.steps.filter(({ artefacts }) => artefacts.some((name) => names.includes(name))).map(({ id }) => id);
  const upload = async (): Promise<void> => {
    if (names.length === 0) return;
    try {
      await run.session.upload(
        names.map((name) => run.artefacts[name]).filter((artefact) => artefact !== undefined),
        signal,
      );
    } catch (thrown) {
      if (!isKind(thrown, 'cancelled')) progress.failed(users, toFleetError(thrown).message);
      throw thrown;
    }
  };
  const uploaded = upload();
  // Whoever waits for it hears of it; if the run ends before, nobody has to.
  uploaded.catch(() => undefined);
  return uploaded;
};

const assertGiven = ({ inputs, artefacts }: StepsRun, step: Step): void => {
  const input = Object.entries(step.inputs).find(
    ([name, { fallback }]) => inputs[name] === undefined && fallback === undefined,
  );
  if (input !== undefined) throw notGiven('input', input[0], step.id);
  const artefact = step.artefacts.find((name) => artefacts[name] === undefined);
  if (artefact !== undefined) throw notGiven('artefact', artefact, step.id);
};

const notGiven = (what: 'input' | 'artefact', name: string, step: string): FleetError =>
  new FleetError('bug', {
    code: 'StepInputMissing',
    message: `step ${step} needs the ${what} ${name}, which was not given`,
    details: { step, [what]: name },
  });
