/** One batch of a run: which calls it consists of, how long it may take, and what becomes of every step in it. */
import { throwIfAborted, withTimeLimit } from '../base/abort.ts';
import { FleetError, isKind, toFleetError } from '../base/errors.ts';
import { judgeAnswer } from './judge-answer.ts';
import type { Wave } from './plan-waves.ts';
import type { Batch, BatchAnswer, StepAnswer, StepCall } from './port.ts';
import { redact } from './redact.ts';
import type { Step } from './step.ts';
import type { StepsRun, Work } from './steps-run.ts';

const SURVEY_TIMEOUT_MS = 60_000;

/** What all steps find, in one round trip; nothing is changed. An error names the steps that kept the others waiting. */
export const surveyMac = async (work: Work): Promise<BatchAnswer> => {
  const { run } = work;
  const calls = run.steps.map((step) => ({ ...callOf(run, step, 'check'), digest: '' }));
  const open = new Set(calls.map(({ step }) => step));
  const onAnswer = ({ step }: StepAnswer): void => {
    open.delete(step);
  };
  try {
    return await send(work, { epoch: run.epoch, calls, timeoutMs: SURVEY_TIMEOUT_MS, onAnswer }, 'a look at the Mac');
  } catch (thrown) {
    throw inSteps(run, open.size < calls.length ? [...open] : [], toFleetError(thrown));
  }
};

/** Resolves when every step of the waves is verified; rejects with the error of the first that is not. */
export const runWaves = async (work: Work, waves: readonly Wave[], afterwards: 'keep' | 'release'): Promise<void> => {
  const { run, signal } = work;
  const stages = waves.map((wave) => wave.map(({ step }) => step.id));
  throwIfAborted(signal);
  await run.beforeWave?.(stages.flat(), signal);
  const tally = createTally(work, stages);
  const batch: Batch = {
    epoch: run.epoch,
    calls: waves.flatMap((wave, stage) => wave.map((one) => ({ ...callOf(run, one.step, one.do), stage }))),
    ...{ timeoutMs: waves.reduce((sum, wave) => sum + longestOf(wave), 0), onAnswer: tally.take },
    ...(run.lockOwner !== undefined && { lock: { owner: run.lockOwner, afterwards } }),
  };
  try {
    const { steps } = await send(work, batch, 'the Mac');
    for (const answer of steps) tally.take(answer);
  } catch (thrown) {
    throw tally.broken(toFleetError(thrown));
  }
  const error = tally.firstError();
  if (error !== undefined) throw error;
};

const longestOf = (wave: Wave): number => Math.max(...wave.map(({ step }) => step.timeoutMs));

const send = ({ run, signal }: Work, batch: Batch, doing: string): Promise<BatchAnswer> =>
  withTimeLimit({ clock: run.clock, timeoutMs: batch.timeoutMs, signal, doing }, (limited) => {
    throwIfAborted(limited);
    return run.session.run(batch, limited);
  });

/** Only what the step names. */
const callOf = (run: StepsRun, step: Step, what: StepCall['do']): StepCall => ({
  ...{ step: step.id, do: what, digest: run.digests[step.id] ?? '' },
  inputs: Object.fromEntries([
    ...Object.entries(step.inputs).map(([name, { fallback }]) => [name, run.inputs[name] ?? fallback ?? ''] as const),
    ...step.artefacts.map((name) => [`artefact_${name}`, run.artefacts[name]?.sha256 ?? ''] as const),
  ]),
  secrets: Object.fromEntries(Object.entries(run.secrets).filter(([name]) => step.secretInputs.includes(name))),
});

interface Tally {
  /** Counts an answer, once. */
  take(answer: StepAnswer): void;
  /** The batch ended with this: it is what became of all that had begun and have no answer. */
  broken(error: FleetError): FleetError;
  /** In the order of the steps. */
  firstError(): FleetError | undefined;
}

/** The first stage begins at once, each further one when all before it have ended well: as on the Mac. */
const createTally = ({ run, progress }: Work, stages: readonly (readonly string[])[]): Tally => {
  const waiting = [...stages];
  const open = new Set<string>();
  const errors = new Map<string, FleetError>();
  const begin = (): void => {
    const next = waiting.shift() ?? [];
    for (const id of next) open.add(id);
    progress.running(next);
  };
  begin();
  return {
    take: (answer) => {
      if (!open.delete(answer.step)) return;
      const verdict = judgeAnswer({ ...answer, output: redact(answer.output, run.secrets) });
      if (verdict instanceof FleetError) {
        errors.set(answer.step, verdict);
        progress.failed([answer.step], verdict.message);
        return;
      }
      progress.ended(answer.step, verdict);
      if (open.size === 0 && errors.size === 0) begin();
    },
    broken: (thrown) => {
      const error = inSteps(run, [...open], thrown);
      if (isKind(error, 'cancelled')) progress.interrupted([...open]);
      else progress.failed([...open], error.message);
      return error;
    },
    firstError: () =>
      stages
        .flat()
        .map((id) => errors.get(id))
        .find((error) => error !== undefined),
  };
};

/** The same error, with the steps in it. What came from below keeps its kind and code: the caller decides by them. */
const inSteps = (run: StepsRun, ids: readonly string[], error: FleetError): FleetError => {
  const { kind, code, hint, details, retryAfterMs, cause } = error;
  const where = ids.length === 0 ? '' : `${ids.length === 1 ? 'step' : 'steps'} ${ids.join(', ')}: `;
  return new FleetError(kind, {
    ...{ code, message: redact(`${where}${error.message}`, run.secrets) },
    ...(hint !== undefined && { hint }),
    details: { ...(ids.length === 1 && { step: ids[0] }), ...details },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(cause !== undefined && { cause }),
  });
};
