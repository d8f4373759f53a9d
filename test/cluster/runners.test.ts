/**
 * Runners on a real Kubernetes, whole: a pool of six on three Macs gets 200 jobs through an image roll, a drained Mac and a controller that is
 * killed. Every job runs once and to its end, and nothing is left behind: judged by what the dispatcher and the API server saw.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { RUNNER_POOLS } from '../../src/kinds/runner-pool.ts';
import { SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import { isAlive, isRunning, isStale } from '../../src/runners/runner-pod.ts';
import { IMAGE } from '../../src/runners/testing/runner-pods.ts';
import { createRecordChecker } from '../../src/sim/dispatch/check-record.ts';
import type { SimJob } from '../../src/sim/dispatch/sim-job.ts';
import { createJobFeed, type JobFeed } from './runners/job-feed.ts';
import { POOL, POOL_FILE, POOL_SIZE, RUNNERS_NAMESPACE, renderPoolPatch } from './runners/runner-objects.ts';
import { openRunnerScene, type RunnerScene } from './runners/runner-scene.ts';

const JOBS = 200;
/** A part begins when so many jobs have ended, and queues no more than so many in all, so that there is work in the next one too. */
const PARTS = { roll: [30, 80], drain: [70, 140], kill: [130, JOBS] } as const;
/** The job that a Mac is drained under. */
const LONG_MS = 5_000;

const aliveOf = ({ pods }: RunnerScene): readonly Pod[] => pods().filter(isAlive);
const endedOf = ({ dispatch }: RunnerScene): readonly SimJob[] =>
  dispatch.jobs().filter(({ endedAtMs }) => endedAtMs !== undefined);
const jobOf = ({ dispatch }: RunnerScene, wanted: number): SimJob | undefined =>
  dispatch.jobs().find(({ id }) => id === wanted);

const begin = async (scene: RunnerScene, feed: JobFeed, [ended, most]: readonly [number, number]): Promise<void> => {
  feed.allow(most);
  await scene.until(`${ended} jobs have ended`, () => endedOf(scene).length >= ended);
};

const nodeOf = ({ pods }: RunnerScene, name: string | undefined): string | undefined =>
  pods().find(({ metadata }) => metadata.name === name)?.spec.nodeName;

/** Two on each Mac, and the pool says so. */
const areUp = async (scene: RunnerScene): Promise<void> => {
  const { park, until, kubectl } = scene;
  await kubectl(`apply -f ${POOL_FILE}`);
  await kubectl(`patch rpool ${POOL} --type=merge -p ${JSON.stringify(renderPoolPatch(park.fleet))}`);
  scene.startController();
  await until('six runners run', () => scene.pods().filter(isRunning).length === POOL_SIZE);
  for (const { nodeName } of park.macs)
    assert.equal(scene.pods().filter(({ spec }) => spec.nodeName === nodeName).length, 2);
  await kubectl(`wait --for=condition=Ready --timeout=60s rpool/${POOL}`);
  await kubectl(`wait --for=jsonpath={.status.observedReplicas}=${POOL_SIZE} --timeout=60s rpool/${POOL}`);
  const [columns, line] = (await kubectl('get rpool')).split('\n');
  assert.match(columns ?? '', /^NAME +REPLICAS +OBSERVED +DISPATCHLABEL +AGE$/);
  assert.match(line ?? '', /^ci +6 +6 +tuist-macos +\d\S+$/);
};

/** Read from the agent of its Mac, by way of the API server, before the Pod is deleted. */
const tellsLastWords = async (scene: RunnerScene): Promise<void> => {
  const [pod] = scene.pods().filter(isRunning);
  const { name = '' } = pod?.metadata ?? {};
  assert.ok(pod);
  scene.park.macOf(pod.spec.nodeName).killVm(pod);
  const told = await scene.until('its death is in the log', () =>
    scene
      .controllerLog()
      .split('\n')
      .find((line) => line.includes('Runner died') && line.includes(name)),
  );
  assert.match(told, /"Runner died"/, 'and its log could be read');
  assert.match(told, /waiting for a job/, 'these are words of the guest');
  await scene.until('another took its place', () => {
    const running = aliveOf(scene).filter(isRunning);
    return running.length === POOL_SIZE && running.every(({ metadata }) => metadata.name !== name);
  });
};

const isRolled = async (scene: RunnerScene, feed: JobFeed): Promise<void> => {
  await begin(scene, feed, PARTS.roll);
  await scene.kubectl(`patch rpool ${POOL} --type=merge -p {"spec":{"image":"${IMAGE}"}}`);
  await scene.until('all runners are of the new image', () => {
    const alive = aliveOf(scene);
    return alive.length === POOL_SIZE && alive.every((pod) => !isStale(pod, IMAGE));
  });
};

/** Under a job: kubectl waits for it, and for the idle runner beside it. */
const isDrained = async (scene: RunnerScene, feed: JobFeed): Promise<void> => {
  await begin(scene, feed, PARTS.drain);
  const { id } = feed.queueLong(LONG_MS);
  const { pod, node } = await scene.until('the long job runs', () => {
    const { startedAtMs, runner } = jobOf(scene, id) ?? {};
    const on = nodeOf(scene, runner?.pod);
    return startedAtMs !== undefined && on !== undefined && { pod: runner?.pod, node: on };
  });
  const said = await scene.kubectl(`drain ${node} --timeout=140s`);
  assert.match(said, new RegExp(`node/${node} drained`));
  assert.equal(jobOf(scene, id)?.conclusion, 'success', 'its runner was left alone');
  await scene.until('and is gone', () => nodeOf(scene, pod) === undefined);
  await scene.kubectl(`uncordon ${node}`);
  await scene.until('the Mac has runners again', () =>
    scene.pods().some((pod) => pod.spec.nodeName === node && isRunning(pod)),
  );
};

/** In the moment a job has ended: its runner's end is not told yet. */
const survivesKill = async (scene: RunnerScene, feed: JobFeed): Promise<void> => {
  await begin(scene, feed, PARTS.kill);
  await scene.nextEnd();
  await scene.killController();
  const open = scene.dispatch.sessions().filter(({ endedAtMs }) => endedAtMs === undefined);
  assert.ok(open.length > 0, 'somebody has to be told of');
  scene.startController();
  await scene.until('the ends that nobody told are told', () => {
    const left = scene.dispatch.sessions().filter(({ endedAtMs }) => endedAtMs === undefined);
    return open.every(({ uid }) => left.every((session) => session.uid !== uid));
  });
};

const allRan = async (scene: RunnerScene): Promise<void> => {
  const { dispatch } = scene;
  await scene.until('all jobs are done', () => endedOf(scene).length === JOBS);
  const jobs = dispatch.jobs();
  assert.ok(jobs.every(({ conclusion }) => conclusion === 'success'));
  assert.equal(new Set(jobs.map(({ runner }) => runner?.uid)).size, JOBS, 'each in a VM of its own');
  const started = dispatch.record().filter(({ event }) => event === 'started');
  assert.equal(started.length, JOBS, 'each once');
};

const nothingIsLeft = async (scene: RunnerScene): Promise<void> => {
  const { dispatch, kubectl, park } = scene;
  const { client, signal } = park;
  assert.match(await kubectl(`delete rpool ${POOL} --timeout=140s`), /deleted/);
  await scene.until('its runners are gone', () => scene.pods().length === 0);
  await scene.until('their accounts too', async () => {
    const within = { namespace: RUNNERS_NAMESPACE, labelSelector: `tuist.dev/runner-pool=${POOL}`, signal };
    return (await client.list(SERVICE_ACCOUNTS, within)).items.length === 0;
  });
  assert.deepEqual((await client.list(RUNNER_POOLS, { namespace: RUNNERS_NAMESPACE, signal })).items, []);
  assert.deepEqual(
    dispatch.sessions().filter(({ endedAtMs }) => endedAtMs === undefined),
    [],
  );
  assert.deepEqual(dispatch.registrations(), []);
};

/** Whoever deletes a runner is judged: kubectl drain must not have killed one at work either. */
const isClean = ({ dispatch, controllerLog }: RunnerScene): void => {
  const checker = createRecordChecker({ isFleet: () => true, aliveMax: () => POOL_SIZE });
  assert.deepEqual(checker.judge(dispatch.record()), []);
  assert.deepEqual(checker.atRest(Date.now()), []);
  const refused = controllerLog()
    .split('\n')
    .filter((line) => /forbidden/i.test(line));
  assert.deepEqual(refused, [], 'the role lets the controller do all of its work');
};

/** One after the other, each on what the last one left: where one failed the rest would only wait for what never comes. */
const createParts = (t: TestContext) => async (name: string, run: () => Promise<void>) => {
  let failure: unknown;
  await t.test(name, async () => {
    try {
      await run();
    } catch (error) {
      failure = error ?? 'it failed';
      throw error;
    }
  });
  if (failure !== undefined) throw new Error(`not gone on with after: ${name}`);
};

test('a pool of six runners on three Macs', { timeout: 235_000 }, async (t) => {
  const scene = await openRunnerScene(t);
  const feed = createJobFeed(scene.dispatch, { pool: POOL, atOnce: POOL_SIZE - 1 });
  const part = createParts(t);
  await part('fills its Macs, and reads like the original’s', () => areUp(scene));
  await part('tells the last words of a runner that died', () => tellsLastWords(scene));
  await part('goes over to a new image while jobs run', () => isRolled(scene, feed));
  await part('lets a Mac be drained, and none of its jobs be killed', () => isDrained(scene, feed));
  await part('loses no end of a runner when its controller is killed', () => survivesKill(scene, feed));
  await part(`has run ${JOBS} jobs, each once and to its end`, () => allRan(scene));
  await part('leaves nothing behind when it is deleted', () => nothingIsLeft(scene));
  await part('kept every promise', async () => isClean(scene));
});
