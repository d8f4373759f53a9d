/** How runners end, and what is told of it: deaths are in the log once, and who was asked to leave did not die. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RUNNER_POOLS } from '../kinds/runner-pool.ts';
import { NODES, PODS } from '../kube/types/core.ts';
import { BUSY, LEAVING, OLD_IMAGE } from '../runners/testing/runner-pods.ts';
import { checkRest, die, isUp, openStage, type RunnersStage, runFor, runUntil } from './testing/runners-run.ts';

const deathsIn = ({ said }: RunnersStage): number => said.filter((line) => line.startsWith('Runner died')).length;

describe('an end', () => {
  const deletes = (stage: RunnersStage): number =>
    stage.writes.filter((write) => write.startsWith('delete pods')).length;

  it('is reported, with the time at which the container ended, before the Pod is deleted (§9.8-7, §7-42, S35)', async () => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    const name = stage.pods()[0]?.metadata.name ?? '';
    let deletedFirst = false;
    die(stage, name);
    await runUntil(stage, 'its Pod is gone', () => {
      deletedFirst ||= deletes(stage) > stage.dispatcher.stops.length;
      return stage.pods().every(({ metadata }) => metadata.name !== name);
    });
    assert.equal(deletedFirst, false);
    assert.deepEqual(stage.dispatcher.stops, [{ pod: name, endedAt: '2026-08-01T10:00:00Z' }]);
  });

  it('needs nobody to report to where there is none (§9.8-7)', async () => {
    const stage = openStage({
      ...{ macs: 1, pool: { replicas: 1 } },
      adjust: (ports) => ({ ...ports, sessions: 'none' }),
    });
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    const name = stage.pods()[0]?.metadata.name ?? '';
    die(stage, name);
    await runUntil(stage, 'its Pod is gone', () => stage.pods().every(({ metadata }) => metadata.name !== name));
    assert.deepEqual(stage.dispatcher.stops, []);
  });
});

describe('a guest that hangs when its job is done', () => {
  const openHung = async (labels: Readonly<Record<string, string>>): Promise<{ stage: RunnersStage; name: string }> => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    stage.dispatcher.guests = 'hang';
    await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
    stage.dispatcher.queue(1, 1_200_000);
    await runFor(stage, 5_000);
    assert.equal(stage.dispatcher.jobs[0]?.state, 'running');
    const name = stage.pods()[0]?.metadata.name ?? '';
    stage.world.operator.merge(PODS, name, { metadata: { labels } });
    return { stage, name };
  };

  for (const [story, labels] of [
    ['by itself', BUSY],
    ['after it was asked to leave while it was busy', { ...BUSY, ...LEAVING }],
  ] as const) {
    it(`has its VM ended ${story}, not before ten minutes are over, and never with a job (§7-46, S30)`, async () => {
      const { stage, name } = await openHung(labels);
      await runFor(stage, 1_190_000);
      assert.equal(stage.dispatcher.jobs[0]?.state, 'running');
      await runFor(stage, 500_000);
      assert.equal(stage.dispatcher.jobs[0]?.state, 'done');
      assert.deepEqual(
        stage.alive().map(({ metadata }) => metadata.name),
        [name],
      );
      await runUntil(
        ...([stage, 'another is up'] as const),
        () => isUp(stage, 1) && stage.pods().every(({ metadata }) => metadata.name !== name),
      );
      checkRest(stage);
    });
  }

  it('is left alone where the dispatcher cannot tell (§7-19)', async () => {
    const { stage, name } = await openHung(BUSY);
    await runFor(stage, 1_230_000);
    assert.equal(stage.dispatcher.jobs[0]?.state, 'done');
    stage.dispatcher.mood = 'down';
    await runFor(stage, 3_600_000);
    stage.dispatcher.mood = 'good';
    stage.dispatcher.states.set(stage.pods()[0]?.metadata.uid ?? '', 'unknown');
    await runFor(stage, 3_600_000);
    assert.deepEqual(
      stage.alive().map(({ metadata }) => metadata.name),
      [name],
    );
  });
});

describe('the log of the controller', () => {
  it('tells a death once, however often its report is tried, and the report is made once (§9.8-14, §7-43, S35)', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    const name = stage.pods()[0]?.metadata.name ?? '';
    stage.dispatcher.mood = 'down';
    die(stage, name);
    await runFor(stage, 600_000);
    assert.equal(deathsIn(stage), 1);
    assert.ok(stage.pods().some(({ metadata }) => metadata.name === name));
    stage.dispatcher.mood = 'good';
    await runUntil(stage, 'it is cleared away', () => stage.pods().every(({ metadata }) => metadata.name !== name));
    await runFor(stage, 300_000);
    assert.equal(deathsIn(stage), 1);
    assert.equal(stage.dispatcher.stops.filter(({ pod }) => pod === name).length, 1);
  });

  it('names a Mac on which runners die, which the next ones would rather avoid (R14 of the runners)', async () => {
    const stage = openStage({ macs: 1, pool: { replicas: 1 } });
    for (let deaths = 0; deaths < 3; deaths += 1) {
      await runUntil(stage, 'a runner is up', () => isUp(stage, 1));
      die(stage, stage.alive()[0]?.metadata.name ?? '');
    }
    await runUntil(stage, 'it goes there all the same, having no choice', () => isUp(stage, 1));
    die(stage, stage.alive()[0]?.metadata.name ?? '');
    await runUntil(stage, 'the next is there', () => isUp(stage, 1));
    assert.equal(stage.said.filter((line) => line.startsWith('Runners die on a Node')).length, 1);
    assert.match(JSON.stringify(stage.alive()[0]?.spec), /"NotIn","values":\["mac-1"\]/);
  });

  const retirements: readonly { readonly story: string; readonly retire: (stage: RunnersStage) => void }[] = [
    {
      story: 'for a smaller pool',
      retire: ({ world }) => world.operator.merge(RUNNER_POOLS, 'ci', { spec: { replicas: 0 } }),
    },
    {
      story: 'for another image',
      retire: ({ world }) => world.operator.merge(RUNNER_POOLS, 'ci', { spec: { image: OLD_IMAGE } }),
    },
    {
      story: 'for a drain',
      retire: ({ world }) => {
        for (const name of ['mac-1', 'mac-2', 'mac-3'])
          world.operator.merge(NODES, name, { spec: { unschedulable: true } });
      },
    },
    { story: 'with their pool', retire: ({ world }) => world.operator.remove(RUNNER_POOLS, 'ci') },
  ];
  for (const { story, retire } of retirements) {
    it(`calls no runner dead that left idle ${story}`, async () => {
      const stage = openStage();
      await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
      const first = new Set(stage.pods().map(({ metadata }) => metadata.name));
      retire(stage);
      await runUntil(stage, 'they left', () => stage.pods().every(({ metadata }) => !first.has(metadata.name)));
      await runFor(stage, 60_000);
      assert.equal(deathsIn(stage), 0);
    });
  }

  it('tells of a busy runner that somebody deletes, marked or not: its job died with it', async () => {
    const stage = openStage();
    await runUntil(stage, 'three runners are up', () => isUp(stage, 3));
    const [plain = '', marked = ''] = stage.pods().map(({ metadata }) => metadata.name);
    const labels = { 'tuist.dev/runner-pool-owner': 'acme' };
    stage.dispatcher.queue(3, 600_000);
    await runUntil(stage, 'all are busy', () => stage.dispatcher.jobs.every(({ state }) => state === 'running'));
    const leaving = { ...labels, 'tuist.dev/runner-operator-drain': 'true' };
    stage.world.operator.merge(PODS, plain, { metadata: { labels } });
    stage.world.operator.merge(PODS, marked, { metadata: { labels: leaving } });
    for (const name of [plain, marked]) stage.world.operator.remove(PODS, name);
    await runUntil(stage, 'they are replaced', () => isUp(stage, 3));
    assert.equal(deathsIn(stage), 2);
  });
});
