/** Runners end to end: controller, tart-kubelet, guests and dispatcher, through rolls, drains, scale-downs, crashes and storms. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RUNNER_POOLS } from '../kinds/runner-pool.ts';
import { NODES, PODS } from '../kube/types/core.ts';
import { IMAGE, OLD_IMAGE } from '../runners/testing/runner-pods.ts';
import { createRunnerFleet, type RunnerFleet, type RunnerFleetOptions } from './runner-fleet.ts';
import { applyPool } from './testing/runners-run.ts';

const open = (options: Partial<RunnerFleetOptions> = {}): RunnerFleet => {
  const fleet = createRunnerFleet({
    ...{ seed: 1, macs: 3, images: [IMAGE, OLD_IMAGE], aliveMax: 3, traceLines: 0 },
    ...options,
  });
  applyPool(fleet.world, 'ci', { replicas: 3, image: OLD_IMAGE });
  return fleet;
};

const BOUNDS = { maxEvents: 600_000, maxVirtualMs: 3_600_000 };

const runUntil = async (fleet: RunnerFleet, what: string, until: () => boolean): Promise<void> => {
  const { kernel } = fleet.world;
  let told = -1;
  const { outcome } = await kernel.run({
    ...BOUNDS,
    until: () => {
      const now = fleet.dispatch.record().length + fleet.world.store.revision;
      if (now === told) return false;
      told = now;
      return until();
    },
  });
  const pods = podsOf(fleet).map(({ metadata, status, spec }) => [metadata.name, status?.phase, spec.nodeName]);
  assert.equal(
    outcome,
    'until',
    `never: ${what}\n${JSON.stringify(pods)}\n${kernel.dump().split('\n').slice(-30).join('\n')}`,
  );
};

const poolOf = ({ world }: RunnerFleet) => world.operator.list(RUNNER_POOLS)[0];
const podsOf = ({ world }: RunnerFleet) => world.operator.listOwn(PODS);
const isRunning = (fleet: RunnerFleet, count: number): boolean =>
  podsOf(fleet).filter(({ status }) => status?.phase === 'Running').length === count;
const areOver = ({ dispatch }: RunnerFleet): boolean =>
  dispatch.jobs().every(({ conclusion }) => conclusion === 'success');
const queue = ({ dispatch }: RunnerFleet, count: number, durationMs: number): void => {
  for (let at = 0; at < count; at += 1) dispatch.queue({ pool: 'ci', durationMs });
};
/** None of the labels by which busy runners are known arrives (F96b). */
const loseLabels = ({ dispatch }: RunnerFleet): void => dispatch.switchOn('F96b', { count: 10_000 });
const merge = ({ world }: RunnerFleet, spec: object): void => world.operator.merge(RUNNER_POOLS, 'ci', { spec });

/** As deploy/runners/eviction-budget.yaml has it. */
const applyBudget = ({ world }: RunnerFleet): void =>
  world.operator.create('/apis/policy/v1/namespaces/tuist-runners/poddisruptionbudgets', {
    metadata: { name: 'runners' },
    spec: { minAvailable: 1_000_000, selector: { matchLabels: { 'tuist.dev/runner': 'true' } } },
  });

/** Throws when a budget forbids it. */
const evict = ({ world }: RunnerFleet, name: string): void => {
  const path = `/api/v1/namespaces/tuist-runners/pods/${name}/eviction`;
  world.operator.create(path, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
};

const breachesOf = ({ checker, dispatch }: RunnerFleet): readonly string[] =>
  checker.judge(dispatch.record()).map(({ promise, message }) => `${promise} ${message}`);

/** Everything the judges know, while it happened and when all is at rest; and what our identities asked without the right to. */
const judge = async (fleet: RunnerFleet): Promise<void> => {
  await fleet.world.kernel.run({ ...BOUNDS, maxVirtualMs: 900_000 });
  assert.deepEqual(breachesOf(fleet), []);
  assert.deepEqual(fleet.checker.atRest(fleet.world.kernel.actor('world').clock.now()), []);
  assert.deepEqual(fleet.world.forbidden, []);
};

/** Jobs through a roll, the drain of a Mac and a scale-down. */
const playDay = async (options: Partial<RunnerFleetOptions> = {}): Promise<RunnerFleet> => {
  const fleet = open(options);
  const { operator, kernel } = fleet.world;
  loseLabels(fleet);
  queue(fleet, 6, 40_000);
  kernel.schedule(60_000, 'a roll', () => merge(fleet, { image: IMAGE }));
  kernel.schedule(90_000, 'a drain', () => operator.merge(NODES, 'mac-1', { spec: { unschedulable: true } }));
  kernel.schedule(150_000, 'back', () => operator.merge(NODES, 'mac-1', { spec: { unschedulable: false } }));
  kernel.schedule(200_000, 'smaller', () => merge(fleet, { replicas: 1 }));
  kernel.schedule(230_000, 'larger', () => merge(fleet, { replicas: 2 }));
  await runUntil(
    ...([fleet, 'all jobs are done, and two new runners are up'] as const),
    () => kernel.nowMs() > 240_000 && areOver(fleet) && podsOf(fleet).length === 2 && isRunning(fleet, 2),
  );
  return fleet;
};

describe('runners on Macs', () => {
  it('run every job once and to its end, through a roll, a drain and a scale-down, although labels are lost (S30–S35)', async () => {
    const fleet = await playDay();
    for (const { spec } of podsOf(fleet)) assert.equal(spec.containers[0]?.image, IMAGE);
    await judge(fleet);
  });

  it('the same with two controllers, of which one is killed and the other takes over (F97)', async () => {
    const fleet = open({ controllers: ['runners', 'runners-2'] });
    loseLabels(fleet);
    queue(fleet, 6, 40_000);
    const { kernel } = fleet.world;
    kernel.schedule(70_000, 'a roll', () => merge(fleet, { image: IMAGE }));
    for (const [at, name] of ['runners', 'runners-2', 'runners', 'runners-2'].entries())
      kernel.schedule(65_000 + at * 30_000, `kill ${name}`, () => kernel.restart(name, 5_000));
    await runUntil(
      ...([fleet, 'all is done'] as const),
      () =>
        areOver(fleet) && isRunning(fleet, 3) && podsOf(fleet).every(({ spec }) => spec.containers[0]?.image === IMAGE),
    );
    await judge(fleet);
  });

  it('with a dispatcher that knows the original protocol only (S30, S35)', async () => {
    await judge(await playDay({ protocol: 1 }));
  });

  it('kubectl drain of a Mac in the middle loses no job, where a budget covers runners (§7-41)', async () => {
    const fleet = open();
    const { operator, kernel } = fleet.world;
    loseLabels(fleet);
    applyBudget(fleet);
    queue(fleet, 2, 60_000);
    const areRunning = (): boolean => fleet.dispatch.jobs().every(({ state }) => state === 'running');
    await runUntil(fleet, 'both run', () => areRunning() && isRunning(fleet, 3));
    for (const name of ['mac-1', 'mac-2', 'mac-3']) operator.merge(NODES, name, { spec: { unschedulable: true } });
    const refused: string[] = [];
    let isDrained = false;
    const onMacs = () => podsOf(fleet).filter(({ spec }) => spec.nodeName !== undefined);
    const evictAll = (): void => {
      if (isDrained) return;
      for (const { metadata } of onMacs()) {
        try {
          evict(fleet, metadata.name);
        } catch (error) {
          refused.push(String(error));
        }
      }
      kernel.schedule(5_000, 'drain goes on', evictAll);
    };
    evictAll();
    await runUntil(fleet, 'the Macs are drained', () => {
      isDrained = onMacs().length === 0;
      return isDrained;
    });
    assert.ok(refused.length > 0);
    assert.ok(areOver(fleet));
    for (const name of ['mac-1', 'mac-2', 'mac-3']) operator.merge(NODES, name, { spec: { unschedulable: false } });
    await judge(fleet);
  });

  it('a runner that is not known to run gets no job: whoever drains may evict it, whatever a budget says (§7-41)', async () => {
    const fleet = open({ macs: 1 });
    const { operator, kernel, apiTrouble } = fleet.world;
    applyBudget(fleet);
    merge(fleet, { replicas: 1 });
    queue(fleet, 1, 60_000);
    const isBegun = (): boolean => podsOf(fleet).some(({ metadata }) => metadata.finalizers !== undefined);
    await runUntil(fleet, 'a VM begins', isBegun);
    apiTrouble.refuseWrites('broken', 10_000, { actor: 'kubelet-mac-1', kind: 'pods' });
    const [begun = assert.fail()] = podsOf(fleet).filter(({ metadata }) => metadata.finalizers !== undefined);
    // Its guest is up and asks, and its agent cannot say so yet.
    await kernel.run({ ...BOUNDS, maxVirtualMs: 15_000 });
    assert.equal(fleet.dispatch.jobs()[0]?.state, 'queued');
    assert.equal(podsOf(fleet).find(({ metadata }) => metadata.uid === begun.metadata.uid)?.status?.phase, 'Pending');
    evict(fleet, begun.metadata.name);
    apiTrouble.end();
    operator.merge(NODES, 'mac-1', { spec: { unschedulable: true } });
    await runUntil(fleet, 'it is gone', () =>
      podsOf(fleet).every(({ metadata }) => metadata.uid !== begun.metadata.uid),
    );
    operator.merge(NODES, 'mac-1', { spec: { unschedulable: false } });
    await runUntil(fleet, 'the job is done', () => areOver(fleet));
    await judge(fleet);
  });

  it('a free Mac gets its VM within 5 s and the time of a boot (L12)', async () => {
    const fleet = open({ macs: 1 });
    await runUntil(fleet, 'a runner is up', () => isRunning(fleet, 1));
    queue(fleet, 1, 10_000);
    await runUntil(fleet, 'the job is done', () => areOver(fleet));
    const doneMs = fleet.world.kernel.nowMs();
    await runUntil(
      fleet,
      'another runs',
      () => isRunning(fleet, 1) && podsOf(fleet).some(({ status }) => status?.phase === 'Succeeded') === false,
    );
    const tookMs = fleet.world.kernel.nowMs() - doneMs;
    assert.ok(tookMs < 20_000, `${tookMs} ms`);
  });

  it('a mutant that deletes without asking the dispatcher kills a job, and the judge sees it (N8)', async () => {
    const fleet = open({
      adjust: (ports) => ({
        ...ports,
        ...(ports.dispatcher && {
          dispatcher: { ...ports.dispatcher, drain: async () => ({ protocol: 2, state: 'idle', refused: true }) },
        }),
      }),
    });
    loseLabels(fleet);
    queue(fleet, 3, 120_000);
    await runUntil(fleet, 'all run', () => fleet.dispatch.jobs().every(({ state }) => state === 'running'));
    merge(fleet, { replicas: 0 });
    await fleet.world.kernel.run({ ...BOUNDS, maxVirtualMs: 60_000 });
    assert.match(breachesOf(fleet).join('\n'), /S30 .* is deleted while running/);
  });

  it('a mutant that makes runners which are not on record makes too many, and the judge sees it (N14)', async () => {
    const fleet = open({
      adjust: (ports) => ({
        ...ports,
        client: {
          ...ports.client,
          create: (resource, object, options) => {
            const name = `${object.metadata.name}${resource.kind === 'Pod' ? ports.ids.suffix(4) : ''}`;
            return ports.client.create(resource, { ...object, metadata: { ...object.metadata, name } }, options);
          },
        },
      }),
    });
    await runUntil(fleet, 'they are on record', () => (poolOf(fleet)?.status?.creating?.length ?? 0) > 0);
    fleet.world.apiTrouble.refuseWrites('broken', 40, { actor: 'runners', kind: 'runnerpools' });
    await fleet.world.kernel.run({ ...BOUNDS, maxVirtualMs: 60_000 });
    assert.match(breachesOf(fleet).join('\n'), /S33/);
  });
});

describe('runners in trouble', () => {
  const faults = { 'fail-before': 0.04, 'fail-after': 0.04, 'late-effect': 0.01, 'late-answer': 0.01 };
  const network = { sites: { kube: { faults }, dispatch: { faults } } };

  for (const seed of [1, 2]) {
    it(`storms on the way to API and dispatcher, the controller killed again and again: seed ${seed}`, async () => {
      const fleet = open({ seed, network, aliveMax: 3 });
      const { kernel } = fleet.world;
      queue(fleet, 6, 30_000);
      kernel.schedule(60_000, 'a roll', () => merge(fleet, { image: IMAGE }));
      for (let blow = 0; blow < 4; blow += 1)
        kernel.schedule(10_000 + kernel.choose('blow', 200_000), 'blow', () => kernel.restart('runners', 3_000));
      await kernel.run({ ...BOUNDS, maxVirtualMs: 240_000 });
      kernel.setFaults('off');
      await runUntil(fleet, 'all is done', () => areOver(fleet) && isRunning(fleet, 3));
      await judge(fleet);
    });
  }
});
