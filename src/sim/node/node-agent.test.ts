import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLoggerTo } from '../../base/logger.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { LEASES } from '../../kube/types/coordination.ts';
import { NODES, PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { runNodeAgent } from './node-agent.ts';
import { SCRIPT_ANNOTATION } from './pod-script.ts';

const FACTS = {
  nodeName: 'mac-1',
  providerId: 'scw-applesilicon://fr-par-1/1',
  labels: { 'tuist.dev/fleet': 'demo' },
  capacity: { cpu: '8', memory: '16Gi', pods: '2' },
};
const KEY = { namespace: 'ns', name: 'p' };

const startAgent = async () => {
  const harness = createHarness();
  const { client, clock, random, api, stop, advance } = harness;
  const { signal } = stop;
  const problems: string[] = [];
  const logger = createLoggerTo((level, message, fields) => {
    if (level === 'error') problems.push(`${message} ${String(fields?.['error'])}`);
  });
  /** Passes time in steps small enough for every turn of a script. */
  const pass = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 100) {
      await advance(Math.min(leftMs, 100));
      for (let turn = 0; turn < 6; turn += 1) await advance(0);
    }
  };
  const boot = () => {
    const life = new AbortController();
    const ended = runNodeAgent({ client, clock, random, logger, ...FACTS }, life.signal);
    return { life, ended };
  };
  const agent = boot();
  await pass(100);
  const create = async (script?: string, spec: Partial<Pod['spec']> = {}): Promise<Pod> => {
    const annotations = script === undefined ? {} : { [SCRIPT_ANNOTATION]: script };
    const pod: Pod = {
      metadata: { ...KEY, annotations },
      spec: { nodeName: 'mac-1', restartPolicy: 'Never', containers: [{ name: 'main', image: 'macos' }], ...spec },
    };
    return client.create(PODS, pod, { signal });
  };
  const pod = async (): Promise<Pod | undefined> => (await client.list(PODS, { signal })).items[0];
  const phase = async (): Promise<string> => (await pod())?.status?.phase ?? 'none';
  const node = async () => (await client.list(NODES, { signal })).items[0];
  const lease = async () => (await client.list(LEASES, { signal })).items[0];
  const writes = () => api.writes.filter(({ path }) => !path.includes('/leases'));
  return { ...harness, ...agent, boot, problems, pass, create, pod, phase, node, lease, writes, signal };
};

describe('the scripted node agent', () => {
  it('registers a Mac: identity, taint, labels, what it offers, and that it is well', async () => {
    const { node, life, ended, problems } = await startAgent();
    const stored = await node();
    assert.equal(stored?.spec?.providerID, FACTS.providerId);
    assert.deepEqual(stored?.spec?.taints, [{ key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' }]);
    assert.deepEqual(stored?.metadata.labels, {
      'kubernetes.io/hostname': 'mac-1',
      'kubernetes.io/os': 'darwin',
      'kubernetes.io/arch': 'arm64',
      'tuist.dev/runtime': 'tart',
      'tuist.dev/fleet': 'demo',
    });
    assert.deepEqual(stored?.status?.allocatable, FACTS.capacity);
    assert.deepEqual(
      stored?.status?.conditions?.map(({ type, status }) => `${type}=${status}`),
      ['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True'],
    );
    assert.deepEqual(problems, []);
    life.abort();
    await ended;
  });

  it('renews its Lease every ten seconds, and writes nothing else while nothing changes', async () => {
    const agent = await startAgent();
    await agent.pass(3_000);
    const before = agent.writes().length;
    const first = (await agent.lease())?.spec?.renewTime ?? '';
    await agent.pass(25_000);
    const last = (await agent.lease())?.spec?.renewTime ?? '';
    assert.equal(Date.parse(last) - Date.parse(first), 20_000);
    assert.equal(agent.writes().length, before);
    const { uid } = (await agent.node())?.metadata ?? {};
    assert.equal((await agent.lease())?.metadata.ownerReferences?.[0]?.uid, uid);
    agent.life.abort();
    await agent.ended;
  });

  it('says only at a steady pace that it is well, when somebody denies it each time', async () => {
    const agent = await startAgent();
    const before = agent.writes().length;
    let denials = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      const conditions = [{ type: 'Ready', status: 'Unknown' }];
      const body = { status: { conditions } };
      const [ready] = (await agent.node())?.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
      if (ready?.status === 'True') {
        denials += 1;
        const key = { name: 'mac-1' };
        await agent.client.patch(NODES, key, { type: 'merge', body }, { signal: agent.signal, subresource: 'status' });
      }
      await agent.pass(200);
    }
    const reports = agent.writes().length - before - denials;
    assert.ok(reports >= 3 && reports <= 6, `${reports} reports in twenty seconds`);
    agent.life.abort();
    await agent.ended;
  });

  it('registers again when its Node was deleted, has its labels back, and is ready again when somebody doubted it', async () => {
    const agent = await startAgent();
    const { uid } = (await agent.node())?.metadata ?? {};
    await agent.client.delete(NODES, { name: 'mac-1' }, { signal: agent.signal });
    await agent.pass(100);
    const again = await agent.node();
    assert.notEqual(again?.metadata.uid, uid);
    assert.equal(again?.spec?.providerID, FACTS.providerId);
    const labels = { 'tuist.dev/runtime': null, 'somebody.else/label': 'x' };
    const relabel = { type: 'merge', body: { metadata: { labels } } } as const;
    await agent.client.patch(NODES, { name: 'mac-1' }, relabel, { signal: agent.signal });
    await agent.pass(100);
    const relabelled = (await agent.node())?.metadata.labels ?? {};
    assert.deepEqual([relabelled['tuist.dev/runtime'], relabelled['somebody.else/label']], ['tart', 'x']);
    const body = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    await agent.client.patch(
      NODES,
      { name: 'mac-1' },
      { type: 'merge', body },
      { signal: agent.signal, subresource: 'status' },
    );
    await agent.pass(100);
    assert.equal((await agent.node())?.status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    agent.life.abort();
    await agent.ended;
  });

  it('runs a Pod from Pending to its end, and tells each turn once', async () => {
    const agent = await startAgent();
    const before = agent.writes().length;
    await agent.create();
    await agent.pass(100);
    assert.equal(await agent.phase(), 'Pending');
    await agent.pass(300);
    assert.equal(await agent.phase(), 'Running');
    assert.equal((await agent.pod())?.status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    await agent.pass(2_000);
    assert.equal(await agent.phase(), 'Succeeded');
    assert.equal((await agent.pod())?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0);
    await agent.pass(5_000);
    assert.equal(agent.writes().length, before + 4, 'the Pod itself and its three phases');
    agent.life.abort();
    await agent.ended;
  });

  it('fails a Pod with the exit code of its script', async () => {
    const agent = await startAgent();
    await agent.create('{"startMs":0,"runMs":500,"exitCode":7}');
    await agent.pass(1_000);
    const pod = await agent.pod();
    assert.equal(pod?.status?.phase, 'Failed');
    assert.equal(pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 7);
    agent.life.abort();
    await agent.ended;
  });

  it('fails a Pod whose script cannot be read, and says why', async () => {
    const agent = await startAgent();
    await agent.create('{"runMs":');
    await agent.pass(100);
    const pod = await agent.pod();
    assert.equal(pod?.status?.phase, 'Failed');
    assert.equal(pod?.status?.reason, 'BadPodScript');
    assert.match(
      pod?.status?.message ?? '',
      /annotation sim\.macfleet\.dev\/script cannot be followed: it is not JSON/,
    );
    agent.life.abort();
    await agent.ended;
  });

  it('lets a Pod that always restarts run on', async () => {
    const agent = await startAgent();
    await agent.create(undefined, { restartPolicy: 'Always' });
    await agent.pass(60_000);
    assert.equal(await agent.phase(), 'Running');
    agent.life.abort();
    await agent.ended;
  });

  it('stops a deleted Pod first, tells its end, and then lets go of that very Pod', async () => {
    const agent = await startAgent();
    const { metadata } = await agent.create('{"runMs":60000,"stopMs":1000}');
    await agent.pass(1_000);
    await agent.client.delete(PODS, KEY, { signal: agent.signal });
    await agent.pass(800);
    assert.equal(await agent.phase(), 'Running', 'it is still stopping');
    await agent.pass(400);
    assert.equal(await agent.pod(), undefined);
    const [told, deleted] = agent.writes().slice(-2);
    assert.match(JSON.stringify(told?.body), /"phase":"Failed".*"exitCode":143/);
    assert.equal(deleted?.method, 'DELETE');
    assert.deepEqual(deleted?.body, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: { uid: metadata.uid },
    });
    agent.life.abort();
    await agent.ended;
  });

  it('lets a Pod that is over go at once, and leaves Pods of other Nodes alone', async () => {
    const agent = await startAgent();
    await agent.create(undefined, { nodeName: 'mac-2' });
    await agent.pass(3_000);
    assert.equal(await agent.phase(), 'none');
    await agent.client.delete(PODS, KEY, { gracePeriodSeconds: 0, signal: agent.signal });
    await agent.create('{"startMs":0,"runMs":100}');
    await agent.pass(500);
    assert.equal(await agent.phase(), 'Succeeded');
    const before = agent.writes().length;
    await agent.client.delete(PODS, KEY, { signal: agent.signal });
    await agent.pass(100);
    assert.equal(await agent.pod(), undefined);
    assert.equal(agent.writes().length, before + 2, 'our delete and its own');
    agent.life.abort();
    await agent.ended;
  });

  it('is silent once it was stopped, and a new life goes on where the old one was', async () => {
    const agent = await startAgent();
    await agent.create('{"runMs":10000}');
    await agent.pass(2_000);
    agent.life.abort();
    await agent.ended;
    const before = agent.api.writes.length;
    await agent.pass(60_000);
    assert.equal(agent.api.writes.length, before);
    assert.equal(await agent.phase(), 'Running');
    const next = agent.boot();
    await agent.pass(500);
    assert.equal(await agent.phase(), 'Succeeded', 'its time was up while nobody looked');
    assert.deepEqual(agent.problems, []);
    next.life.abort();
    await next.ended;
  });
});
