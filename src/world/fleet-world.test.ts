import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { JOBS } from '../controlplane/core/workloads/job.ts';
import { CLUSTERS } from '../kinds/cluster.ts';
import { CONTROL_PLANES } from '../kinds/control-plane.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import { PODS } from '../kube/types/core.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import type { FleetWorld } from './fleet-world.ts';
import { BOUNDS, checkOf, freeHosts, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const { clusters } = CLUSTER_API_RESOURCES;

const STORM = {
  default: { faults: { 'fail-before': 0.02, 'fail-after': 0.02, 'late-effect': 0.003, 'late-answer': 0.003 } },
  sites: {
    'kube:body': {
      faults: {
        'fail-before': 0,
        'fail-after': 0,
        'late-effect': 0,
        'late-answer': 0,
        cut: 0.005,
        freeze: 0.002,
        split: 0.05,
      },
    },
  },
};

const isJobDone = ({ operator }: FleetWorld): boolean =>
  operator.list(JOBS).some(({ status }) => status?.conditions?.some(({ type }) => type === 'Complete') ?? false);

/** One adoption and return has some 930 points, which take minutes; MACFLEET_CRASH_POINTS=all tries each of them. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 60;

describe('the whole system on the virtual clock', () => {
  it('tells what a Pod on a Mac has printed, through the API, from the agent of its Node', async () => {
    const world = startWorld({ seed: 5, macs: 1 });
    await runUntil(world, 'the Job is done', () => isJobDone(world));
    const [pod] = world.operator.list(PODS);
    const path = `/api/v1/namespaces/default/pods/${pod?.metadata.name}/log?tailLines=1`;
    let log: unknown;
    world.kernel.boot('reader', async (actor) => {
      log = await world.adminClient(actor).getRaw(path, { signal: neverAborted() });
    });
    await runUntil(world, 'the log is read', () => log !== undefined);
    assert.equal(log, 'ended with code 0\n');
  });

  it('002-2 I-12 makes Macs into Nodes, runs a Job on them, and gives them back wiped', async () => {
    const world = startWorld({ seed: 1, macs: 2 });
    await runUntil(world, 'the job', () => isJobDone(world) && readyMachines(world) === 2);
    await runUntil(world, 'hosts that say they are well', () =>
      world.operator.list(MAC_HOSTS).every(({ status }) => {
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        return status?.state === 'joined' && ready?.status === 'True';
      }),
    );
    scale(world, 0);
    await runUntil(world, 'the return', () => freeHosts(world) === 2 && world.operator.list(MACHINES).length === 0);
    assert.deepEqual(
      world.cloud.servers().map(({ wipes }) => wipes),
      [1, 1],
    );
  });

  it('says so when there is no free Mac, and goes on by itself when one appears', async () => {
    const world = startWorld({ seed: 2, macs: 1 }, 2);
    await runUntil(world, 'one ready', () => readyMachines(world) === 1);
    const waiting = world.operator.list(MACHINES).find(({ status }) => !status?.initialization?.provisioned);
    assert.equal(waiting?.status?.conditions?.find(({ type }) => type === 'Provisioned')?.reason, 'NoAvailableHost');
    world.cloud.addServer({ name: 'tuist-pool-late' });
    await runUntil(world, 'both ready', () => readyMachines(world) === 2);
  });

  it('gets over a bootstrap step that fails three times', async () => {
    const world = startWorld({ seed: 3, macs: 1 });
    const [server] = world.cloud.servers();
    world.macs
      .mac(server?.id ?? '')
      .addStepFault({ step: 'tart', phase: 'apply', kind: 'exit', times: 3, output: 'no space' });
    const failures = (): number | undefined => world.operator.list(MAC_HOSTS)[0]?.spec.budgets.bootstrap.failures;
    await runUntil(world, 'three failures', () => failures() === 3);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    await runUntil(world, 'they count no more', () => failures() === 0);
  });

  it('gives a Mac back that was being bootstrapped when its machine was deleted', async () => {
    const world = startWorld({ seed: 4, macs: 1 });
    const isBootstrapping = (): boolean =>
      world.operator.list(MAC_HOSTS)[0]?.status?.operation?.steps?.some(({ state }) => state === 'running') ?? false;
    await runUntil(world, 'bootstrapping', isBootstrapping);
    scale(world, 0);
    await runUntil(world, 'the return', () => freeHosts(world) === 1 && world.cloud.servers()[0]?.wipes === 1);
  });

  it('T-14 stops where it is when its Cluster is paused, also on the Mac, and goes on from there', async () => {
    const world = startWorld({ seed: 8, macs: 1 });
    const isBootstrapping = (): boolean =>
      world.operator.list(MAC_HOSTS)[0]?.status?.operation?.steps?.some(({ state }) => state === 'running') ?? false;
    await runUntil(world, 'bootstrapping', isBootstrapping);
    const setPaused = (paused: boolean): void => world.operator.merge(clusters, 'demo', { spec: { paused } });
    const pausedIs = (status: string): boolean =>
      [
        ...world.operator.list(MACHINES),
        ...world.operator.list(CLUSTERS),
        ...world.operator.list(CONTROL_PLANES),
      ].every((object) => object.status?.conditions?.find(({ type }) => type === 'Paused')?.status === status);
    /** What the server looks like at Scaleway is still kept on record: that is looking, not working. */
    const record = (): unknown => [
      world.operator.list(MACHINES).map(({ metadata }) => metadata.resourceVersion),
      world.operator.list(MAC_HOSTS).map(({ spec, status }) => ({ spec, ...status, server: undefined })),
      world.cloud.audit().length,
    ];
    setPaused(true);
    await runUntil(world, 'told that it is paused', () => pausedIs('True'));
    const before = record();
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 1_800_000, check: checkOf(world) });
    assert.deepEqual(record(), before);
    assert.equal(world.macs.mac(world.cloud.servers()[0]?.id ?? '').view().agent, undefined);
    setPaused(false);
    await runUntil(world, 'ready', () => readyMachines(world) === 1 && pausedIs('False'));
  });

  it('gets over a cloud that is away for a minute', async () => {
    const world = startWorld({ seed: 5, macs: 1 });
    world.kernel.schedule(20_000, 'cloud away', () => world.cloud.goAway(60_000));
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('T-49 T-50 F13: says that its key is refused, does nothing meanwhile, and goes on when it is taken again', async () => {
    const world = startWorld({ seed: 5, macs: 1 });
    await runUntil(world, 'claimed', () =>
      world.operator.list(MAC_HOSTS).some(({ spec }) => spec.claimRef !== undefined),
    );
    world.cloud.switchOn('F13b');
    const told = () =>
      world.operator
        .list(MAC_HOSTS)
        .flatMap(({ status }) => status?.conditions ?? [])
        .map(({ reason }) => reason);
    await runUntil(world, 'told', () => told().includes('AuthenticationDenied'));
    const { length } = world.cloud.audit();
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 300_000 });
    assert.equal(world.cloud.audit().length, length);
    world.cloud.switchOff('F13b');
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('survives its manager being killed before and after any effect', async () => {
    const plan = {
      actor: 'manager',
      restartAfterMs: 5_000,
      kinds: ['before-effect', 'after-effect'] as const,
      every: EVERY,
    };
    const points = await forEachCrashPoint(plan, async (crash) => {
      const world = startWorld({ seed: 6, macs: 1, ...(crash === undefined ? {} : { crash }) });
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      scale(world, 0);
      await runUntil(world, 'the return', () => freeHosts(world) === 1);
      return world.kernel;
    });
    assert.ok(points > 5, `${points} points`);
  });

  it('keeps its promises with two managers in a storm, and runs the same twice', async () => {
    const play = async (): Promise<string> => {
      const world = startWorld({ seed: 7, macs: 2, managers: ['m1', 'm2'], network: STORM });
      const { kernel } = world;
      for (const name of ['m1', 'm2', 'controllers']) {
        for (let blow = 0; blow < 3; blow += 1) {
          const atMs = kernel.choose('blow at', 600_000);
          if (name === 'controllers' || kernel.choose('blow kind', 2) === 0)
            kernel.schedule(atMs, 'blow', () => kernel.restart(name, 1_000));
          else kernel.schedule(atMs, 'blow', () => kernel.pause(name, 5_000 + kernel.choose('pause', 90_000)));
        }
      }
      kernel.schedule(300_000, 'scale', () => scale(world, 1));
      await kernel.run({ ...BOUNDS, maxVirtualMs: 900_000, check: checkOf(world) });
      kernel.setFaults('off');
      await runUntil(world, 'one ready, one free', () => readyMachines(world) === 1 && freeHosts(world) === 1);
      return (await kernel.run({ ...BOUNDS, maxVirtualMs: 30_000 })).traceHash;
    };
    assert.equal(await play(), await play());
  });
});
