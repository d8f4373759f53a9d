/**
 * `kill -9` of the agent's process, again and again while jobs come and go: VMs run on, every job runs once, and its exit code is told. A few
 * times here; `npm run soak -- kills --of agent` does it fifty times.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createSeededRandom, createSystemRandom } from '../../src/base/random.ts';
import { Secret } from '../../src/base/secret.ts';
import { ADMIN } from '../../src/controlplane/auth/user.ts';
import { serveControlPlane } from '../../src/controlplane/serve-control-plane.ts';
import { renderKubeconfig } from '../../src/kube/client/login/render-kubeconfig.ts';
import { PODS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import { approveServing, createAgents, createLook, letJoin } from '../tart-kubelet/agent-process.ts';

const KILLS = Number(process.env['MACFLEET_KILLS'] ?? '4');
const JOIN = { token: 'abcdef.0123456789abcdef', group: 'system:bootstrappers:test' };
const NODE = 'mac-1';
/** Besides the one that stays; there is one more place on a Mac. */
const WAITING_MAX = 2;
const clock = createSystemClock();

const stageMac = async (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  for (const name of ['etc', 'ran']) mkdirSync(join(folder, name));
  const stop = new AbortController();
  const plane = await serveControlPlane({ clock, random: createSystemRandom(), logger: silentLogger, port: 0 });
  const controllers = plane.runControllers(stop.signal);
  const client = plane.clientFor(ADMIN);
  await letJoin(client, JOIN, stop.signal);
  void approveServing(client, stop.signal);
  const kubeconfig = join(folder, 'etc', 'kubeconfig');
  const login = {
    server: plane.url,
    authority: plane.authority,
    name: 'mac',
    client: { token: new Secret(JOIN.token) },
  };
  writeFileSync(kubeconfig, renderKubeconfig(login));
  const agents = createAgents({ folder, nodeName: NODE, kubeconfig, labels: 'tuist.dev/fleet=ci' });
  t.after(async () => {
    await agents.stop();
    for (const pid of pidsIn(folder)) process.kill(pid, 'SIGKILL');
    stop.abort();
    await controllers;
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, client, agents, signal: stop.signal };
};

/** Of VMs that run: by their records, where a process of that number is there. */
const pidsIn = (folder: string): readonly number[] => {
  const runs = join(folder, 'var/lib/tart-userdata/.runs');
  return readdirSync(runs).flatMap((vm) => {
    try {
      const pid = Number(readFileSync(join(runs, vm, 'pid'), 'utf8'));
      process.kill(pid, 0);
      return [pid];
    } catch {
      return [];
    }
  });
};

const renderPod = (name: string, script: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: {
    ...{ restartPolicy: 'Never', nodeName: NODE, terminationGracePeriodSeconds: 1 },
    containers: [{ name: 'main', image: 'ghcr.io/acme/macos:1', env: [{ name: 'SIM_GUEST_SCRIPT', value: script }] }],
  },
});

const codeOf = ({ status }: Pod): number | undefined => status?.containerStatuses?.[0]?.state?.terminated?.exitCode;

describe('an agent that is killed', () => {
  it(`§7-26 F87: ${KILLS} times, leaves VMs running, runs every job once, and tells its exit code`, async (t) => {
    const { folder, client, agents, signal } = await stageMac(t);
    const random = createSeededRandom('kills');
    const submit = (name: string, script: string): Promise<Pod> =>
      client.create(PODS, renderPod(name, script), { signal });
    const list = async (): Promise<readonly Pod[]> => (await client.list(PODS, { signal })).items;
    let agent = agents.start();
    await submit('stays', 'sleep 100000');
    await createLook(agent)('it runs', async () => (await list()).find(({ status }) => status?.phase === 'Running'));
    const [stays] = pidsIn(folder);
    assert.ok(stays);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const waiting = (await list()).filter((pod) => codeOf(pod) === undefined).length;
      if (waiting <= WAITING_MAX)
        await submit(
          `job-${kill}`,
          `echo x >>${folder}/ran/job-${kill}; sleep 0.${random.integer(9)}; exit ${kill % 7}`,
        );
      await sleep(clock, random.integer(2_500), signal);
      const before = new Set(pidsIn(folder));
      agent.child.kill('SIGKILL');
      await once(agent.child, 'exit');
      assert.ok(before.size <= 2, `S22: ${before.size} VMs run`);
      assert.ok(before.has(stays) && pidsIn(folder).includes(stays), 'the VM runs on');
      agent = agents.start();
    }
    const ended = await createLook(agent)('all jobs are over', async () => {
      const jobs = (await list()).filter(({ metadata }) => metadata.name !== 'stays');
      return jobs.every((pod) => codeOf(pod) !== undefined && pod.metadata.finalizers === undefined) ? jobs : undefined;
    });
    for (const pod of ended) {
      const number = Number(pod.metadata.name.slice('job-'.length));
      assert.equal(codeOf(pod), number % 7, pod.metadata.name);
      assert.equal(
        readFileSync(join(folder, 'ran', pod.metadata.name), 'utf8'),
        'x\n',
        `${pod.metadata.name} ran once`,
      );
    }
    assert.deepEqual(pidsIn(folder), [stays]);
  });
});
