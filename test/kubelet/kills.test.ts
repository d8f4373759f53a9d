/**
 * `kill -9` of the agent's process, again and again while jobs come and go: VMs are counted before and after, every job runs once, and its
 * exit code is told. Fifty times; `npm run soak -- kills --of agent --times 500` goes on.
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

const KILLS = Number(process.env['MACFLEET_KILLS'] ?? '50');
const LIMIT = { timeout: 60_000 + KILLS * 10_000 };
/** Of every other life of the agent: it is killed somewhere in its start, or in what follows. */
const LIFE_MAX_MS = 1_000;
/** Those between get to do something, be the machine ever so busy, and are killed soon after. */
const DONE_WITHIN_MS = 10_000;
const SOON_MS = 500;
const JOIN = { token: 'abcdef.0123456789abcdef', group: 'system:bootstrappers:test' };
const NODE = 'mac-1';
/** Besides the one that stays; there is one more place on a Mac. */
const WAITING_MAX = 2;
const clock = createSystemClock();

const stageMac = async (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  for (const name of ['etc', 'ran', 'go']) mkdirSync(join(folder, name));
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
    for (const pid of vmsIn(folder).values()) process.kill(pid, 'SIGKILL');
    stop.abort();
    await controllers;
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, client, agents, signal: stop.signal };
};

/** VMs that run and their processes: by their records, where a process of that number is there. */
const vmsIn = (folder: string): ReadonlyMap<string, number> => {
  const runs = join(folder, 'var/lib/tart-userdata/.runs');
  const alive = readdirSync(runs).flatMap((vm) => {
    try {
      const pid = Number(readFileSync(join(runs, vm, 'pid'), 'utf8'));
      // Empty in the moment in which it is written; and 0 would be this very group of processes.
      return pid > 0 && process.kill(pid, 0) ? [[vm, pid] as const] : [];
    } catch {
      return [];
    }
  });
  return new Map(alive);
};

const renderPod = (name: string, script: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: {
    ...{ restartPolicy: 'Never', nodeName: NODE, terminationGracePeriodSeconds: 1 },
    containers: [{ name: 'main', image: 'ghcr.io/acme/macos:1', env: [{ name: 'SIM_GUEST_SCRIPT', value: script }] }],
  },
});

const codeOf = ({ status }: Pod): number | undefined => status?.containerStatuses?.[0]?.state?.terminated?.exitCode;

/** Jobs that go on until they may end. What ran in a VM has left a line. */
const createJobs = (folder: string) => {
  const released = new Set<string>();
  const begun = (): readonly string[] => readdirSync(join(folder, 'ran')).filter((name) => !released.has(name));
  return {
    script: (name: string, code: number): string =>
      `echo x >>${folder}/ran/${name}; while [ ! -e ${folder}/go/${name} ]; do sleep 0.05; done; exit ${code}`,
    /** All that have begun: their VMs end in the next moments. */
    release: (): void => {
      for (const name of begun()) {
        released.add(name);
        writeFileSync(join(folder, 'go', name), '');
      }
    },
    /** Those of the VMs that have no reason to end. */
    lasting: (vms: ReadonlyMap<string, number>) =>
      [...vms].filter(([vm]) => ![...released].some((name) => vm.startsWith(`pod-${name}-`))),
    timesRun: (name: string): number => readFileSync(join(folder, 'ran', name), 'utf8').split('x').length - 1,
  };
};

type Stage = Awaited<ReturnType<typeof stageMac>>;

const listPods = async ({ client, signal }: Stage): Promise<readonly Pod[]> =>
  (await client.list(PODS, { signal })).items;

const submit = ({ client, signal }: Stage, name: string, script: string): Promise<Pod> =>
  client.create(PODS, renderPod(name, script), { signal });

/** Settles when a Pod or a VM is another than it was. */
const seeWork = async (stage: Stage): Promise<void> => {
  const look = async (): Promise<string> =>
    JSON.stringify([(await listPods(stage)).map(({ status }) => status), [...vmsIn(stage.folder)]]);
  const before = await look();
  const untilMs = clock.elapsed() + DONE_WITHIN_MS;
  while ((await look()) === before && clock.elapsed() < untilMs) await sleep(clock, 50, stage.signal);
};

describe('an agent that is killed', () => {
  it(`§7-26 F87: ${KILLS} times, leaves VMs at work, runs every job once, tells its exit code`, LIMIT, async (t) => {
    const stage = await stageMac(t);
    const { folder, agents, signal } = stage;
    const random = createSeededRandom('kills');
    const pause = (mostMs: number): Promise<void> => sleep(clock, random.integer(mostMs), signal);
    const jobs = createJobs(folder);
    let agent = agents.start();
    await submit(stage, 'stays', 'sleep 100000');
    const isUp = async () => (await listPods(stage)).find(({ status }) => status?.phase === 'Running');
    await createLook(agent)('it runs', isUp);
    const stays = [...vmsIn(folder)];
    assert.equal(stays.length, 1);
    let survivors = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const waiting = (await listPods(stage)).filter((pod) => codeOf(pod) === undefined).length;
      if (waiting <= WAITING_MAX) await submit(stage, `job-${kill}`, jobs.script(`job-${kill}`, kill % 7));
      if (kill % 2 === 1) jobs.release();
      await (kill % 2 === 0 ? pause(LIFE_MAX_MS) : seeWork(stage));
      await pause(SOON_MS);
      const before = vmsIn(folder);
      agent.child.kill('SIGKILL');
      await once(agent.child, 'exit');
      const after = vmsIn(folder);
      for (const { size } of [before, after]) assert.ok(size <= 2, `S22: ${size} VMs run`);
      for (const [vm, pid] of jobs.lasting(before)) assert.equal(after.get(vm), pid, `${vm} runs on in its process`);
      survivors += jobs.lasting(before).length;
      agent = agents.start();
    }
    assert.ok(survivors > KILLS, 'there were VMs of jobs to lose');
    const ended = await createLook(agent)('all jobs are over', async () => {
      jobs.release();
      const told = (await listPods(stage)).filter(({ metadata }) => metadata.name !== 'stays');
      return told.every((pod) => codeOf(pod) !== undefined && pod.metadata.finalizers === undefined) ? told : undefined;
    });
    for (const pod of ended) {
      const { name } = pod.metadata;
      assert.equal(codeOf(pod), Number(name.slice('job-'.length)) % 7, name);
      assert.equal(jobs.timesRun(name), 1, `${name} ran once`);
    }
    assert.deepEqual([...vmsIn(folder)], stays);
  });
});
