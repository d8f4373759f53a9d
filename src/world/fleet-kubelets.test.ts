/** A fleet whose Macs run the real agent, from the pool to their return, with everything killed on the way. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { JOBS } from '../controlplane/core/workloads/job.ts';
import { FINALIZERS, MACOS_TAINT } from '../kinds/labels.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { DEPLOYMENTS } from '../kube/types/apps.ts';
import { NODES, PODS } from '../kube/types/core.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import { runningVms } from '../sim/tart/tart-home.ts';
import { createFleetKubeletJury } from './fleet-kubelet-jury.ts';
import { kubeletOn } from './fleet-kubelets.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from './fleet-world.ts';
import { startFleet } from './simulate/start-fleet.ts';
import { BOUNDS, checkOf, freeHosts, readyMachines, scale } from './testing/fleet-run.ts';
import { STORM } from './testing/kubelet-run.ts';

interface Play {
  readonly world: FleetWorld;
  until(what: string, holds: () => boolean, lookEvery?: number): Promise<void>;
}

const MACS = 2;
/** How many events lie between two looks at whether something is so; what must always hold is looked at after each. */
const LOOK_EVERY = 40;

const begin = (options: Partial<FleetWorldOptions> = {}): Play => {
  const world = createFleetWorld({ seed: 81, macs: MACS, agents: 'tart-kubelet', ...options });
  startFleet(world, MACS);
  const [checkFleet, checkVms] = [checkOf(world), createFleetKubeletJury(world)];
  const check = (): void => {
    checkFleet();
    checkVms();
  };
  return {
    world,
    until: async (what, holds, lookEvery = LOOK_EVERY) => {
      let events = 0;
      const until = (): boolean => {
        events += 1;
        return events % lookEvery === 0 && holds();
      };
      const { outcome } = await world.kernel.run({ ...BOUNDS, check, until });
      assert.equal(outcome, 'until', `never: ${what}\n${describeWorld(world)}`);
    },
  };
};

const describeWorld = ({ operator, kernel }: FleetWorld): string =>
  JSON.stringify({
    hosts: operator.list(MAC_HOSTS).map(({ status }) => status?.state),
    pods: operator.list(PODS).map(({ metadata, spec, status }) => [metadata.name, spec.nodeName, status]),
    trace: kernel.dump().split('\n').slice(-30),
  });

/** A VM's work, in the few words that guests of steps know. */
const template = (script: string, labels: Readonly<Record<string, string>> = {}) => ({
  metadata: { labels },
  spec: {
    ...{ nodeSelector: { 'kubernetes.io/os': 'darwin' }, tolerations: [{ key: MACOS_TAINT.key, operator: 'Exists' }] },
    terminationGracePeriodSeconds: 10,
    containers: [{ name: 'vm', image: 'ghcr.io/acme/macos:1', env: [{ name: 'SIM_GUEST_SCRIPT', value: script }] }],
  },
});

const submitWork = ({ operator }: FleetWorld): void => {
  const job = template('sleep 300; exit 0');
  operator.apply({
    resource: JOBS,
    object: {
      ...{ metadata: { name: 'build', namespace: 'default' } },
      ...{
        spec: { completions: 2, parallelism: 2, template: { ...job, spec: { ...job.spec, restartPolicy: 'Never' } } },
      },
    },
  });
  const labels = { app: 'web' };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template: template('sleep infinity', labels) };
  operator.apply({ resource: DEPLOYMENTS, object: { metadata: { name: 'web', namespace: 'default' }, ...{ spec } } });
};

/** The processes of all VMs, by Mac and name. */
const vmsOf = ({ kubelets }: FleetWorld): ReadonlyMap<string, number | undefined> =>
  new Map(
    [...(kubelets?.macs() ?? [])].flatMap(([serverId, { home }]) =>
      runningVms(home).map((vm) => [`${serverId} ${vm}`, home.holderOf(vm)] as const),
    ),
  );

const jobsDone = ({ operator }: FleetWorld): boolean =>
  operator.list(PODS).filter(({ status }) => status?.phase === 'Succeeded').length === 2;

const hashes = ({ operator }: FleetWorld): ReadonlySet<string | undefined> =>
  new Set(operator.list(MAC_HOSTS).map(({ status }) => status?.configHash));

const held = ({ operator }: FleetWorld): number =>
  operator.list(PODS).filter(({ metadata }) => metadata.finalizers?.includes(FINALIZERS.pod)).length;

/** From the pool to work, through another release of the agent, and back. */
const playLife = async (options: Partial<FleetWorldOptions> = {}): Promise<FleetWorld> => {
  const { world, until } = begin(options);
  await until('all Macs are Nodes', () => readyMachines(world) === MACS && world.operator.list(NODES).length === MACS);
  submitWork(world);
  await until('three VMs run', () => vmsOf(world).size === 3);
  const [vms, before] = [vmsOf(world), hashes(world)];
  world.upgrade('2');
  await until('all have the release', () => hashes(world).size === 1 && !hashes(world).isSubsetOf(before));
  const left = vmsOf(world);
  assert.ok(left.size > 0);
  for (const [vm, pid] of left) assert.equal(pid, vms.get(vm), `004-5: ${vm} is the same process`);
  await until('the Job is done', () => jobsDone(world));
  await goHome({ world, until });
  return world;
};

const goHome = async ({ world, until }: Play): Promise<void> => {
  scale(world, 0);
  await until('all Macs are back', () => freeHosts(world) === MACS && world.operator.list(NODES).length === 0);
  await until('nothing is held', () => held(world) === 0);
  assert.equal(vmsOf(world).size, 0);
};

/** Some 290 points of an agent and twice as many of the manager, which take an hour. */
const ALL = process.env['MACFLEET_CRASH_POINTS'] === 'all';

describe('tart-kubelet on the Macs of a fleet, on the virtual clock', () => {
  it('004-5 joins, runs Pods, is replaced by its next release under running VMs, and leaves nothing behind', async () => {
    await playLife();
  });

  it('L11 whose agent is silent is known to be away within 50 s, and is Ready 15 s after it is back', async () => {
    const { world, until } = begin();
    const { kernel, operator, cloud } = world;
    const readyOf = (serverId: string): string | undefined =>
      operator
        .list(NODES)
        .find(({ spec }) => spec?.providerID?.endsWith(serverId))
        ?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    const [{ id } = { id: '' }] = cloud.servers();
    await until('all are ready', () => cloud.servers().every((server) => readyOf(server.id) === 'True'));
    // Of a Node that has just come a minute's silence is borne.
    const joinedMs = kernel.nowMs();
    await until('they are settled', () => kernel.nowMs() > joinedMs + 90_000);
    // Not in the moment of a heartbeat, which is what mostly happens: the fifty seconds are counted from that, and then told over the network.
    const diedMs = kernel.nowMs() + 5_000;
    kernel.schedule(5_000, 'the agent dies', () => kernel.kill(kubeletOn(id)));
    await until('it is away', () => readyOf(id) === 'Unknown', 1);
    assert.ok(kernel.nowMs() - diedMs <= 50_000, `${kernel.nowMs() - diedMs} ms`);
    const backMs = kernel.nowMs();
    kernel.restart(kubeletOn(id), 0);
    await until('it is back', () => readyOf(id) === 'True', 1);
    assert.ok(kernel.nowMs() - backMs <= 15_000, `${kernel.nowMs() - backMs} ms`);
  });

  const survives = async (actor: string, every: number): Promise<void> => {
    const kinds = ['before-effect', 'after-effect'] as const;
    const points = await forEachCrashPoint({ actor, kinds, every, restartAfterMs: 10_000 }, async (crash) => {
      const { kernel } = await playLife(crash === undefined ? {} : { crash });
      return kernel;
    });
    assert.ok(points > 1, `${points} crash points`);
  };

  it('F87 survives that the agent of a Mac is killed at any effect of that life', async () => {
    const [server] = createFleetWorld({ seed: 81, macs: MACS }).cloud.servers();
    await survives(kubeletOn(server?.id ?? ''), ALL ? 1 : 100);
  });

  it('survives that the manager is killed at any of its effects', () => survives('manager', ALL ? 1 : 500));

  it('S22 S23 S24 lives through storms between all and the API, with everybody killed again and again', async () => {
    const { world, until } = begin({ seed: 82, network: STORM });
    const { kernel } = world;
    kernel.setFaults('off');
    await until('all Macs are Nodes', () => readyMachines(world) === MACS);
    kernel.setFaults('on');
    submitWork(world);
    const actors = ['manager', 'controllers', ...world.cloud.servers().map(({ id }) => kubeletOn(id))];
    for (let blow = 0; blow < 12; blow += 1) {
      const victim = actors[kernel.choose('victim', actors.length)] ?? 'manager';
      kernel.schedule(kernel.choose('blow', 400_000), 'blow', () => kernel.restart(victim, 3_000));
    }
    world.upgrade('2');
    await until('the Job is done', () => jobsDone(world));
    kernel.setFaults('off');
    await goHome({ world, until });
  });
});
