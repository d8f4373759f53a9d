/** The same plan of trouble under the original's order of effects (original-order.ts), on the virtual clock, judged by the same judge. */
import { createSeededRandom } from '../../base/random.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createKernel } from '../../sim/kernel/kernel.ts';
import { POOL_PREFIX } from '../simulated-provider.ts';
import { type ChaosJudgement, createWipeWitness, judgeAudit } from './judge-audit.ts';
import { type ModelMachine, runOriginalOrder } from './original-order.ts';
import type { Blow, ChaosPlanOptions, TimedBlow } from './plan-chaos.ts';

export interface OriginalRun extends ChaosPlanOptions {
  readonly plan: readonly TimedBlow[];
  /** How much faster than life the cloud is. */
  readonly speedUp: number;
  /** How many machines there are before the trouble, and after it. */
  readonly initial: number;
}

/** Until another manager leads. */
const TAKEOVER_MS = 2_000;
/** Before the trouble, and after it. */
const CALM_MS = 30_000;
const MANAGER = 'original';
const MAX_EVENTS = 5_000_000;

/** Settles within a second or two of real time. */
export const runOriginal = async (run: OriginalRun): Promise<ChaosJudgement> => {
  const kernel = createKernel({ seed: `original ${run.seed}` });
  const machines = new Map<string, ModelMachine>();
  const failures = new Map<string, number>();
  const witness = createWipeWitness(
    (serverId) => [...machines.values()].find((machine) => !machine.isDeleting && machine.serverId === serverId)?.name,
  );
  const { clock } = kernel.actor('world');
  const cloud = createSimCloud({
    ...{ clock, random: createSeededRandom(`cloud ${run.seed}`), timeScale: 1 / run.speedUp, onWrite: witness.hear },
  });
  for (let at = 1; at <= run.macs; at += 1) cloud.addServer({ name: `${POOL_PREFIX}${at}` });
  const takeFailure = (serverId: string): boolean => {
    const left = failures.get(serverId) ?? 0;
    failures.set(serverId, Math.max(left - 1, 0));
    return left > 0;
  };
  const scale = createScaling(machines);
  const strike = (blow: Blow): void => {
    if (blow.do === 'scale') scale(blow.machines);
    if (blow.do === 'cloud') cloud.switchOn(blow.fault, { count: blow.count });
    if (blow.do === 'kill') {
      kernel.kill(MANAGER);
      kernel.restart(MANAGER, TAKEOVER_MS);
    }
    const { id } = 'mac' in blow ? (cloud.servers()[blow.mac] ?? { id: '' }) : { id: '' };
    if ('mac' in blow) failures.set(id, (failures.get(id) ?? 0) + ('count' in blow ? blow.count : 1));
  };
  const endTrouble = (): void => {
    for (const { id } of cloud.faults()) cloud.switchOff(id);
    scale(run.initial);
  };
  kernel.boot(MANAGER, async (actor) =>
    actor.daemon('passes', () => runOriginalOrder(actor, { cloud, machines, takeFailure })),
  );
  scale(run.initial);
  for (const { atMs, blow } of run.plan) kernel.schedule(CALM_MS + atMs, blow.do, () => strike(blow));
  kernel.schedule(CALM_MS + run.durationMs, 'calm', endTrouble);
  await kernel.run({ maxEvents: MAX_EVENTS, maxVirtualMs: run.durationMs + 2 * CALM_MS });
  cloud.stop();
  return judgeAudit(cloud.audit(), { isFleet: () => true, liveWipes: witness.found() });
};

/** As a MachineDeployment does it: the youngest go first. One that never came to its finalizer is gone at once. */
const createScaling = (machines: Map<string, ModelMachine>): ((count: number) => void) => {
  let made = 0;
  return (count) => {
    const alive = [...machines.values()].filter(({ isDeleting }) => !isDeleting);
    for (let at = alive.length; at < count; at += 1) {
      made += 1;
      const name = `macos-${made}`;
      const fresh = { isDeleting: false, serverId: undefined, hasFinalizer: false, isBootstrapped: false, failures: 0 };
      machines.set(name, { name, ...fresh });
    }
    for (const machine of alive.slice(count)) {
      machine.isDeleting = true;
      if (!machine.hasFinalizer) machines.delete(machine.name);
    }
  };
};
