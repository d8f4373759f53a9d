/** How well a VM is, as its probes and hooks tell it: what counts against it, and what is only said. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../base/errors.ts';
import { EVENTS } from '../kube/types/core.ts';
import type { Probe } from '../kube/types/pod.ts';
import type { HostFiles } from '../kubelet/host/host-files.ts';
import type { ExecInVm, VmPort } from '../kubelet/vm/vm-port.ts';
import { createKubeletWorld, type KubeletWorld } from './kubelet-world.ts';
import { createPod, deletePod, endOf, isReady, runFor, runUntil } from './testing/kubelet-run.ts';

const page: Probe = { httpGet: { path: '/', port: 80 } };
const program: Probe = { exec: { command: ['/usr/bin/true'] } };

/** A world whose guests answer as the test says; undefined is as they do by themselves. */
const worldWhere = (
  seed: number,
  answers: {
    readonly http?: () => number;
    readonly exec?: (request: ExecInVm) => ReturnType<VmPort['exec']> | undefined;
  },
): KubeletWorld =>
  createKubeletWorld({
    seed,
    adjust: (ports) => ({
      ...ports,
      dial: { ...ports.dial, http: async () => answers.http?.() ?? 200 },
      vms: { ...ports.vms, exec: (request) => answers.exec?.(request) ?? ports.vms.exec(request) },
    }),
  });

const saysOf = ({ operator }: KubeletWorld, reason: string): readonly string[] =>
  operator.list(EVENTS).flatMap((event) => (event.reason === reason ? [event.message ?? ''] : []));

const startsOf = ({ starts }: KubeletWorld): readonly number[] => [...starts.values()];

describe('a VM that was found', () => {
  it('is not asked for its start again: what it answered while it booted is not what it answers now', async () => {
    let status = 200;
    const world = worldWhere(301, { http: () => status });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: { startupProbe: page } });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    status = 404;
    const before = world.writes.length;
    world.kernel.restart('kubelet', 1_000);
    await runFor(world, 300_000);
    assert.ok(isReady(world.pod('pod')));
    assert.deepEqual(
      world.writes.slice(before).filter(({ resource }) => resource === 'pods'),
      [],
    );
  });
});

describe('a VM that a probe gave up', () => {
  it('is stopped though the agent dies meanwhile and the guest is well again: what was decided is carried on', async () => {
    let status = 200;
    const world = worldWhere(307, { http: () => status });
    world.mac.configure({ vmFaults: { '*': { runEnd: { afterMs: 900_000, code: 0 } } } });
    const spec = { terminationGracePeriodSeconds: 60 };
    const lifecycle = { preStop: { sleep: { seconds: 30 } } };
    const container = { livenessProbe: { ...page, periodSeconds: 5 }, lifecycle };
    createPod(world, { atMs: 1_000, name: 'pod' }, { spec, container });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    status = 500;
    await runFor(world, 25_000);
    world.kernel.kill('kubelet');
    status = 200;
    world.kernel.restart('kubelet', 1_000);
    const sinceMs = world.kernel.nowMs();
    await runUntil(world, 'it is over', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.ok(world.kernel.nowMs() - sinceMs < 70_000, `${world.kernel.nowMs() - sinceMs} ms`);
    const message = world.pod('pod')?.status?.containerStatuses?.[0]?.state?.terminated?.message;
    assert.match(message ?? '', /Liveness probe failed/);
  });
});

describe('a probe that nobody can ask', () => {
  it('says nothing of the VM: without a tart on the Mac it runs on, and the event says why', async () => {
    const world = createKubeletWorld({ seed: 302 });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: { livenessProbe: program, readinessProbe: program } });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    world.mac.configure({ isMissing: true });
    await runFor(world, 600_000);
    assert.ok(isReady(world.pod('pod')));
    assert.deepEqual(startsOf(world), [1]);
    assert.match(saysOf(world, 'Unhealthy').join('\n'), /Liveness probe.*no tart at.*Install Tart on the Mac/);
  });

  it('for the guest’s agent is long in coming does not end a VM that boots', async () => {
    let isThere = false;
    const silent = new FleetError('unavailable', { code: 'GuestAgentSilent', message: 'not yet' });
    const world = worldWhere(303, { exec: () => (isThere ? undefined : Promise.reject(silent)) });
    const probes = { startupProbe: program, livenessProbe: program };
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: probes });
    await runFor(world, 240_000);
    assert.equal(world.pod('pod')?.status?.phase, 'Running');
    isThere = true;
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    assert.deepEqual(startsOf(world), [1]);
  });

  it('for there is no agent in the image ends it after five minutes, and says what to do', async () => {
    const world = createKubeletWorld({ seed: 304 });
    world.mac.configure({ vmFaults: { '*': { agentSilent: true } } });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: { startupProbe: program } });
    await runUntil(world, 'it is given up', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.ok(world.kernel.nowMs() > 300_000, `${world.kernel.nowMs()} ms`);
    const message = world.pod('pod')?.status?.containerStatuses?.[0]?.state?.terminated?.message;
    assert.match(message ?? '', /Startup probe failed: .*Install the Tart guest agent in the image/);
  });

  it('though its agent has answered before counts: then it is the guest that hangs', async () => {
    let isThere = true;
    const silent = new FleetError('unavailable', { code: 'GuestAgentSilent', message: 'no more' });
    const world = worldWhere(305, { exec: () => (isThere ? undefined : Promise.reject(silent)) });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: { livenessProbe: program } });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    await runFor(world, 30_000);
    isThere = false;
    const silentMs = world.kernel.nowMs();
    await runUntil(world, 'it is given up', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.ok(world.kernel.nowMs() - silentMs < 90_000, `${world.kernel.nowMs() - silentMs} ms`);
  });

  it('in time counts, as on every Node', async () => {
    let hangs = false;
    const world = worldWhere(306, { exec: () => (hangs ? new Promise(() => undefined) : undefined) });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: { livenessProbe: { ...program, timeoutSeconds: 2 } } });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    hangs = true;
    await runUntil(world, 'it is given up', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.match(saysOf(world, 'Unhealthy').join('\n'), /Liveness probe failed: the probe took longer than 2000 ms/);
  });
});

describe('a command', () => {
  const command = { command: ['/bin/sh', '-c', 'sleep 30; exit 3'] };
  const silent = new FleetError('unavailable', { code: 'GuestAgentSilent', message: 'no', hint: 'Install it.' });
  const execsOf = ({ commands }: KubeletWorld): number => commands.filter((words) => words.startsWith('exec ')).length;

  it('§7-28 that nobody starts: the Pod is never ready, says why after five minutes, and is over after fifteen', async () => {
    const world = createKubeletWorld({ seed: 321 });
    world.mac.configure({ vmFaults: { '*': { agentSilent: true } } });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: command });
    const isReadyOnce = { was: false };
    await runUntil(world, 'it is given up', () => {
      isReadyOnce.was ||= isReady(world.pod('pod'));
      return world.pod('pod')?.status?.phase === 'Failed';
    });
    assert.equal(isReadyOnce.was, false);
    const nowMs = world.kernel.nowMs();
    assert.ok(nowMs > 900_000 && nowMs < 1_000_000, `${nowMs} ms`);
    const message = world.pod('pod')?.status?.containerStatuses?.[0]?.state?.terminated?.message;
    assert.match(message ?? '', /could not be launched in 15 minutes: .*Install the Tart guest agent in the image/);
    assert.equal(saysOf(world, 'CommandNotLaunched').length, 1);
    assert.ok(execsOf(world) < 100, `${execsOf(world)} times`);
  });

  it('§7-13 whose guest is long in coming is started when it is there, and the Pod is ready only then', async () => {
    let isThere = false;
    const world = worldWhere(322, { exec: () => (isThere ? undefined : Promise.reject(silent)) });
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: command });
    await runFor(world, 480_000);
    const { phase, reason, podIP } = world.pod('pod')?.status ?? {};
    assert.deepEqual([phase, reason, isReady(world.pod('pod'))], ['Pending', 'CommandNotLaunched', false]);
    assert.match(podIP ?? '', /^192/);
    isThere = true;
    const sinceMs = world.kernel.nowMs();
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    assert.ok(world.kernel.nowMs() - sinceMs < 35_000, `${world.kernel.nowMs() - sinceMs} ms`);
    assert.equal(world.pod('pod')?.status?.reason, undefined);
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Failed 3');
    assert.deepEqual(startsOf(world), [1]);
  });

  for (const [at, lives] of ['one life of the agent', 'two'].entries())
    it(`whose guest is started anew is over, and says so, seen in ${lives}: nobody would ever end it`, async () => {
      let boot = 'A';
      const answer = () => Promise.resolve({ code: 0, stdout: `${boot}\n`, stderr: '' });
      const isAsked = ({ argv }: ExecInVm): boolean => argv.includes('kern.bootsessionuuid');
      const world = worldWhere(324 + at, { exec: (request) => (isAsked(request) ? answer() : undefined) });
      createPod(world, { atMs: 1_000, name: 'pod' }, { container: { command: ['/bin/sh', '-c', 'sleep 90000'] } });
      await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
      await runFor(world, 600_000);
      assert.ok(isReady(world.pod('pod')));
      boot = 'B';
      if (lives === 'two') world.kernel.restart('kubelet', 1_000);
      const sinceMs = world.kernel.nowMs();
      await runUntil(world, 'it is over', () => world.pod('pod')?.status?.phase === 'Failed');
      assert.ok(world.kernel.nowMs() - sinceMs < 100_000, `${world.kernel.nowMs() - sinceMs} ms`);
      const message = world.pod('pod')?.status?.containerStatuses?.[0]?.state?.terminated?.message;
      assert.match(message ?? '', /started anew while its command ran/);
    });

  it('that runs is not given up because the guest’s agent is silent when ours is started again', async () => {
    let isThere = true;
    const world = worldWhere(323, { exec: () => (isThere ? undefined : Promise.reject(silent)) });
    const long = { command: ['/bin/sh', '-c', 'sleep 7200; exit 3'] };
    createPod(world, { atMs: 1_000, name: 'pod' }, { container: long });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    isThere = false;
    world.kernel.restart('kubelet', 1_000);
    const writes = world.writes.length;
    await runFor(world, 3_600_000);
    assert.ok(isReady(world.pod('pod')));
    assert.deepEqual(world.writes.slice(writes), []);
  });
});

describe('the end of a command', () => {
  const isStatus = (path: string): boolean => path.includes('/status');
  const broken = new Error('EMFILE');
  const rows: readonly { story: string; adjust: (files: HostFiles) => Partial<HostFiles> }[] = [
    {
      story: 'of which the filesystem does not tell',
      adjust: (files) => ({ watch: (path, told) => (isStatus(path) ? () => undefined : files.watch(path, told)) }),
    },
    {
      story: 'in a folder that cannot be watched',
      adjust: (files) => ({
        watch: (path, told) => {
          if (isStatus(path)) throw broken;
          return files.watch(path, told);
        },
      }),
    },
    {
      story: 'that cannot be read at first',
      adjust: (files) => {
        let reads = 0;
        const isReport = (path: string): boolean => path.endsWith('/runner-rc');
        return {
          readTail: async (path, limit) => {
            const tail = await files.readTail(path, limit);
            if (!isReport(path) || tail === undefined) return tail;
            reads += 1;
            if (reads === 1) throw broken;
            return tail;
          },
        };
      },
    },
  ];
  for (const [at, { story, adjust }] of rows.entries())
    it(`${story} is found in seconds all the same`, async () => {
      const world = createKubeletWorld({
        seed: 331 + at,
        adjust: (ports) => ({ ...ports, files: { ...ports.files, ...adjust(ports.files) } }),
      });
      createPod(world, { atMs: 1_000, name: 'pod' }, { container: { command: ['/bin/sh', '-c', 'sleep 30; exit 3'] } });
      await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
      const sinceMs = world.kernel.nowMs();
      await runUntil(world, 'it is over', () => endOf(world.pod('pod')) === 'Failed 3');
      assert.ok(world.kernel.nowMs() - sinceMs < 35_000, `${world.kernel.nowMs() - sinceMs} ms`);
    });
});

describe('the hook before a stop', () => {
  const broken = new FleetError('unavailable', { code: 'TartFailed', message: 'tart exec: it broke down' });
  const rows: readonly {
    story: string;
    seed: number;
    hook: () => ReturnType<VmPort['exec']>;
    says: readonly string[];
  }[] = [
    { story: 'that does well', seed: 311, hook: async () => ({ code: 0, stdout: '', stderr: '' }), says: [] },
    {
      story: 'that fails',
      seed: 312,
      hook: async () => ({ code: 1, stdout: '', stderr: 'a secret' }),
      says: ['PreStopHook failed'],
    },
    {
      story: 'that cannot be asked',
      seed: 313,
      hook: () => Promise.reject(broken),
      says: ['PreStopHook failed'],
    },
    { story: 'that takes longer than the grace', seed: 314, hook: () => new Promise(() => undefined), says: [] },
  ];
  for (const { story, seed, hook, says } of rows) {
    it(`${story} is followed by the guest’s own shutdown: it is not switched off`, async () => {
      const asked: string[] = [];
      const world = worldWhere(seed, {
        exec: ({ argv }) => {
          asked.push(argv.join(' '));
          return argv[0] === '/bin/save' ? hook() : undefined;
        },
      });
      const preStop = { exec: { command: ['/bin/save'] } };
      createPod(world, { atMs: 1_000, name: 'pod' }, { container: { lifecycle: { preStop } } });
      await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
      deletePod(world, { atMs: 0, name: 'pod' });
      await runUntil(world, 'it is gone', () => world.pod('pod') === undefined);
      assert.deepEqual(asked, ['/bin/save', '/usr/bin/sudo -n /sbin/shutdown -h now']);
      assert.deepEqual(
        world.commands.filter((words) => words.startsWith('stop ')),
        [],
      );
      assert.deepEqual(saysOf(world, 'FailedPreStopHook'), says);
    });
  }
});
