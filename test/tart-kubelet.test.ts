/**
 * bin/tart-kubelet.ts as a process, on a simulated Tart and an embedded control plane over TLS: it joins with a bootstrap token and nothing
 * else, and is a Node to everybody. What its Pods do is in test/kubelet.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSystemClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { Secret } from '../src/base/secret.ts';
import { ADMIN } from '../src/controlplane/auth/user.ts';
import { type ServedControlPlane, serveControlPlane } from '../src/controlplane/serve-control-plane.ts';
import type { KubeClient } from '../src/kube/client/client.ts';
import { renderKubeconfig } from '../src/kube/client/login/render-kubeconfig.ts';
import { LEASES } from '../src/kube/types/coordination.ts';
import { NODES, type Node, PODS } from '../src/kube/types/core.ts';
import type { Pod } from '../src/kube/types/pod.ts';
import { type Agents, approveServing, createAgents, createLook, letJoin } from './tart-kubelet/agent-process.ts';

const NODE = 'mac-1';
const JOIN = { token: 'abcdef.0123456789abcdef', group: 'system:bootstrappers:test' };
const [clock, random, logger] = [createSystemClock(), createSystemRandom(), silentLogger];

interface Stage extends Pick<Agents, 'start'> {
  readonly client: KubeClient;
  readonly folder: string;
  readonly signal: AbortSignal;
}

const stageMac = async (t: TestContext): Promise<Stage> => {
  const folder = mkdtempSync(join(tmpdir(), 'tart-kubelet-'));
  const stop = new AbortController();
  const plane = await serveControlPlane({ clock, random, logger, port: 0 });
  const controllers = plane.runControllers(stop.signal);
  const client = plane.clientFor(ADMIN);
  await letJoin(client, JOIN, stop.signal);
  void approveServing(client, stop.signal);
  const kubeconfig = writeJoin(plane, folder);
  const agents = createAgents({ folder, nodeName: NODE, kubeconfig, labels: 'tuist.dev/fleet=ci' });
  t.after(async () => {
    await agents.stop();
    stop.abort();
    await controllers;
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { client, folder, signal: stop.signal, start: agents.start };
};

const writeJoin = ({ url, authority }: ServedControlPlane, folder: string): string => {
  const directory = join(folder, 'etc');
  mkdirSync(directory);
  const path = join(directory, 'kubeconfig');
  const client = { token: new Secret(JOIN.token) };
  writeFileSync(path, renderKubeconfig({ server: url, authority, name: 'mac', client }));
  return path;
};

const renderPod = (name: string, script: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: {
    restartPolicy: 'Never',
    nodeSelector: { 'tuist.dev/fleet': 'ci' },
    tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists' }],
    containers: [{ name: 'main', image: 'ghcr.io/acme/macos:1', command: ['/bin/sh', '-c', script] }],
  },
});

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

const readPod = (client: KubeClient, name: string, signal: AbortSignal): Promise<Pod> =>
  client.get(PODS, { namespace: 'default', name }, { signal });

const exitCodeOf = ({ status }: Pod): number | undefined => status?.containerStatuses?.[0]?.state?.terminated?.exitCode;

describe('tart-kubelet as a process', { concurrency: 2 }, () => {
  it('joins with a token, runs a Pod that the scheduler gave it, and shows its log and exit code', async (t) => {
    const { client, signal, start } = await stageMac(t);
    const agent = start();
    const seen = createLook(agent);
    const node = await seen('the Node is ready', async () =>
      (await client.list(NODES, { signal })).items.find(isReady),
    );
    assert.equal(node.metadata.name, NODE);
    assert.equal(node.spec?.providerID, `scw-applesilicon://fr-par-1/${NODE}`);
    assert.match(node.status?.nodeInfo?.containerRuntimeVersion ?? '', /^tart:\/\/\d/);
    await seen('a Lease', async () => (await client.list(LEASES, { namespace: 'kube-node-lease', signal })).items[0]);
    await client.create(PODS, renderPod('job', 'echo hello; echo world; exit 7'), { signal });
    const pod = await seen('the Pod ends', async () => {
      const found = await readPod(client, 'job', signal);
      return found.status?.phase === 'Failed' ? found : undefined;
    });
    assert.equal(exitCodeOf(pod), 7);
    const log = await client.getRaw('/api/v1/namespaces/default/pods/job/log', { signal });
    assert.match(String(log), /hello\nworld\n/);
    agent.child.kill('SIGTERM');
    assert.deepEqual(await once(agent.child, 'exit'), [0, null]);
  });

  it('is killed in the middle of a Pod: the VM runs on, and the next agent tells its end and all that it printed', async (t) => {
    const { client, folder, signal, start } = await stageMac(t);
    const first = start();
    const seen = createLook(first);
    const gate = join(folder, 'gate');
    const script = `for i in 1 2 3; do echo before $i; done; n=0; until [ -e ${gate} ] || [ $n -gt 2000 ]; do n=$((n + 1)); sleep 0.05; done; echo after; exit 5`;
    await client.create(PODS, renderPod('job', script), { signal });
    await seen(
      'the Pod runs',
      async () => (await readPod(client, 'job', signal)).status?.phase === 'Running' || undefined,
    );
    await seen('its log is told', async () => {
      const log = await client.getRaw('/api/v1/namespaces/default/pods/job/log', { signal }).catch(() => '');
      return String(log).includes('before 3') || undefined;
    });
    const { uid } = (await readPod(client, 'job', signal)).metadata;
    const vms = () => readdirSync(join(folder, 'tart', 'vms')).filter((vm) => vm.includes(uid ?? '?'));
    const before = vms();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    writeFileSync(gate, '');
    const again = createLook(start());
    const pod = await again('the Pod ends', async () => {
      const found = await readPod(client, 'job', signal);
      return found.status?.phase === 'Failed' ? found : undefined;
    });
    assert.equal(before.length, 1);
    assert.equal(exitCodeOf(pod), 5);
    assert.equal(pod.metadata.uid, uid);
    const log = String(await client.getRaw('/api/v1/namespaces/default/pods/job/log', { signal }));
    assert.deepEqual(log.match(/before \d|after/g), ['before 1', 'before 2', 'before 3', 'after']);
  });

  it('S22 runs no more VMs than the Pods that it offers, whoever binds them', async (t) => {
    const { client, folder, signal, start } = await stageMac(t);
    const seen = createLook(start('--max-pods=1'));
    const gate = join(folder, 'gate');
    const script = `n=0; until [ -e ${gate} ] || [ $n -gt 2000 ]; do n=$((n + 1)); sleep 0.05; done`;
    const create = (name: string): Promise<Pod> => {
      const { metadata, spec } = renderPod(name, script);
      return client.create(PODS, { metadata, spec: { ...spec, nodeName: NODE } }, { signal });
    };
    const see = (name: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod> =>
      seen(`${name} ${what}`, async () => {
        const pod = await readPod(client, name, signal);
        return isSo(pod) ? pod : undefined;
      });
    await create('first');
    await see('first', 'runs', ({ status }) => status?.phase === 'Running');
    await create('second');
    const { status } = await see('second', 'says why it waits', (pod) => pod.status?.reason === 'TartCreateFailed');
    assert.match(status?.message ?? '', /would be one VM too many: .* runs, and 1 may/);
    writeFileSync(gate, '');
    for (const name of ['first', 'second']) await see(name, 'ran', (pod) => exitCodeOf(pod) === 0);
  });

  it('is asked what it is and whether all is well, and does nothing else', async (t) => {
    const { folder, start } = await stageMac(t);
    const ask = async (...flags: readonly string[]): Promise<string> => {
      const { child, said } = start(...flags);
      const [code] = await once(child, 'close');
      return `${code} ${said()}`;
    };
    assert.match(await ask('--version'), /^0 tart-kubelet-v\d+\.\d+\.\d+\n$/);
    assert.match(await ask('--check'), /^0 ok {4}node name: mac-1\n(ok .*\n)+$/);
    assert.match(
      await ask('--check', '--kubeconfig', join(folder, 'none')),
      /^1 (.*\n)+?WRONG kubeconfig: .*does not exist/,
    );
    const root = join(folder, 'missing');
    assert.match(
      await ask('--check', `--root-directory=${root}`),
      /^0 (.*\n)+?\? {5}disk space: the disk under .*missing cannot be measured: there is no such folder yet/,
    );
    assert.match(await ask('--node-ip-source=dns'), /^2 .*"dns" is no source of an address/s);
  });
});
