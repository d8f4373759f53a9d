/** A whole fleet adopted on the virtual clock, and what it cost: time, writes to Kubernetes, calls to the cloud. */
import { sleep } from '../../src/base/clock.ts';
import { FleetError } from '../../src/base/errors.ts';
import { MAC_HOSTS } from '../../src/kinds/mac-host.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { REQUEST_BUDGET } from '../../src/scaleway/adapter/connect.ts';
import { type CostMeter, type Counts, createCostMeter } from '../../src/world/cost-meter.ts';
import { renderDemo } from '../../src/world/demo-fleet.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from '../../src/world/fleet-world.ts';

export interface Adoption {
  readonly world: FleetWorld;
  readonly meter: CostMeter;
  /** From the wish for all machines to the last one ready. */
  readonly makespanMs: number;
  /** Of that, what came after the last call to the cloud: the work on the last Mac. */
  readonly tailMs: number;
  readonly writes: Counts;
  readonly events: Counts;
  readonly calls: Counts;
}

const BOUNDS = { maxEvents: 100_000_000, maxVirtualMs: 7_200_000 };
/** Between two looks at the fleet; one at a large fleet takes as long as many events. */
const LOOK_EVERY = 10;

/** The pool is on record before the clock starts: that is done once in the life of a Mac with us. */
export const adoptFleet = async (macs: number, more: Pick<FleetWorldOptions, 'adjust'> = {}): Promise<Adoption> => {
  const meter = createCostMeter();
  const options = { seed: 1, macs, callsKept: 1_000_000, observer: { onRequest: meter.onRequest } };
  const world = createFleetWorld({ ...options, ...more });
  for (const wanted of renderDemo(0)) world.operator.apply(wanted);
  const { clock } = world.kernel.actor('bench');
  await runTo(world, 'a pool on record', () => countFree(world) === macs);
  meter.reset(world);
  const startMs = clock.now();
  world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: macs } });
  await runTo(world, 'all machines ready', () => countReady(world) === macs);
  const endMs = clock.now();
  const lastCallMs = Math.max(...world.cloud.otherCalls().entries.map(({ verb, atMs }) => (verb === 'get' ? atMs : 0)));
  const counts = {
    writes: withoutCluster(meter.managerWrites()),
    events: meter.managerEvents(),
    calls: meter.cloudCalls(world),
  };
  return { world, meter, makespanMs: endMs - startMs, tailMs: endMs - lastCallMs, ...counts };
};

/** Every bootstrap takes so long, whatever is done in it. */
export const withBootstrapsOf =
  (bootstrapMs: number): NonNullable<FleetWorldOptions['adjust']> =>
  (ports) => ({
    ...ports,
    preparer: {
      ...ports.preparer,
      prepare: async (preparation, signal) => {
        const endMs = ports.clock.elapsed() + bootstrapMs;
        const prepared = await ports.preparer.prepare(preparation, signal);
        await sleep(ports.clock, Math.max(endMs - ports.clock.elapsed(), 0), signal);
        return prepared;
      },
    },
  });

/** Its kubeconfig is written once for a cluster, and not for a Mac: a token, and the Secret that holds it. */
const withoutCluster = (writes: Counts): Counts => {
  const { 'create serviceaccounts/token': tokens = 0, 'create secrets': secrets = 0, ...others } = writes;
  return { ...others, 'create secrets': secrets - tokens };
};

const countFree = ({ operator }: FleetWorld): number =>
  operator.list(MAC_HOSTS).filter(({ status }) => status?.state === 'free').length;

const countReady = ({ operator }: FleetWorld): number =>
  operator.list(MACHINES).filter(({ status }) => status?.initialization?.provisioned).length;

const runTo = async ({ kernel, cloud }: FleetWorld, what: string, isSo: () => boolean): Promise<void> => {
  const lookEvery = Math.max(cloud.servers().length, LOOK_EVERY);
  let events = 0;
  const lookNowAndThen = (): boolean => {
    events += 1;
    return events % lookEvery === 0 && isSo();
  };
  const { outcome } = await kernel.run({ ...BOUNDS, until: lookNowAndThen });
  if (outcome === 'until') return;
  throw new FleetError('unavailable', { code: 'BenchWaitTooLong', message: `${what}: the run ended with ${outcome}` });
};

/** Two renames, a look before each, and one before the work on the Mac: no manager that keeps R8 needs fewer. */
const CALLS_NEEDED = 5;

/**
 * What no manager can beat on these simulators: the way of one Mac that is alone, and the time until the budget of requests
 * has let through what all of them need, with the work on the last one after it.
 */
export const boundMs = (macs: number, alone: Pick<Adoption, 'makespanMs' | 'tailMs'>): number => {
  const { burst, perSecond } = REQUEST_BUDGET;
  const throughMs = (Math.max(CALLS_NEEDED * macs - burst, 0) / perSecond) * 1_000;
  return Math.max(alone.makespanMs, throughMs + alone.tailMs);
};
