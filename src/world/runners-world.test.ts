/** The runners controller end to end on the embedded control plane and the virtual clock, with a plain dispatcher and plain Macs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LABELS } from '../kinds/labels.ts';
import { RUNNER_POOLS } from '../kinds/runner-pool.ts';
import { NODES, PODS } from '../kube/types/core.ts';
import { RUNNER_ROLES } from '../runners/roles.ts';
import { IMAGE, OLD_IMAGE } from '../runners/testing/runner-pods.ts';
import type { CrashPoint } from '../sim/kernel/actors.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import type { Kernel } from '../sim/kernel/kernel.ts';
import { RUNNERS_USER } from './identities.ts';
import {
  applyPool,
  checkRest,
  conditionOf,
  isUp,
  openStage,
  type RunnersStage,
  runFor,
  runUntil,
} from './testing/runners-run.ts';

const areDone = ({ dispatcher }: RunnersStage): boolean => dispatcher.jobs.every(({ state }) => state === 'done');

describe('a pool', () => {
  it('runs jobs, each once and to its end, and replaces every runner in the same second', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    stage.dispatcher.queue(12, 20_000);
    await runUntil(stage, 'all jobs are done', () => areDone(stage));
    await runUntil(stage, 'three runners are up again', () => isUp(stage, 3) && stage.pods().length === 3);
    await runFor(stage, 10_000);
    checkRest(stage);
    const stops = stage.dispatcher.stops.map(({ pod }) => pod);
    assert.equal(new Set(stops).size, stops.length, 'each stop is told once');
    assert.equal(stage.pool()?.status?.observedReplicas, 3);
    assert.equal(conditionOf(stage, 'Ready'), 'True Ready');
    assert.equal(conditionOf(stage, 'DrainHandshake'), 'True Known');
  });

  it('writes nothing while nothing happens (L21)', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    await runFor(stage, 30_000);
    const before = stage.writes.length;
    await runFor(stage, 900_000);
    assert.deepEqual(stage.writes.slice(before), []);
  });

  it('makes a replacement within a second of an end (L12)', async () => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    stage.dispatcher.queue(1, 5_000);
    await runUntil(stage, 'the job is done', () => areDone(stage));
    const doneMs = stage.world.kernel.nowMs();
    await runUntil(stage, 'there is another', () => stage.alive().length === 1);
    assert.ok(stage.world.kernel.nowMs() - doneMs <= 1_000, `${stage.world.kernel.nowMs() - doneMs} ms`);
  });

  it('rolls to another image without losing a job, although nobody labels busy runners (§9.8-3, §9.8-4, N8)', async () => {
    const stage = openStage({ pool: { replicas: 3, image: OLD_IMAGE, rollout: { maxConcurrentPercent: 40 } } });
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    const rolledAt = stage.pool()?.status?.imageRolledAt;
    stage.dispatcher.queue(2, 60_000);
    await runUntil(stage, 'both jobs run', () => stage.dispatcher.jobs.every(({ state }) => state === 'running'));
    const image = `ghcr.test/new@sha256:${'c'.repeat(64)}`;
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { image } });
    await runUntil(
      ...([stage, 'all are of the new image'] as const),
      () => isUp(stage, 3) && stage.alive().every(({ spec }) => spec.containers[0]?.image === image),
    );
    await runFor(stage, 10_000);
    checkRest(stage);
    assert.equal(stage.pool()?.status?.observedImage, image);
    assert.notEqual(stage.pool()?.status?.imageRolledAt, rolledAt);
  });

  it('gets smaller by idle runners alone (S30, S32)', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    stage.dispatcher.queue(2, 60_000);
    await runUntil(stage, 'both jobs run', () => stage.dispatcher.jobs.every(({ state }) => state === 'running'));
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 0 } });
    await runUntil(stage, 'the idle one is gone', () => stage.pods().length === 2);
    assert.equal(areDone(stage), false);
    await runUntil(stage, 'all are gone', () => stage.pods().length === 0);
    await runFor(stage, 10_000);
    checkRest(stage);
  });

  it('lets go of a Node that is drained: idle runners leave, the busy one ends its job (§9.8-8)', async () => {
    const stage = openStage({ macs: 2, pool: { replicas: 2 } });
    await runUntil(stage, 'two runners are up', () => isUp(stage, 2));
    stage.dispatcher.queue(1, 60_000);
    await runUntil(stage, 'the job runs', () => stage.dispatcher.jobs[0]?.state === 'running');
    for (const name of ['mac-1', 'mac-2']) stage.world.operator.merge(NODES, name, { spec: { unschedulable: true } });
    await runUntil(stage, 'the idle one left', () => isUp(stage, 1));
    assert.equal(areDone(stage), false);
    await runUntil(stage, 'no runner is on a Node', () =>
      stage.alive().every(({ spec }) => spec.nodeName === undefined),
    );
    await runFor(stage, 10_000);
    checkRest(stage);
  });

  it('that is deleted goes after its jobs (§9.8-5)', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    stage.dispatcher.queue(1, 60_000);
    await runUntil(stage, 'the job runs', () => stage.dispatcher.jobs[0]?.state === 'running');
    stage.world.operator.remove(RUNNER_POOLS, 'ci');
    await runUntil(stage, 'the idle ones are gone', () => stage.pods().length === 1);
    assert.notEqual(stage.pool(), undefined);
    assert.equal(areDone(stage), false);
    await runUntil(stage, 'the pool is gone', () => stage.pool() === undefined);
    await runFor(stage, 10_000);
    checkRest(stage);
  });

  it('remembers its last scale-down beyond all its runners and its controller (§7-47)', async () => {
    const autoscaling = { enabled: true, maxReplicas: 3, minWarmPoolFloor: 1, scaleDownCooldownSeconds: 900 };
    const stage = openStage({ pool: { replicas: 3, autoscaling } });
    await runUntil(stage, 'it got smaller', () => stage.pool()?.spec.replicas === 1 && stage.pods().length === 1);
    const downMs = stage.world.kernel.nowMs();
    stage.dispatcher.queue(3, 20_000);
    await runUntil(stage, 'it got larger', () => stage.pool()?.spec.replicas === 3);
    await runUntil(stage, 'all jobs are done', () => areDone(stage) && isUp(stage, 3));
    stage.world.kernel.restart('runners', 1_000);
    await runUntil(stage, 'it got smaller again', () => stage.pool()?.spec.replicas === 1);
    const tookMs = stage.world.kernel.nowMs() - downMs;
    assert.ok(tookMs >= 890_000, `${tookMs} ms`);
    assert.equal(conditionOf(stage, 'SoleController'), 'undefined undefined', 'its next life is no other controller');
  });

  it('follows its load up, and down after a while (§9.8-10)', async () => {
    const autoscaling = { enabled: true, maxReplicas: 3, minWarmPoolFloor: 1, scaleDownCooldownSeconds: 60 };
    const stage = openStage({ pool: { replicas: 0, autoscaling } });
    await runUntil(stage, 'the floor is up', () => isUp(stage, 1));
    stage.dispatcher.queue(6, 30_000);
    await runUntil(stage, 'three runners', () => stage.pool()?.spec.replicas === 3);
    await runUntil(stage, 'all jobs are done', () => areDone(stage));
    await runUntil(stage, 'one runner is left', () => stage.pods().length === 1 && stage.pool()?.spec.replicas === 1);
    await runFor(stage, 10_000);
    checkRest(stage);
  });
});

describe('a dispatcher', () => {
  it('that knows only the original protocol: runners end when they ask, and the pool says so', async () => {
    const stage = openStage({ macs: 2 });
    stage.dispatcher.protocol = 1;
    // The third finds no Mac.
    await runUntil(stage, 'two runners are up', () => isUp(stage, 2) && stage.alive().length === 3);
    stage.dispatcher.queue(1, 60_000);
    await runUntil(stage, 'the job runs', () => stage.dispatcher.jobs[0]?.state === 'running');
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 0 } });
    await runUntil(stage, 'only the busy one is left', () => stage.alive().length === 1);
    const deletes = stage.writes.filter((write) => write.startsWith('delete pods')).length;
    assert.equal(conditionOf(stage, 'DrainHandshake'), 'False OriginalProtocol');
    assert.ok(deletes >= 1, 'what had no VM was deleted');
    await runUntil(stage, 'all are gone', () => stage.pods().length === 0);
    await runFor(stage, 130_000);
    checkRest(stage);
  });

  for (const [mood, minutes] of [
    ['down', 3],
    ['html', 3],
    [401, 60],
  ] as const) {
    it(`that answers ${mood} for ${minutes} min: nobody is deleted, jobs go on, and every end is told afterwards (S35, F98)`, async () => {
      const autoscaling = { enabled: true, maxReplicas: 3, minWarmPoolFloor: 1 };
      const stage = openStage({ pool: { replicas: 3, autoscaling } });
      stage.dispatcher.queue(2, 60_000);
      await runUntil(stage, 'both jobs run', () => stage.dispatcher.jobs.every(({ state }) => state === 'running'));
      stage.dispatcher.mood = mood;
      stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { image: OLD_IMAGE } });
      await runUntil(stage, 'the jobs are done', () => areDone(stage));
      await runFor(stage, minutes * 60_000);
      assert.equal(stage.writes.filter((write) => write.startsWith('delete pods')).length, 0);
      assert.match(conditionOf(stage, 'DispatcherReady'), /^False Dispatcher(Denied|Strange|Unreachable)$/);
      assert.match(conditionOf(stage, 'Scaling'), /^False Signals(Denied|Strange|Unavailable)$/);
      stage.dispatcher.mood = 'good';
      await runUntil(stage, 'the dispatcher is well', () => conditionOf(stage, 'DispatcherReady') === 'True Answering');
      await runUntil(...([stage, 'all are of the new image'] as const), () =>
        stage.pods().every(({ spec }) => spec.containers[0]?.image === OLD_IMAGE),
      );
      await runFor(stage, 400_000);
      checkRest(stage);
    });
  }
});

describe('bad input', () => {
  it('signals that are negative or stale: said, and replicas stay as they are', async () => {
    const autoscaling = { enabled: true, maxReplicas: 3, minWarmPoolFloor: 1, scaleDownCooldownSeconds: 0 };
    const stage = openStage({ pool: { replicas: 1, autoscaling } });
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    for (const bad of ['negative', 'stale'] as const) {
      stage.dispatcher.signals = bad;
      stage.dispatcher.queue(1, 5_000);
      await runFor(stage, 120_000);
      assert.equal(conditionOf(stage, 'Scaling'), 'False SignalsStrange', bad);
      assert.equal(stage.pool()?.spec.replicas, 1, bad);
      stage.dispatcher.signals = 'good';
      await runUntil(stage, 'they are good again', () => conditionOf(stage, 'Scaling') === 'True Automatic');
    }
    await runFor(stage, 60_000);
    checkRest(stage);
  });

  it('two controllers that both act, as if there were no lease: none is made twice, and no job is lost (F97, S33)', async () => {
    const stage = openStage({
      ...{ controllers: ['runners', 'runners-2'], pool: { replicas: 3, image: OLD_IMAGE } },
      adjust: ({ lease: _lease, ...ports }) => ports,
    });
    const { operator, kernel } = stage.world;
    stage.dispatcher.queue(6, 20_000);
    kernel.schedule(30_000, 'a roll', () => operator.merge(RUNNER_POOLS, 'ci', { spec: { image: IMAGE } }));
    kernel.schedule(90_000, 'smaller', () => operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 1 } }));
    let peak = 0;
    await runUntil(stage, 'all is done', () => {
      peak = Math.max(peak, stage.alive().length);
      return kernel.nowMs() > 90_000 && areDone(stage) && isUp(stage, 1) && stage.pods().length === 1;
    });
    assert.equal(peak, 3);
    await runFor(stage, 200_000);
    checkRest(stage);
    assert.equal(conditionOf(stage, 'SoleController'), 'False AnotherController');
    kernel.kill('runners-2');
    await runFor(stage, 900_000);
    const before = stage.writes.length;
    await runFor(stage, 900_000);
    assert.deepEqual(stage.writes.slice(before), [], 'a pool that says so is as quiet as any');
    stage.dispatcher.queue(1, 5_000);
    await runUntil(stage, 'it is alone', () => conditionOf(stage, 'SoleController') === 'True Alone');
  });

  it('a controller that starts with an old view of Pods looks again before it makes any (F65, S33)', async () => {
    const stage = openStage({
      ...{ controllers: ['runners', 'runners-2'] },
      adjust: ({ lease: _lease, ...ports }) => ports,
    });
    stage.world.apiTrouble.watches.trouble({ is: 'lag', lagMs: 60_000 }, { actor: 'runners-2', kind: 'pods' });
    let peak = 0;
    await runUntil(stage, 'three runners are up', () => {
      peak = Math.max(peak, stage.alive().length);
      return isUp(stage, 3);
    });
    assert.equal(peak, 3);
  });

  it('a linux pool is refused, and nothing of it is touched', async () => {
    const stage = openStage({ pool: { replicas: 3, os: 'linux' } });
    await runFor(stage, 60_000);
    assert.equal(conditionOf(stage, 'Accepted'), 'False UnsupportedOS');
    assert.equal(stage.pods().length, 0);
    assert.equal(stage.pool()?.metadata.finalizers, undefined);
    stage.world.operator.remove(RUNNER_POOLS, 'ci');
    await runUntil(stage, 'it is gone', () => stage.pool() === undefined);
  });

  it('a pool that is paused is left alone, also its runners that are to leave (§7-9)', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await runUntil(stage, 'it says so', () => conditionOf(stage, 'Paused') === 'True Paused');
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 1 } });
    await runFor(stage, 60_000);
    assert.equal(stage.alive().length, 3);
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await runUntil(stage, 'it goes on', () => stage.pods().length === 1);
    assert.equal(conditionOf(stage, 'Paused'), 'False NotPaused');
  });

  it('a fleet that does not exist, with a floor above the maximum: both are said', async () => {
    const autoscaling = { enabled: true, maxReplicas: 1, minWarmPoolFloor: 4 };
    const stage = openStage({ pool: { replicas: 1, fleetSelector: 'm9', image: 'ghcr.test/r:latest', autoscaling } });
    await runFor(stage, 60_000);
    assert.equal(conditionOf(stage, 'FleetReady'), 'False FleetNotFound');
    assert.equal(conditionOf(stage, 'Scaling'), 'False MaxReplicasBelowFloor');
    assert.equal(conditionOf(stage, 'ImagePinned'), 'False NoDigest');
    assert.equal(stage.alive().length, 1);
  });

  it('a zero stays a zero, in the cluster and in what is done about it (§7-33, §9.8-16)', async () => {
    const autoscaling = { enabled: true, maxReplicas: 3, minWarmPoolFloor: 0, scaleDownCooldownSeconds: 0 };
    const stage = openStage({ pool: { replicas: 0, autoscaling, idleTimeoutSeconds: 0 } });
    await runFor(stage, 60_000);
    assert.equal(stage.pods().length, 0);
    stage.dispatcher.queue(1, 20_000);
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    await runUntil(stage, 'none is left', () => areDone(stage) && stage.pods().length === 0);
    await runFor(stage, 60_000);
    const { spec } = stage.pool() ?? assert.fail();
    assert.deepEqual([spec.replicas, spec.idleTimeoutSeconds, spec.autoscaling], [0, 0, autoscaling]);
    assert.equal(stage.pods().length, 0);
    checkRest(stage);
  });

  it('autoscaling without a maximum: idle runners go home, busy ones end their jobs, and the pool says so (R1, §9.8-11)', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    stage.dispatcher.queue(2, 3_000_000);
    await runUntil(stage, 'both jobs run', () => stage.dispatcher.jobs.every(({ state }) => state === 'running'));
    const busy = stage.dispatcher.jobs.flatMap(({ by }) => by).toSorted();
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { autoscaling: { enabled: true } } });
    await runUntil(stage, 'the idle one is gone', () => stage.pods().length === 2);
    assert.equal(conditionOf(stage, 'Scaling'), 'False MaxReplicasZero');
    const told = stage.pool()?.status?.conditions?.find(({ type }) => type === 'Scaling')?.message ?? '';
    assert.match(told, /maxReplicas is 0, as it is unless set/);
    await runFor(stage, 300_000);
    assert.deepEqual(
      stage
        .alive()
        .map(({ metadata }) => metadata.name)
        .toSorted(),
      busy,
    );
    assert.ok(stage.dispatcher.jobs.every(({ state }) => state === 'running'));
    await runUntil(stage, 'none is left', () => areDone(stage) && stage.pods().length === 0);
    const autoscaling = { enabled: true, maxReplicas: 3, minWarmPoolFloor: 2 };
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { autoscaling } });
    await runUntil(stage, 'a maximum brings them back', () => isUp(stage, 2));
    checkRest(stage);
  });

  it('a runner that a person takes away by force is told of, and replaced', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    const name = stage.pods()[0]?.metadata.name ?? '';
    stage.world.operator.merge(PODS, name, { metadata: { finalizers: [] } });
    stage.world.operator.force(PODS, name);
    await runUntil(stage, 'another is up', () => isUp(stage, 3));
    await runFor(stage, 150_000);
    assert.ok(stage.dispatcher.stops.some(({ pod }) => pod === name));
    checkRest(stage);
  });

  it('a person asks one runner to leave: it does, when it is idle', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    const name = stage.pods()[0]?.metadata.name ?? '';
    stage.world.operator.merge(PODS, name, { metadata: { labels: { [LABELS.runnerOperatorDrain]: 'true' } } });
    await runUntil(
      stage,
      'it is replaced',
      () => isUp(stage, 3) && stage.pods().every(({ metadata }) => metadata.name !== name),
    );
  });

  it('two pools on one fleet keep apart', async () => {
    const stage = openStage({ pool: { replicas: 1 } });
    applyPool(stage.world, 'other', { replicas: 2 });
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    stage.world.operator.merge(RUNNER_POOLS, 'other', { spec: { replicas: 0 } });
    await runUntil(stage, 'the other is empty', () => stage.pods().length === 1);
    assert.equal(stage.pods()[0]?.metadata.labels?.[LABELS.runnerPool], 'ci');
  });
});

describe('the rights of the controller (S40)', () => {
  /** What no request of this story shows, and why it is needed all the same. */
  const DECLARED = [
    // Only a Node that is gone lets a Pod be forced away, and another controller is looked for before the start.
    ...['get /nodes', 'list coordination.k8s.io/leases'],
    // What happens again is counted.
    'patch /events',
  ];

  it('are all used in a story of jobs, a death and a scale-down, or declared', async () => {
    const used = new Set<string>();
    const stage = openStage({
      observer: {
        onRequest: ({ attempt }) => {
          if (attempt.on !== 'resource' || attempt.user.name !== RUNNERS_USER.name) return;
          const { verb, group, resource, subresource } = attempt;
          used.add(`${verb} ${group}/${resource}${subresource === '' ? '' : `/${subresource}`}`);
        },
      },
    });
    stage.dispatcher.queue(1, 10_000);
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3) && areDone(stage));
    const [died] = stage.pods();
    stage.world.operator.mergeStatus(PODS, died?.metadata.name ?? '', { status: { phase: 'Failed' } });
    await runUntil(stage, 'it is replaced', () => isUp(stage, 3));
    stage.world.operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 0 } });
    await runUntil(stage, 'all are gone', () => stage.pods().length === 0);
    await runFor(stage, 150_000);
    assert.deepEqual(stage.world.forbidden, []);
    const granted = Object.values(RUNNER_ROLES)
      .flatMap(({ rules }) => rules)
      .flatMap(({ apiGroups = [], resources = [], verbs }) =>
        verbs.flatMap((verb) => resources.map((resource) => `${verb} ${apiGroups.join()}/${resource}`)),
      );
    assert.deepEqual(granted.filter((right) => !used.has(right)).toSorted(), DECLARED.toSorted());
  });
});

/** Some 300 points; MACFLEET_CRASH_POINTS=all tries each of them. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 25;

describe('the controller, killed', () => {
  it('anywhere in a story of jobs, a roll and a scale-down: no job is lost, no runner too many, every end told (S30, S33, S35)', async () => {
    const play = async (crash: CrashPoint | undefined): Promise<Kernel> => {
      const stage = openStage({
        ...{ macs: 2, pool: { replicas: 2, image: OLD_IMAGE } },
        ...(crash === undefined ? {} : { crash }),
      });
      const { operator, kernel } = stage.world;
      stage.dispatcher.queue(3, 20_000);
      kernel.schedule(15_000, 'a roll', () => operator.merge(RUNNER_POOLS, 'ci', { spec: { image: IMAGE } }));
      kernel.schedule(70_000, 'smaller', () => operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 1 } }));
      const isOver = (): boolean =>
        kernel.nowMs() > 70_000 && areDone(stage) && stage.pods().length === 1 && isUp(stage, 1);
      let peak = 0;
      await runUntil(stage, 'all is done', () => {
        peak = Math.max(peak, stage.alive().length);
        return isOver();
      });
      assert.ok(peak <= 2, `${peak} runners at once`);
      await runFor(stage, 200_000);
      checkRest(stage);
      return kernel;
    };
    const points = await forEachCrashPoint({ actor: 'runners', restartAfterMs: 2_000, every: EVERY }, play);
    assert.ok(points > 5, `${points} crash points`);
  });
});
