import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FINALIZERS } from '../kinds/labels.ts';
import { PODS } from '../kube/types/core.ts';
import type { Kubelet } from '../kubelet/create-kubelet.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import { runningVms, type SimVm } from '../sim/tart/tart-home.ts';
import { createKubeletWorld, type KubeletWorld, type KubeletWorldOptions } from './kubelet-world.ts';
import {
  createPod,
  deletePod,
  endOf,
  FOREVER,
  isClean,
  isReady,
  renderPod,
  runFor,
  runUntil,
  STORM,
} from './testing/kubelet-run.ts';

/** Two jobs, a Pod that is deleted while it runs, and one that is deleted while it is made. */
const playJobs = async (options: Partial<KubeletWorldOptions> = {}): Promise<KubeletWorld> => {
  const world = createKubeletWorld({ seed: 1, ...options });
  createPod(world, { atMs: 1_000, name: 'good' }, { script: 'echo hello; sleep 3; exit 0' });
  createPod(world, { atMs: 1_000, name: 'bad' }, { script: 'sleep 1; exit 3' });
  createPod(world, { atMs: 20_000, name: 'long' });
  createPod(world, { atMs: 20_000, name: 'brief' });
  deletePod(world, { atMs: 20_020, name: 'brief' });
  deletePod(world, { atMs: 40_000, name: 'long' });
  const isTold = (): boolean =>
    world.kernel.nowMs() > 45_000 &&
    world.pods().length === 2 &&
    endOf(world.pod('good')) === 'Succeeded 0' &&
    endOf(world.pod('bad')) === 'Failed 3' &&
    isClean(world);
  return runUntil(world, 'all Pods are over', isTold);
};

/** Some 540 points, which take minutes; MACFLEET_CRASH_POINTS=all tries each of them. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 40;

const LEGACY_VM: SimVm = {
  ...{ os: 'darwin', cpus: 4, cpusMin: 4, memoryMib: 8_192, memoryMinMib: 4_096, diskGb: 50, sizeGb: 20 },
  ...{ macAddress: '02:00:00:00:00:09', ecid: 'legacy', accessedMs: 0, isSuspended: false, guest: { bootMs: 100 } },
};

const writesFor = (world: KubeletWorld, name: string): readonly string[] =>
  world.writes
    .filter((write) => write.resource === 'pods' && write.name === name)
    .map(({ verb, subresource, code }) => `${verb} ${subresource} ${code}`);

describe('tart-kubelet on the virtual clock', () => {
  it('runs Pods as VMs, each once, and leaves a clean Mac', async () => {
    const world = await playJobs();
    assert.deepEqual(
      [...world.starts.values()].filter((count) => count > 1),
      [],
    );
  });

  it('F87 K1: a job whose agent is killed before and after every single effect runs once, and its exit code is told', async () => {
    const play = async (crash: KubeletWorldOptions['crash']) => {
      const world = createKubeletWorld({ seed: 2, ...(crash && { crash }) });
      createPod(world, { atMs: 500, name: 'job' }, { script: 'sleep 2; exit 6' });
      await runUntil(world, 'it is told', () => endOf(world.pod('job')) === 'Failed 6' && isClean(world));
      return world.kernel;
    };
    const points = await forEachCrashPoint(
      { actor: 'kubelet', restartAfterMs: 2_000, kinds: ['before-effect', 'after-effect'] },
      play,
    );
    assert.ok(points > 50, `${points} crash points`);
  });

  it('F87: survives being killed anywhere in a longer story: no job is lost, run twice, or told wrongly', async () => {
    const points = await forEachCrashPoint({ actor: 'kubelet', restartAfterMs: 2_000, every: EVERY }, async (crash) => {
      const { kernel } = await playJobs(crash === undefined ? {} : { crash });
      return kernel;
    });
    assert.ok(points > 10, `${points} crash points`);
  });

  it('keeps its promises in storms between it and the API, killed again and again, and every seed runs the same twice', async () => {
    const play = async (seed: number): Promise<string> => {
      const world = createKubeletWorld({ seed, network: STORM });
      const { kernel } = world;
      const scripts = ['exit 0', 'sleep 5; exit 3', 'sleep 40; exit 1', FOREVER];
      for (let at = 0; at < 6; at += 1) {
        const name = `p${at}`;
        const script = scripts[kernel.choose('script', scripts.length)] ?? FOREVER;
        const restartPolicy = ['Never', 'OnFailure', 'Always'][kernel.choose('policy', 3)] ?? 'Never';
        const atMs = 1_000 + kernel.choose('begin', 100_000);
        createPod(world, { atMs, name }, { script, spec: { restartPolicy } });
        deletePod(world, { atMs: atMs + 1 + kernel.choose('end', 120_000), name });
      }
      for (let blow = 0; blow < 5; blow += 1)
        kernel.schedule(500 + kernel.choose('blow', 200_000), 'blow', () => kernel.restart('kubelet', 1_500));
      await runFor(world, 300_000);
      kernel.setFaults('off');
      await runUntil(world, `seed ${seed} comes to rest`, () => world.pods().length === 0 && isClean(world));
      return (await kernel.run({ maxEvents: 100_000, maxVirtualMs: 60_000 })).traceHash;
    };
    for (let seed = 1; seed <= 3; seed += 1) assert.equal(await play(seed), await play(seed), `seed ${seed}`);
  });

  it('N15: a VM’s end is told at once, not when somebody next looks', async () => {
    const world = createKubeletWorld({ seed: 3 });
    createPod(world, { atMs: 1_000, name: 'job' }, { script: 'sleep 60; exit 4' });
    await runUntil(world, 'the Pod is ready', () => isReady(world.pod('job')));
    await runUntil(world, 'the VM has ended', () => runningVms(world.mac.home).length === 0);
    const endedMs = world.kernel.nowMs();
    await runUntil(world, 'the Pod is over', () => endOf(world.pod('job')) === 'Failed 4');
    assert.ok(world.kernel.nowMs() - endedMs <= 200, `${world.kernel.nowMs() - endedMs} ms`);
  });

  it('what a VM printed is copied to its end before that is told, also when no agent was there to see it', async () => {
    const copied: string[] = [];
    const copy = async (vm: string): Promise<void> => {
      await new Promise<void>((resolve) => void world.kernel.schedule(3_000, 'copy', () => resolve()));
      copied.push(vm);
    };
    const none = async (): Promise<void> => undefined;
    const world: KubeletWorld = createKubeletWorld({
      seed: 23,
      adjust: (ports) => ({ ...ports, logs: { begin: none, resume: none, finish: copy } }),
    });
    createPod(world, { atMs: 1_000, name: 'job' }, { script: 'sleep 60; exit 4' });
    await runUntil(world, 'it is ready', () => isReady(world.pod('job')));
    world.kernel.kill('kubelet');
    await runUntil(world, 'the VM has ended', () => runningVms(world.mac.home).length === 0);
    copied.length = 0;
    world.kernel.restart('kubelet', 1_000);
    await runUntil(world, 'its end is told', () => endOf(world.pod('job')) === 'Failed 4');
    assert.equal(copied.length, 1);
  });

  it('B4: from binding to `tart run` it adds a tenth of a second at most to the clone, also when two Pods come at once', async () => {
    const CLONE_MS = 300;
    const addedMs: number[] = [];
    for (let seed = 101; seed <= 106; seed += 1) {
      const world = createKubeletWorld({ seed });
      world.mac.configure({ cloneMs: CLONE_MS });
      createPod(world, { atMs: 1_000, name: 'first' }, { script: 'exit 0' });
      createPod(world, { atMs: 30_000, name: 'alone' }, { script: 'exit 0' });
      for (const name of ['one', 'other']) createPod(world, { atMs: 60_000, name });
      for (const [atMs, count] of [
        [30_000, 2],
        [60_000, 3],
        [60_000, 4],
      ] as const) {
        await runUntil(world, `${count} were started`, () => world.starts.size === count);
        addedMs.push(world.kernel.nowMs() - atMs - CLONE_MS);
      }
    }
    assert.deepEqual(
      addedMs.filter((ms) => ms > 100),
      [],
      addedMs.join(' '),
    );
  });

  it('L7 §9.4-2: finished Pods that are deleted go with one write each', async () => {
    const world = createKubeletWorld({ seed: 4 });
    const names = Array.from({ length: 40 }, (_, at) => `done-${at}`);
    for (const name of names) {
      const pod = renderPod(name, { metadata: { finalizers: [FINALIZERS.pod] } });
      world.operator.create('/api/v1/namespaces/default/pods', pod);
      world.operator.mergeStatus(PODS, name, { status: { phase: 'Succeeded' } });
    }
    world.kernel.schedule(5_000, 'delete all', () => {
      for (const name of names) world.operator.remove(PODS, name);
    });
    await runUntil(world, 'all Pods are gone', () => world.kernel.nowMs() > 5_000 && world.pods().length === 0);
    assert.ok(world.kernel.nowMs() < 6_000, `${world.kernel.nowMs()} ms`);
    for (const name of names) assert.deepEqual(writesFor(world, name), ['patch status 200'], name);
  });

  it('L7 finished Pods that are deleted go as soon as Tart answers, though it did not at the start', async () => {
    const world = createKubeletWorld({ seed: 19 });
    world.mac.configure({ hangs: ['list'] });
    const names = Array.from({ length: 40 }, (_, at) => `done-${at}`);
    for (const name of names) {
      const pod = renderPod(name, { metadata: { finalizers: [FINALIZERS.pod] } });
      world.operator.create('/api/v1/namespaces/default/pods', pod);
      world.operator.mergeStatus(PODS, name, { status: { phase: 'Succeeded' } });
      world.operator.remove(PODS, name);
    }
    const answersMs = 100_000;
    world.kernel.schedule(answersMs, 'Tart answers again', () => world.mac.configure({ hangs: [] }));
    await runUntil(world, 'all Pods are gone', () => world.pods().length === 0);
    // Whoever asked it before has to give up first, after half a minute.
    assert.ok(world.kernel.nowMs() < answersMs + 40_000, `${world.kernel.nowMs()} ms`);
  });

  it('§9.4-1: a deleted Pod goes, with our finalizer and without', async () => {
    const world = createKubeletWorld({ seed: 5 });
    world.kernel.kill('kubelet');
    world.operator.create(
      '/api/v1/namespaces/default/pods',
      renderPod('claimed', { metadata: { finalizers: [FINALIZERS.pod] } }),
    );
    world.operator.create('/api/v1/namespaces/default/pods', renderPod('fresh'));
    for (const name of ['claimed', 'fresh']) world.operator.remove(PODS, name);
    assert.equal(world.pods().length, 2);
    world.kernel.restart('kubelet', 100);
    await runUntil(world, 'both are gone', () => world.pods().length === 0);
    assert.equal(world.starts.size, 0);
  });

  it('D8: a Pod whose VM runs has our finalizer again after an etcd that knew nothing of it', async () => {
    const world = createKubeletWorld({ seed: 5 });
    createPod(world, { atMs: 1_000, name: 'web' });
    await runUntil(world, 'it runs', () => isReady(world.pod('web')));
    world.excuse(world.pod('web')?.metadata.uid ?? '');
    world.operator.merge(PODS, 'web', { metadata: { finalizers: null } });
    await runUntil(
      world,
      'it is held again',
      () => world.pod('web')?.metadata.finalizers?.includes(FINALIZERS.pod) === true,
    );
  });

  it('F92 §7-26: a Pod that comes again under an old name gets a VM of its own', async () => {
    const world = createKubeletWorld({ seed: 6 });
    createPod(world, { atMs: 1_000, name: 'web' });
    await runUntil(world, 'it runs', () => isReady(world.pod('web')));
    const [first] = runningVms(world.mac.home);
    world.kernel.kill('kubelet');
    world.operator.merge(PODS, 'web', { metadata: { finalizers: null } });
    world.excuse(world.pod('web')?.metadata.uid ?? '');
    world.operator.force(PODS, 'web');
    world.operator.create('/api/v1/namespaces/default/pods', renderPod('web'));
    world.kernel.restart('kubelet', 1_000);
    await runUntil(
      world,
      'the new one runs alone',
      () => isReady(world.pod('web')) && runningVms(world.mac.home).length === 1,
    );
    assert.notEqual(runningVms(world.mac.home)[0], first);
  });

  it('L8 §7-30: a VM without a Pod is ended within a minute of the agent’s start', async () => {
    const world = createKubeletWorld({ seed: 7 });
    createPod(world, { atMs: 1_000, name: 'lost' });
    await runUntil(world, 'it runs', () => isReady(world.pod('lost')));
    world.kernel.kill('kubelet');
    world.excuse(world.pod('lost')?.metadata.uid ?? '');
    world.operator.merge(PODS, 'lost', { metadata: { finalizers: null } });
    world.operator.force(PODS, 'lost');
    // Not even a journal is left of it.
    world.mac.files.now.remove('/var/lib/tart-userdata/.journal');
    const startMs = world.kernel.nowMs();
    world.kernel.restart('kubelet', 1);
    await runUntil(world, 'nothing is left', () => isClean(world));
    assert.ok(world.kernel.nowMs() - startMs < 60_000);
  });

  it('L10 §7-26: a restart finds all VMs again within ten seconds, without starting one', async () => {
    const world = createKubeletWorld({ seed: 8 });
    for (const name of ['a', 'b']) createPod(world, { atMs: 1_000, name });
    await runUntil(world, 'both are ready', () => isReady(world.pod('a')) && isReady(world.pod('b')));
    const pids = world.mac.processes.list().map(({ pid }) => pid);
    const writes = world.writes.length;
    world.kernel.restart('kubelet', 1_000);
    await runFor(world, 11_000);
    assert.deepEqual(
      world.mac.processes.list().map(({ pid }) => pid),
      pids,
    );
    assert.deepEqual([...world.starts.values()], [1, 1]);
    assert.ok(isReady(world.pod('a')) && isReady(world.pod('b')));
    deletePod(world, { atMs: 0, name: 'a' });
    await runUntil(world, 'it is attended to', () => world.pod('a') === undefined);
    assert.deepEqual(
      world.writes.slice(writes).filter(({ name }) => name === 'b'),
      [],
      'nothing changed, nothing written',
    );
  });

  for (const [seed, { story, settings }] of [
    { story: 'hangs', settings: { hangs: ['list'] } },
    { story: 'prints garbage', settings: { garbles: ['list'] } },
  ].entries())
    it(`L10: a restart finds all VMs again within ten seconds although \`tart list\` ${story}: the journal knows them`, async () => {
      const world = createKubeletWorld({ seed: 21 + seed });
      createPod(world, { atMs: 1_000, name: 'job' }, { script: 'sleep 60; exit 4' });
      createPod(world, { atMs: 1_000, name: 'web' }, { spec: { terminationGracePeriodSeconds: 1 } });
      await runUntil(world, 'both are ready', () => isReady(world.pod('job')) && isReady(world.pod('web')));
      world.mac.configure(settings);
      world.kernel.kill('kubelet');
      // Its end is there to be found: nobody is told of it.
      await runUntil(world, 'the job has ended', () => runningVms(world.mac.home).length === 1);
      world.operator.remove(PODS, 'web');
      const startMs = world.kernel.nowMs() + 1_000;
      world.kernel.restart('kubelet', 1_000);
      const isAttended = (): boolean => endOf(world.pod('job')) === 'Failed 4' && world.pod('web') === undefined;
      await runUntil(world, 'the one is told, the other gone', isAttended);
      assert.ok(world.kernel.nowMs() - startMs < 10_000, `${world.kernel.nowMs() - startMs} ms`);
      assert.deepEqual([...world.starts.values()], [1, 1]);
    });

  it('a loss of power is told as what it is, and a job is not run again', async () => {
    const world = createKubeletWorld({ seed: 9 });
    createPod(world, { atMs: 1_000, name: 'once' });
    createPod(world, { atMs: 1_000, name: 'always' }, { spec: { restartPolicy: 'Always' } });
    await runUntil(world, 'both are ready', () => isReady(world.pod('once')) && isReady(world.pod('always')));
    world.kernel.kill('kubelet');
    world.mac.losePower();
    world.kernel.restart('kubelet', 30_000);
    await runUntil(world, 'one is over', () => world.pod('once')?.status?.phase === 'Failed');
    const state = world.pod('once')?.status?.containerStatuses?.[0]?.state?.terminated;
    assert.deepEqual([state?.exitCode, state?.reason], [137, 'ContainerStatusUnknown']);
    await runUntil(
      world,
      'the other runs again',
      () => isReady(world.pod('always')) && runningVms(world.mac.home).length === 1,
    );
    assert.equal(world.pod('always')?.status?.containerStatuses?.[0]?.restartCount, 1);
  });

  it('L21 a VM that was lost without a word is asked to end once, though its end is known only a second later', async () => {
    const world = createKubeletWorld({ seed: 20 });
    createPod(world, { atMs: 1_000, name: 'once' });
    await runUntil(world, 'it is ready', () => isReady(world.pod('once')));
    world.kernel.kill('kubelet');
    world.mac.losePower();
    world.operator.remove(PODS, 'once');
    const before = world.commands.length;
    world.kernel.restart('kubelet', 30_000);
    await runUntil(world, 'it is gone', () => world.pod('once') === undefined && isClean(world));
    const asked = world.commands.slice(before).filter((words) => words.startsWith('exec '));
    assert.ok(asked.length <= 1, `${asked.length} times`);
  });

  it('a loss of power while its VM is cloned: nothing ran, so the Pod runs when the Mac is back, and once', async () => {
    const world = createKubeletWorld({ seed: 18 });
    createPod(world, { atMs: 1_000, name: 'once' }, { script: 'exit 0' });
    const isCloned = (words: string): boolean => words.startsWith('clone ') && words.includes(' pod-once');
    await runUntil(world, 'it is cloned', () => world.commands.some(isCloned));
    world.kernel.kill('kubelet');
    world.mac.losePower();
    world.kernel.restart('kubelet', 30_000);
    await runUntil(world, 'it ran', () => endOf(world.pod('once')) === 'Succeeded 0');
    assert.equal(world.starts.size, 1);
  });

  it('a Mac that shuts down: its Node and its Pods say so, and what was not begun waits for it to be back', async () => {
    const world = createKubeletWorld({ seed: 16 });
    createPod(world, { atMs: 1_000, name: 'once' });
    createPod(world, { atMs: 1_000, name: 'always' }, { spec: { restartPolicy: 'Always' } });
    await runUntil(world, 'both are ready', () => isReady(world.pod('once')) && isReady(world.pod('always')));
    world.goDown();
    createPod(world, { atMs: 100, name: 'late' }, { script: 'exit 0' });
    const startedMs = world.kernel.nowMs();
    const isFailed = (name: string): boolean => world.pod(name)?.status?.phase === 'Failed';
    await runUntil(world, 'the end of both is told', () => isFailed('once') && isFailed('always'));
    assert.ok(world.kernel.nowMs() - startedMs < 15_000, `${world.kernel.nowMs() - startedMs} ms`);
    for (const { reason, message } of ['once', 'always'].map((name) => world.pod(name)?.status ?? {}))
      assert.deepEqual([reason, message], ['Terminated', 'Pod was terminated in response to imminent node shutdown.']);
    const ready = world.node()?.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'NodeShutdown']);
    assert.equal(world.node()?.status?.allocatable?.['pods'], '0');
    await runFor(world, 5_000);
    assert.equal(world.starts.size, 2);
    world.mac.losePower();
    world.kernel.restart('kubelet', 60_000);
    await runUntil(world, 'the late one ran', () => endOf(world.pod('late')) === 'Succeeded 0');
    assert.ok(isReady(world.node()));
  });

  it('a Mac that is off before its Pods could say that it shuts down: they say it when it is back', async () => {
    const world = createKubeletWorld({ seed: 17 });
    world.mac.configure({ vmFaults: { '*': { agentSilent: true, ignoresStop: true } } });
    createPod(world, { atMs: 1_000, name: 'once' });
    await runUntil(world, 'it is ready', () => isReady(world.pod('once')));
    world.goDown();
    await runFor(world, 1_000);
    world.kernel.kill('kubelet');
    world.mac.losePower();
    world.kernel.restart('kubelet', 60_000);
    await runUntil(world, 'its end is told', () => world.pod('once')?.status?.phase === 'Failed');
    assert.equal(world.pod('once')?.status?.reason, 'Terminated');
  });

  it('D11: a Mac whose Pods run and change nothing writes nothing but its heartbeat', async () => {
    const world = createKubeletWorld({ seed: 10 });
    createPod(world, { atMs: 1_000, name: 'quiet' });
    await runUntil(world, 'it is ready', () => isReady(world.pod('quiet')));
    await runFor(world, 60_000);
    const before = world.writes.length;
    await runFor(world, 900_000);
    assert.deepEqual(world.writes.slice(before), []);
  });

  it('S22 F86: three Pods for two places: the third starts when one of the first has ended', async () => {
    const world = createKubeletWorld({ seed: 11 });
    // Tart would refuse it, too late and not always: the agent counts by itself.
    world.mac.configure({ vmsMax: 9 });
    for (const name of ['a', 'b']) createPod(world, { atMs: 1_000, name }, { script: 'sleep 100; exit 0' });
    createPod(world, { atMs: 10_000, name: 'c' }, { script: 'exit 0' });
    await runUntil(world, 'it waits and says why', () => /one VM too many/.test(world.pod('c')?.status?.message ?? ''));
    await runUntil(world, 'a place is free', () => runningVms(world.mac.home).length === 1);
    const freeMs = world.kernel.nowMs();
    await runUntil(world, 'it ran', () => endOf(world.pod('c')) === 'Succeeded 0');
    assert.ok(world.kernel.nowMs() - freeMs < 20_000, `${world.kernel.nowMs() - freeMs} ms`);
  });

  it('F90 K5: a Pod that is deleted while its image is pulled goes at once, and another is not held up', async () => {
    const world = createKubeletWorld({ seed: 12 });
    world.mac.configure({ images: { '*': {}, 'ghcr.io/acme/huge:1': { pullMs: 900_000 } } });
    createPod(world, { atMs: 1_000, name: 'huge' }, { container: { image: 'ghcr.io/acme/huge:1' } });
    createPod(world, { atMs: 5_000, name: 'small' }, { script: 'exit 0' });
    await runUntil(world, 'the small one is done', () => endOf(world.pod('small')) === 'Succeeded 0');
    assert.ok(world.kernel.nowMs() < 60_000, `${world.kernel.nowMs()} ms`);
    const beforeMs = world.kernel.nowMs();
    deletePod(world, { atMs: 0, name: 'huge' });
    await runUntil(world, 'the huge one is gone', () => world.pod('huge') === undefined);
    assert.ok(world.kernel.nowMs() - beforeMs < 5_000, `${world.kernel.nowMs() - beforeMs} ms`);
  });

  it('F93: a VM that does not take the interrupt is ended by force, and the Pod goes', async () => {
    const world = createKubeletWorld({ seed: 13 });
    world.mac.configure({ vmFaults: { '*': { ignoresStop: true, agentSilent: true } } });
    createPod(world, { atMs: 1_000, name: 'stubborn' }, { spec: { terminationGracePeriodSeconds: 5 } });
    await runUntil(world, 'it runs', () => isReady(world.pod('stubborn')));
    deletePod(world, { atMs: 0, name: 'stubborn' });
    await runUntil(world, 'it is gone', () => world.pod('stubborn') === undefined && isClean(world));
  });

  it('§7-29 D8: tokens are there from the start, are renewed before they expire, and are no other VM’s', async () => {
    const world = createKubeletWorld({ seed: 14 });
    const source = { serviceAccountToken: { path: 'key', audience: 'vault', expirationSeconds: 600 } };
    createPod(
      world,
      { atMs: 1_000, name: 'runner' },
      {
        spec: { automountServiceAccountToken: true, volumes: [{ name: 'vault', projected: { sources: [source] } }] },
        container: { volumeMounts: [{ name: 'vault', mountPath: '/vault' }] },
      },
    );
    createPod(world, { atMs: 1_000, name: 'plain' });
    await runUntil(world, 'both run', () => isReady(world.pod('runner')) && isReady(world.pod('plain')));
    const folder = `/var/lib/tart-userdata/pod-runner-${world.pod('runner')?.metadata.uid}`;
    const read = (path: string) => world.mac.files.now.textOf(`${folder}/${path}`);
    const [dispatch, vault] = [read('sa_token'), read('tokens/vault/key')];
    for (const token of [dispatch, vault]) assert.match(token ?? '', /^ey.+\..+\..+/);
    assert.equal(world.mac.files.now.has(`${folder.replace('runner', 'plain')}/sa_token`), false);
    await runFor(world, 400_000);
    assert.equal(read('tokens/vault/key'), vault);
    await runFor(world, 150_000);
    assert.notEqual(read('tokens/vault/key'), vault);
    deletePod(world, { atMs: 0, name: 'runner' });
    await runUntil(world, 'it is gone', () => world.pod('runner') === undefined);
    assert.equal(world.mac.files.now.has(folder), false);
  });

  it('R27 K4: on a Mac of the Go original a VM that runs is taken over, not started a second time', async () => {
    const resumed: string[] = [];
    const nothing = async (): Promise<void> => undefined;
    const logs = { begin: nothing, finish: nothing, resume: async (vm: string) => void resumed.push(vm) };
    let vmOf: Kubelet['vmOf'] = () => '';
    const world = createKubeletWorld({
      ...{ seed: 15, adjust: (ports) => ({ ...ports, logs }) },
      begun: (kubelet) => {
        vmOf = kubelet.vmOf;
      },
    });
    world.kernel.kill('kubelet');
    const old = renderPod('old', { metadata: { finalizers: [FINALIZERS.pod] } });
    world.operator.create('/api/v1/namespaces/default/pods', old);
    world.kernel.restart('kubelet', 600_000);
    await runFor(world, 2_000);
    world.mac.home.putVm('default-old', LEGACY_VM);
    const argv = [world.mac.tartBinary, 'run', 'default-old', '--no-graphics'] as const;
    world.mac.files.now.makeFolder('/records/default-old');
    const record = { recordDir: '/records/default-old', logPath: '/var/log/tart-vms/default-old.log' };
    world.kernel.schedule(10, 'the Go original', () => void world.mac.commands.startRecorded({ argv, ...record }));
    await runUntil(world, 'the old VM is told as ready', () => isReady(world.pod('old')));
    assert.equal(world.pod('old')?.status?.containerStatuses?.[0]?.containerID, 'tart://default-old');
    assert.deepEqual(resumed, ['default-old'], 'what it prints is kept');
    const [pod] = world.pods();
    assert.equal(pod && vmOf(pod), 'default-old', 'its log and its figures are looked for under its own name');
    assert.deepEqual(
      [...world.starts].filter(([vm]) => vm.includes('old')),
      [['default-old', 1]],
    );
    deletePod(world, { atMs: 0, name: 'old' });
    await runUntil(world, 'both are gone', () => world.pod('old') === undefined);
    assert.equal(world.mac.home.vm('default-old'), undefined);
  });
});
