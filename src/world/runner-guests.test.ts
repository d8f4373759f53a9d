/** Runners on the virtual clock: real tart-kubelet, guests that poll the simulated dispatcher with the tokens of their Pods. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LABELS } from '../kinds/labels.ts';
import { PODS } from '../kube/types/core.ts';
import { createRecordChecker } from '../sim/dispatch/check-record.ts';
import { DISPATCH_POLL } from '../sim/dispatch/guest/step-program.ts';
import { createKubeletWorld, type KubeletWorld, type KubeletWorldOptions } from './kubelet-world.ts';
import { endOf, renderPod, runFor, runUntil } from './testing/kubelet-run.ts';
import type { WorldDispatch } from './world-dispatch.ts';

const IMAGE = 'ghcr.io/tuist/tuist-runner:macos-26-4-1.2.3';
const POOL = 'ci';

/** A Mac whose registry has the image of a runner. */
const open = (options: Partial<KubeletWorldOptions> = {}): KubeletWorld & { readonly dispatcher: WorldDispatch } => {
  const world = createKubeletWorld({ seed: 1, dispatch: 2, ...options });
  const { dispatcher } = world;
  assert.ok(dispatcher);
  world.mac.configure({ images: { [IMAGE]: { script: DISPATCH_POLL, bootMs: 5_000 } } });
  return { ...world, dispatcher };
};

/** As the controller makes them: an account of the Pod's own name, and the Pod. */
const createRunner = ({ kernel, operator, dispatcher }: ReturnType<typeof open>, name: string): void => {
  const labels = { [LABELS.runnerPool]: POOL };
  kernel.schedule(1_000, `create ${name}`, () => {
    operator.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name, labels } });
    const env = [
      { name: 'TUIST_RUNNER_DISPATCH_URL', value: dispatcher.url },
      { name: 'TUIST_RUNNER_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ];
    const spec = { serviceAccountName: name, automountServiceAccountToken: true };
    const pod = renderPod(name, { metadata: { labels }, spec, container: { name: 'runner', image: IMAGE, env } });
    operator.create('/api/v1/namespaces/default/pods', pod);
  });
};

const labelsOf = (world: KubeletWorld, name: string) => world.pod(name)?.metadata.labels ?? {};

describe('runners on the virtual clock', () => {
  it('two of them run a job each, are known by the tokens of their Pods, and their Pods succeed', async () => {
    const world = open();
    const { dispatch } = world.dispatcher;
    for (const name of ['r1', 'r2']) createRunner(world, name);
    for (let at = 0; at < 3; at += 1) dispatch.queue({ pool: POOL, durationMs: 60_000 });
    const isOver = (): boolean => ['r1', 'r2'].every((name) => endOf(world.pod(name)) === 'Succeeded 0');
    await runUntil(world, 'both are over', isOver);
    assert.deepEqual(
      dispatch.jobs().map(({ state, conclusion }) => `${state} ${conclusion}`),
      ['finishing success', 'finishing success', 'queued undefined'],
    );
    for (const { runner } of dispatch.jobs().slice(0, 2))
      assert.equal(runner?.uid, world.pod(runner?.pod ?? '')?.metadata.uid);
    assert.equal(labelsOf(world, 'r1')[LABELS.runnerPoolOwner], 'acme');
    assert.equal(labelsOf(world, 'r1')[LABELS.runnerAccount], 'acme');
  });

  it('one that a person marks is sent home and its Pod succeeds', async () => {
    const world = open();
    createRunner(world, 'r1');
    await runUntil(world, 'it polls', () => world.dispatcher.dispatch.calls().entries.length > 2);
    world.operator.merge(PODS, 'r1', { metadata: { labels: { [LABELS.runnerOperatorDrain]: 'true' } } });
    await runUntil(world, 'it is over', () => endOf(world.pod('r1')) === 'Succeeded 0');
  });

  it('one whose account is gone is refused, and its Pod fails', async () => {
    const world = open();
    createRunner(world, 'r1');
    await runUntil(world, 'it polls', () => world.dispatcher.dispatch.calls().entries.length > 2);
    world.operator.merge(
      { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', scope: 'Namespaced' },
      'r1',
      {
        metadata: { labels: { [LABELS.runnerPool]: null } },
      },
    );
    await runUntil(world, 'it is over', () => endOf(world.pod('r1')) === 'Failed 1');
  });

  it('S30: a job whose Pod is deleted under it is lost, and the judge says who did it', async () => {
    const world = open();
    const { dispatch } = world.dispatcher;
    createRunner(world, 'r1');
    dispatch.queue({ pool: POOL, durationMs: 600_000 });
    await runUntil(world, 'the job runs', () => dispatch.jobs()[0]?.state === 'running');
    world.operator.remove(PODS, 'r1');
    await runFor(world, 700_000);
    const { judge } = createRecordChecker({ isFleet: (by) => by === 'macfleet-admin', aliveMax: () => 1 });
    assert.deepEqual(
      judge(dispatch.record()).map(({ promise, message }) => `${promise} ${message}`),
      ['S30 r1 is deleted while running', `S30 job ${dispatch.jobs()[0]?.id} on r1 never came to its end`],
    );
  });

  it('F96b: labels that get lost change nothing for the job', async () => {
    const world = open();
    const { dispatch } = world.dispatcher;
    dispatch.switchOn('F96b');
    createRunner(world, 'r1');
    dispatch.queue({ pool: POOL, durationMs: 10_000 });
    await runUntil(world, 'it is over', () => endOf(world.pod('r1')) === 'Succeeded 0');
    assert.equal(labelsOf(world, 'r1')[LABELS.runnerPoolOwner], undefined);
    assert.equal(dispatch.jobs()[0]?.conclusion, 'success');
  });

  it('every seed runs the same twice, in storms between guests, dispatcher and API', async () => {
    const play = async (seed: number): Promise<string> => {
      const faults = { 'fail-before': 0.05, 'fail-after': 0.05, 'late-answer': 0.02 };
      const world = open({ seed, network: { sites: { kube: { faults }, dispatch: { faults } } } });
      for (const name of ['r1', 'r2']) createRunner(world, name);
      for (let at = 0; at < 2; at += 1) world.dispatcher.dispatch.queue({ pool: POOL, durationMs: 30_000 });
      const { traceHash } = await world.kernel.run({ maxEvents: 500_000, maxVirtualMs: 300_000, check: world.check });
      const { judge } = createRecordChecker({ isFleet: () => true, aliveMax: () => 2 });
      assert.deepEqual(judge(world.dispatcher.dispatch.record()), []);
      return traceHash;
    };
    for (let seed = 1; seed <= 3; seed += 1) assert.equal(await play(seed), await play(seed), `seed ${seed}`);
  });
});
