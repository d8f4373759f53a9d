/** A session that answers as a test says and remembers what it was asked. */
import type { Batch, HostFacts, HostSession, StepAnswer, StepCall, StepPhase } from '../port.ts';

export interface ScriptedSession extends HostSession {
  readonly batches: readonly Batch[];
  /** The batches as `<step> <what>, … | <of the next stage>`, and uploads as `upload <name>`. */
  readonly asked: readonly string[];
}

export interface Script {
  /** What a phase exits with and prints; undefined means that a check finds nothing and everything else succeeds. */
  readonly answers?: (call: StepCall, phase: StepPhase, signal: AbortSignal) => PhaseAnswer | undefined;
  readonly facts?: Partial<HostFacts>;
  /** Called when a batch has arrived, before anything is run. */
  readonly onBatch?: (batch: Batch, signal: AbortSignal) => Promise<void> | void;
  readonly onUpload?: (name: string, signal: AbortSignal) => Promise<void> | void;
}

export interface PhaseAnswer {
  readonly exitCode: number;
  readonly output?: string;
}

export const createScriptedSession = (script: Script = {}): ScriptedSession => {
  const batches: Batch[] = [];
  const asked: string[] = [];
  const recorded = new Map<string, string>();
  return {
    ...{ hostKey: 'SHA256:scripted', batches, asked },
    run: async (batch, signal) => {
      batches.push(batch);
      asked.push(renderStages(batch));
      await script.onBatch?.(batch, signal);
      const steps: StepAnswer[] = [];
      for (const call of batch.calls) {
        const isOver = steps.some((answer, at) => hasFailed(answer) && stageOf(batch.calls[at]) < stageOf(call));
        const answer = isOver ? notRun(call) : answerTo({ script, recorded, signal }, call);
        steps.push(answer);
        if (!isOver) batch.onAnswer?.(answer);
      }
      return { facts: { epoch: undefined, lockOwner: undefined, artefacts: [], ...script.facts }, steps };
    },
    upload: async (artefacts, signal) => {
      asked.push(`upload ${artefacts.map(({ name }) => name).join(' ')}`);
      for (const { name } of artefacts) await script.onUpload?.(name, signal);
    },
    close: () => Promise.resolve(),
  };
};

const stageOf = (call: StepCall | undefined): number => call?.stage ?? 0;

const hasFailed = ({ phases }: StepAnswer): boolean => phases.at(-1)?.exitCode !== 0;

const notRun = ({ step }: StepCall): StepAnswer => ({ step, phases: [], recorded: undefined, output: '' });

const renderStages = ({ calls }: Batch): string =>
  [...Map.groupBy(calls, stageOf).values()]
    .map((stage) => stage.map(({ step, do: what }) => `${step} ${what}`).join(', '))
    .join(' | ');

interface Answering {
  readonly script: Script;
  readonly recorded: Map<string, string>;
  readonly signal: AbortSignal;
}

const PHASES: Readonly<Record<StepCall['do'], readonly StepPhase[]>> = {
  check: ['check'],
  converge: ['check', 'apply', 'verify'],
  verify: ['verify'],
};

const answerTo = ({ script, recorded, signal }: Answering, call: StepCall): StepAnswer => {
  const phases: { readonly phase: StepPhase; readonly exitCode: number }[] = [];
  let output = '';
  for (const phase of PHASES[call.do]) {
    const answer = script.answers?.(call, phase, signal) ?? { exitCode: phase === 'check' ? 1 : 0 };
    phases.push({ phase, exitCode: answer.exitCode });
    output += answer.output ?? '';
    const isOver = phase === 'check' ? answer.exitCode > 1 : answer.exitCode !== 0;
    const isThere = phase === 'check' && answer.exitCode === 0 && recorded.get(call.step) === call.digest;
    if (isOver || isThere) return { step: call.step, phases, recorded: recorded.get(call.step), output };
  }
  if (call.do !== 'check') recorded.set(call.step, call.digest);
  return { step: call.step, phases, recorded: recorded.get(call.step), output };
};
