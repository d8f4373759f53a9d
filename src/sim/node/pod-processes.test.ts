import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { runNodeAgent } from './node-agent.ts';
import type { PodMoment } from './pod-moment.ts';
import type { PodProcesses } from './pod-processes.ts';
import { SCRIPT_ANNOTATION } from './pod-script.ts';

const KEY = { namespace: 'ns', name: 'p' };
const RUNNING = { phase: 'Running', startedMs: 5_000, restarts: 0, podIp: '127.64.0.1' } as const;
const ENDED = { phase: 'Failed', startedMs: 5_000, endedMs: 6_000, exitCode: 9, restarts: 0 } as const;

/** Processes that are as the test says. */
const createFakeProcesses = () => {
  const fake = {
    moment: { phase: 'Pending' } as PodMoment,
    end: undefined as typeof ENDED | undefined,
    calls: [] as string[],
    wake: (_key: string): void => undefined,
  };
  const processes: PodProcesses = {
    look: () => fake.moment,
    stop: (_pod, graceMs) => {
      fake.calls.push(`stop within ${graceMs}`);
      return fake.end;
    },
    forget: (uid) => void fake.calls.push(`forget ${uid}`),
    subscribe: (listener) => {
      fake.wake = listener;
      return () => undefined;
    },
  };
  return { fake, processes };
};

const startNode = async (annotations: Readonly<Record<string, string>> = {}) => {
  const { client, clock, random, stop, advance } = createHarness();
  const { signal } = stop;
  const { fake, processes } = createFakeProcesses();
  const facts = {
    nodeName: 'mac-1',
    providerId: 'x://1',
    labels: {},
    capacity: { cpu: '1', memory: '1Gi', pods: '2' },
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 12; turn += 1) await advance(10);
  };
  void runNodeAgent({ client, clock, random, logger: silentLogger, ...facts, processes }, signal);
  await settle();
  const spec = { nodeName: 'mac-1', containers: [{ name: 'main', image: 'ours' }] };
  const { metadata } = await client.create(PODS, { metadata: { ...KEY, annotations }, spec }, { signal });
  await settle();
  const become = async (moment: PodMoment): Promise<Pod> => {
    fake.moment = moment;
    fake.wake('ns/p');
    await settle();
    return client.get(PODS, KEY, { signal });
  };
  const list = async (): Promise<readonly Pod[]> => (await client.list(PODS, { signal })).items;
  return { client, signal, fake, settle, become, list, uid: metadata.uid ?? '', stop };
};

const readinessOf = ({ status }: Pod): string =>
  (status?.conditions ?? []).flatMap(({ type, status: is }) => (type === 'Ready' ? [is] : [])).join();

describe('an agent that runs Pods as processes', () => {
  it('reports what the process is: not ready, ready, waiting for its next start, ended', async () => {
    const { become, stop } = await startNode();
    const started = await become({ ...RUNNING, isReady: false });
    assert.deepEqual([started.status?.phase, readinessOf(started)], ['Running', 'False']);
    assert.deepEqual(started.status?.podIPs, [{ ip: '127.64.0.1' }]);
    assert.equal(readinessOf(await become({ ...RUNNING, isReady: true })), 'True');
    const waiting = await become({ ...RUNNING, restarts: 3, waiting: { reason: 'CrashLoopBackOff' } });
    const [container] = waiting.status?.containerStatuses ?? [];
    assert.deepEqual([container?.restartCount, container?.state?.waiting?.reason], [3, 'CrashLoopBackOff']);
    assert.equal(readinessOf(waiting), 'False');
    const ended = await become(ENDED);
    assert.equal(ended.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 9);
    stop.abort();
  });

  it('asks the process of a deleted Pod to end within the grace, and lets go of the Pod when it has', async () => {
    const { client, signal, fake, settle, become, list, uid, stop } = await startNode();
    await become(RUNNING);
    await client.delete(PODS, KEY, { signal });
    await settle();
    assert.deepEqual([fake.calls.at(-1), (await list()).length], ['stop within 30000', 1]);
    fake.end = ENDED;
    fake.wake('ns/p');
    await settle();
    assert.deepEqual(await list(), []);
    assert.equal(fake.calls.at(-1), `forget ${uid}`);
    stop.abort();
  });

  it('leaves Pods with a script to their script', async () => {
    const { fake, settle, list, stop } = await startNode({ [SCRIPT_ANNOTATION]: '{"startMs":0}' });
    fake.moment = ENDED;
    await settle();
    assert.equal((await list())[0]?.status?.phase, 'Running');
    stop.abort();
  });
});
