/**
 * A batch on a simulated Mac: the counterpart of steps/driver.sh, on the simulated clock. It keeps the same order (lock,
 * first-look, fence, all others stage by stage) and the same records, and breaks where a fault is due.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import type { FleetError } from '../../base/errors.ts';
import { connectionLost } from '../../hosts/port/session-errors.ts';
import type { Batch, BatchAnswer, PhaseExit, StepAnswer, StepCall, StepPhase } from '../../hosts/port.ts';
import type { MacFaults } from './mac-faults.ts';
import { assertAdmitted, lockOwnerOf, passFence, releaseLock, takeLock } from './mac-fence.ts';
import { type MacInside, type PhaseResult, runPhase } from './mac-scripts.ts';

export interface MacAtWork extends MacInside {
  readonly faults: MacFaults;
  readonly clock: Clock;
  readonly phaseMs: (step: string, phase: StepPhase) => number;
  readonly onChange: () => void;
  /** Throws when the connection is gone, or the Mac is not what it was. */
  readonly assertAlive: () => void;
  /** Aborted when the simulation ends. */
  readonly stopped: AbortSignal;
}

interface Run {
  readonly mac: MacAtWork;
  readonly batch: Batch;
  /** Once broken, what still runs ends before it changes anything more. */
  isBroken: boolean;
}

/** Never settles if a step hangs. */
export const runBatch = async (mac: MacAtWork, batch: Batch): Promise<BatchAnswer> => {
  const run: Run = { mac, batch, isBroken: false };
  mac.assertAlive();
  const facts = factsOf(mac);
  if (batch.calls.some(({ do: what }) => what !== 'check')) takeLock(mac.disk, batch.lock, mac.clock.now());
  const answers = new Map<string, StepAnswer>();
  const answered = async (call: StepCall): Promise<StepAnswer> => {
    const answer = await runCall(run, call);
    answers.set(call.step, answer);
    batch.onAnswer?.(answer);
    return answer;
  };
  const ended = (): BatchAnswer => ({ facts, steps: batch.calls.map(({ step }) => answers.get(step) ?? notRun(step)) });
  const first = batch.calls.find(({ step }) => step === 'first-look');
  const firstAnswer = first && (await answered(first));
  if (first?.do !== 'check' && firstAnswer !== undefined && firstAnswer.phases.at(-1)?.exitCode !== 0) return ended();
  passFence(mac.disk, batch);
  mac.onChange();
  for (const stage of stagesOf(batch.calls.filter((call) => call !== first))) {
    const ends = await Promise.all(stage.map(answered));
    if (ends.some(({ phases }) => phases.at(-1)?.exitCode !== 0)) break;
  }
  releaseLock(mac.disk, batch.lock);
  return ended();
};

const stagesOf = (calls: readonly StepCall[]): readonly (readonly StepCall[])[] =>
  [...Map.groupBy(calls, ({ stage = 0 }) => stage)].sort(([one], [other]) => one - other).map(([, stage]) => stage);

const notRun = (step: string): StepAnswer => ({ step, phases: [], recorded: undefined, output: '' });

const factsOf = ({ disk, clock }: MacAtWork): BatchAnswer['facts'] => ({
  epoch: disk.epochFile?.epoch,
  lockOwner: lockOwnerOf(disk, clock.now()),
  artefacts: [...disk.artefacts].sort(),
});

const runCall = async (run: Run, call: StepCall): Promise<StepAnswer> => {
  const phases: PhaseExit[] = [];
  let output = '';
  const phase = async (name: StepPhase): Promise<number> => {
    const result = await runOnePhase(run, call, name);
    phases.push({ phase: name, exitCode: result.exitCode });
    output += result.output === '' ? '' : `${result.output}\n`;
    return result.exitCode;
  };
  await PLANS[call.do](run, call, phase);
  return { step: call.step, phases, recorded: run.mac.disk.recorded.get(call.step), output };
};

type Plan = (run: Run, call: StepCall, phase: (name: StepPhase) => Promise<number>) => Promise<void>;

const verifyAndRecord: Plan = async ({ mac }, { step, digest }, phase) => {
  if ((await phase('verify')) === 0 && digest !== '') mac.disk.recorded.set(step, digest);
  mac.onChange();
};

const PLANS: Readonly<Record<StepCall['do'], Plan>> = {
  check: async (_run, _call, phase) => {
    await phase('check');
  },
  verify: verifyAndRecord,
  converge: async (run, call, phase) => {
    const { disk } = run.mac;
    const found = await phase('check');
    if (found > 1 || (found === 0 && (disk.recorded.get(call.step) ?? '') === call.digest)) return;
    assertAdmitted(disk, call.step, run.batch.epoch);
    disk.recorded.delete(call.step);
    if ((await phase('apply')) === 0) await verifyAndRecord(run, call, phase);
  },
};

const runOnePhase = async (run: Run, call: StepCall, phase: StepPhase): Promise<PhaseResult> => {
  const { mac, batch } = run;
  const fault = mac.faults.takeStepFault(call.step, phase);
  if (fault?.kind === 'hang') return new Promise(() => undefined);
  const durationMs = mac.phaseMs(call.step, phase);
  if (durationMs > 0) await sleep(mac.clock, durationMs, mac.stopped);
  // The Mac may have lost its power, or taken up a newer operation, while the script was at work.
  assertIntact(run);
  if (phase === 'apply') assertAdmitted(mac.disk, call.step, batch.epoch);
  if (fault?.kind === 'lost-before') throw broken(run);
  if (fault?.kind === 'exit') return { exitCode: 1, output: fault.output ?? `${call.step}: something went wrong` };
  const result = runPhase(mac, { call, phase, epoch: batch.epoch });
  mac.onChange();
  if (fault?.kind === 'lost-after') throw broken(run);
  return result;
};

const assertIntact = ({ mac, isBroken }: Run): void => {
  mac.assertAlive();
  if (isBroken) throw connectionLost();
};

const broken = (run: Run): FleetError => {
  run.isBroken = true;
  return connectionLost();
};
