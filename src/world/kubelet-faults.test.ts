/** What goes wrong on a Mac and in its VMs, by the rows of the fault list, and what a Pod says then. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../base/errors.ts';
import { EVENTS, NODES } from '../kube/types/core.ts';
import type { VmFaults } from '../sim/tart/tart-settings.ts';
import { createKubeletWorld, type KubeletWorld, NODE_NAME } from './kubelet-world.ts';
import {
  createPod,
  deletePod,
  endOf,
  isClean,
  isReady,
  runFor,
  runUntil,
  type WantedPod,
} from './testing/kubelet-run.ts';

const worldWith = (seed: number, faults: VmFaults, wanted?: WantedPod): KubeletWorld => {
  const world = createKubeletWorld({ seed });
  world.mac.configure({ vmFaults: { '*': faults } });
  createPod(world, { atMs: 1_000, name: 'pod' }, wanted);
  return world;
};
/** Of Pods. */
const eventsOf = ({ operator }: KubeletWorld): readonly string[] =>
  operator
    .list(EVENTS)
    .flatMap(({ involvedObject: { kind, name }, type, reason, message }) =>
      kind === 'Pod' ? [`${type} ${reason} ${name}: ${message}`] : [],
    );
const stateOf = (world: KubeletWorld) => world.pod('pod')?.status?.containerStatuses?.[0]?.state;

describe('F83: a run that ends', () => {
  const rows: readonly { story: string; faults: VmFaults; end: string; reason: string; seed: number }[] = [
    {
      story: 'well, in no time',
      faults: { runEnd: { afterMs: 200, code: 0 } },
      end: 'Succeeded 0',
      reason: 'TartRunExited',
      seed: 31,
    },
    {
      story: 'well, past the sanity window',
      faults: { runEnd: { afterMs: 5_100, code: 0 } },
      end: 'Succeeded 0',
      reason: 'TartRunExited',
      seed: 32,
    },
    {
      story: 'with a code',
      faults: { runEnd: { afterMs: 8_000, code: 7 } },
      end: 'Failed 7',
      reason: 'TartRunFailed',
      seed: 33,
    },
    {
      story: 'by a signal',
      faults: { runEnd: { afterMs: 8_000, signal: 'SIGKILL' } },
      end: 'Failed 1',
      reason: 'TartRunFailed',
      seed: 34,
    },
    {
      story: 'F95: by a panic of the guest, which Tart tells only in words',
      faults: { panicAfterMs: 9_000 },
      end: 'Failed 1',
      reason: 'TartRunFailed',
      seed: 35,
    },
    {
      story: 'with a code, in no time',
      faults: { runEnd: { afterMs: 200, code: 9 } },
      end: 'Failed 9',
      reason: 'TartRunFailed',
      seed: 36,
    },
  ];
  for (const { story, faults, end, reason, seed } of rows) {
    it(`${story}, is ${end}`, async () => {
      const world = worldWith(seed, faults);
      await runUntil(world, 'it is over', () => endOf(world.pod('pod')) === end);
      assert.equal(stateOf(world)?.terminated?.reason, reason);
      assert.deepEqual([...world.starts.values()], [1]);
      await runUntil(world, 'nothing is left', () => isClean(world));
    });
  }
});

describe('F95: a run after one whose guest broke down', () => {
  it('has an end of its own: what the first printed at its end is in the same log', async () => {
    const world = worldWith(37, { panicAfterMs: 9_000 }, { spec: { restartPolicy: 'OnFailure' } });
    const lastOf = () => world.pod('pod')?.status?.containerStatuses?.[0];
    await runUntil(world, 'it broke down', () => lastOf()?.restartCount === 1);
    assert.match(lastOf()?.lastState?.terminated?.message ?? '', /the guest broke down: Internal/);
    world.mac.configure({ vmFaults: { '*': { runEnd: { afterMs: 8_000, signal: 'SIGKILL' } } } });
    await runUntil(world, 'it is killed', () => lastOf()?.restartCount === 2);
    assert.match(lastOf()?.lastState?.terminated?.message ?? '', /tart run was ended by SIGKILL/);
  });
});

describe('a VM that boots', () => {
  it('§7-13 is not destroyed because its address is long in coming, as long as its guest lives', async () => {
    const world = worldWith(41, { noAddress: true });
    await runFor(world, 3_600_000);
    assert.deepEqual([...world.starts.values()], [1]);
    assert.equal(world.pod('pod')?.status?.phase, 'Pending');
    assert.match(stateOf(world)?.waiting?.message ?? '', /no address yet/);
  });

  it('F84: is given up when it has no address and nobody in it answers', async () => {
    const world = worldWith(42, { noAddress: true, agentSilent: true }, { spec: { terminationGracePeriodSeconds: 1 } });
    await runUntil(world, 'it failed', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.match(stateOf(world)?.terminated?.message ?? '', /no address after 15 minutes/);
    assert.ok(world.kernel.nowMs() < 1_100_000, `${world.kernel.nowMs()} ms`);
  });

  it('§7-12 §7-5 waits for somebody to be logged in at the Mac, and says so meanwhile', async () => {
    const world = createKubeletWorld({ seed: 43 });
    world.mac.configure({ noGuiSession: true });
    createPod(world, { atMs: 1_000, name: 'pod' }, { script: 'exit 0' });
    await runUntil(world, 'it says so', () => /HostKey/.test(world.pod('pod')?.status?.message ?? ''));
    await runFor(world, 600_000);
    const [starts = 0] = world.starts.values();
    assert.ok(starts >= 5 && starts < 60, `${starts} tries in ten minutes`);
    world.mac.configure({ noGuiSession: false });
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Succeeded 0');
  });
});

describe('a Pod whose VM cannot be started', () => {
  it('goes at once when it is deleted: what is waited for before the next try is no reason to wait', async () => {
    const faults = { startFails: { afterMs: 10, code: 9 } };
    const world = worldWith(47, faults, { spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 } });
    await runFor(world, 400_000);
    assert.equal(world.pod('pod')?.status?.reason, 'TartCreateFailed');
    const tries = world.starts.values().next().value;
    await runUntil(world, 'one more try', () => world.starts.values().next().value !== tries);
    await runFor(world, 500);
    deletePod(world, { atMs: 0, name: 'pod' });
    const sinceMs = world.kernel.nowMs();
    await runUntil(world, 'it is gone', () => world.pod('pod') === undefined);
    assert.ok(world.kernel.nowMs() - sinceMs < 2_000, `${world.kernel.nowMs() - sinceMs} ms`);
  });
});

describe('a loginwindow that dies', () => {
  it('F43 L9 §7-6 is started again, and the Pod that came meanwhile runs', async () => {
    const world = createKubeletWorld({ seed: 44, login: 'modelled' });
    await runUntil(world, 'the Node is there', () => world.node() !== undefined);
    world.login.die();
    createPod(world, { atMs: 0, name: 'pod' }, { script: 'exit 0' });
    const diedMs = world.kernel.nowMs();
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Succeeded 0');
    assert.ok(world.kernel.nowMs() - diedMs < 120_000, `${world.kernel.nowMs() - diedMs} ms`);
  });
});

describe('S29: a graphical session that does not come back', () => {
  it('is told within a minute: the Node takes no Pods, is not Ready without a VM, and Ready when somebody is logged in', async () => {
    const world = createKubeletWorld({ seed: 46, login: 'modelled' });
    await runUntil(world, 'the Node is ready', () => isReady(world.node()));
    const startedMs = world.kernel.nowMs();
    world.login.seal();
    world.login.die();
    await runUntil(world, 'it is told', () => !isReady(world.node()));
    assert.ok(world.kernel.nowMs() - startedMs <= 60_000, `${world.kernel.nowMs() - startedMs} ms`);
    assert.equal(world.node()?.status?.allocatable?.['pods'], '0');
    await runFor(world, 600_000);
    assert.ok(!isReady(world.node()));
    world.login.unseal();
    await runUntil(world, 'somebody is logged in, and it is told', () => isReady(world.node()));
    assert.ok(world.login.hasSession());
    assert.equal(world.node()?.status?.allocatable?.['pods'], '3');
  });
});

describe('S9 L1: the provider id of the Node', () => {
  const OURS = `scw-applesilicon://fr-par-1/${NODE_NAME}`;
  const stage = async (spec: object | undefined): Promise<KubeletWorld> => {
    const world = createKubeletWorld({ seed: 45 });
    world.kernel.kill('kubelet');
    if (spec !== undefined) world.operator.create('/api/v1/nodes', { metadata: { name: NODE_NAME }, spec });
    world.kernel.restart('kubelet', 100);
    await runUntil(world, 'the Node is ready', () => isReady(world.node()));
    return world;
  };

  const rows: readonly { story: string; spec: object | undefined; is: string }[] = [
    { story: '§9.1-1 is there from the beginning', spec: undefined, is: OURS },
    { story: '§9.1-2 comes where there was none', spec: {}, is: OURS },
    { story: '§9.1-3 is left where there was another', spec: { providerID: 'other://mac' }, is: 'other://mac' },
  ];
  for (const { story, spec, is } of rows) {
    it(`${story}, whatever restarts`, async () => {
      const world = await stage(spec);
      assert.equal(world.node()?.spec?.providerID, is);
      world.kernel.restart('kubelet', 1_000);
      await runFor(world, 60_000);
      assert.equal(world.node()?.spec?.providerID, is);
    });
  }

  it('F78 L21 L11 is there again in no time, and who deletes it on and on is not answered on and on', async () => {
    const world = await stage(undefined);
    const deletedMs = world.kernel.nowMs();
    world.operator.remove(NODES, NODE_NAME);
    await runUntil(world, 'it is registered again', () => isReady(world.node()));
    assert.ok(world.kernel.nowMs() - deletedMs < 15_000, `${world.kernel.nowMs() - deletedMs} ms`);
    for (let atMs = 0; atMs < 60_000; atMs += 500)
      world.kernel.schedule(atMs, 'delete the Node', () => {
        if (world.node() !== undefined) world.operator.remove(NODES, NODE_NAME);
      });
    await runFor(world, 60_000);
    const registered = world.writes.filter(({ verb, resource }) => verb === 'create' && resource === 'nodes').length;
    assert.ok(registered <= 13, `${registered} times in a minute`);
  });

  it('F78 §7-2 is the same when somebody deleted the Node', async () => {
    const world = await stage(undefined);
    world.operator.remove(NODES, NODE_NAME);
    await runUntil(world, 'it is registered again', () => isReady(world.node()));
    assert.equal(world.node()?.spec?.providerID, OURS);
  });
});

describe('F85: an image that does not come', () => {
  it('is told with its cause, and the Pod starts when it is there', async () => {
    const world = createKubeletWorld({ seed: 51 });
    world.mac.configure({ pullFaults: { '*': { status: 404 } } });
    createPod(world, { atMs: 1_000, name: 'pod' }, { script: 'exit 0' });
    await runUntil(world, 'it says so', () => stateOf(world)?.waiting?.reason === 'ErrImagePull');
    world.mac.configure({ pullFaults: {} });
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Succeeded 0');
  });

  it('§7-22 because Tart hangs holds up neither another Pod nor a deletion', async () => {
    const world = createKubeletWorld({ seed: 52 });
    createPod(world, { atMs: 1_000, name: 'first' }, { script: 'sleep 30; exit 0' });
    await runUntil(world, 'one runs', () => isReady(world.pod('first')));
    world.mac.configure({ hangs: ['clone'] });
    createPod(world, { atMs: 0, name: 'stuck' });
    await runUntil(world, 'the first is over', () => endOf(world.pod('first')) === 'Succeeded 0');
    deletePod(world, { atMs: 0, name: 'stuck' });
    const beforeMs = world.kernel.nowMs();
    await runUntil(world, 'the stuck one is gone', () => world.pod('stuck') === undefined);
    assert.ok(world.kernel.nowMs() - beforeMs < 10_000, `${world.kernel.nowMs() - beforeMs} ms`);
  });

  it('§7-23 is pulled once: the second VM is a clone of the base that is here', async () => {
    const world = createKubeletWorld({ seed: 53 });
    for (const [at, name] of ['a', 'b', 'c'].entries())
      createPod(world, { atMs: 1_000 + at * 30_000, name }, { script: 'exit 0' });
    await runUntil(world, 'all ran', () => ['a', 'b', 'c'].every((name) => endOf(world.pod(name)) === 'Succeeded 0'));
    assert.equal(world.commands.filter((words) => words.startsWith('pull ')).length, 1);
  });
});

describe('a pull', () => {
  const play = async (seed: number, pullMs: number) => {
    const world = createKubeletWorld({ seed });
    world.mac.configure({ images: { '*': { pullMs } } });
    createPod(world, { atMs: 1_000, name: 'pod' });
    const said = new Set<string>();
    await runUntil(world, 'it is ready', () => {
      const message = stateOf(world)?.waiting?.message;
      if (message?.startsWith('pulling ')) said.add(message);
      return isReady(world.pod('pod'));
    });
    return { said: [...said], writes: world.writes.filter(({ resource }) => resource === 'pods').length };
  };

  it('that takes long is told in quarters, and one that does not is told as such: few writes (D11)', async () => {
    const image = 'ghcr.io/acme/macos:1';
    const quick = await play(56, 20_000);
    assert.deepEqual(quick.said, [`pulling ${image}`]);
    const slow = await play(56, 600_000);
    assert.deepEqual(slow.said, [`pulling ${image}`, ...[25, 50, 75].map((of) => `pulling ${image}: ${of} %`)]);
    assert.equal(slow.writes, quick.writes + 3);
  });
});

describe('what a Pod can do without', () => {
  it('§7-31 does not hold it up: its metrics cannot be passed on, and it runs all the same', async () => {
    const refused = async () => {
      throw new FleetError('unavailable', { code: 'ForwarderNotBound', message: 'the port is taken' });
    };
    const world = createKubeletWorld({
      seed: 55,
      adjust: (ports) => ({ ...ports, forwardMetrics: refused, forwardPort: refused }),
    });
    const annotations = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9091' };
    const ports = [{ containerPort: 80, hostPort: 8_080 }];
    createPod(world, { atMs: 1_000, name: 'pod' }, { metadata: { annotations }, container: { ports } });
    await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
    assert.match(world.pod('pod')?.status?.podIP ?? '', /^192\.168\.64\./, 'its own address, and no other Pod’s');
    const told = (): readonly string[] => eventsOf(world).filter((event) => event.includes('PortNotForwarded'));
    await runUntil(world, 'both are told', () => told().length > 1);
    assert.deepEqual(told(), [
      'Warning PortNotForwarded pod: metrics at port 9091 are not passed on: the port is taken',
      'Warning PortNotForwarded pod: hostPort 8080 is not passed on: the port is taken',
    ]);
  });
});

describe('a clone', () => {
  it('§9.2-3 §7-35 gets an identity of its own, by exactly these words', async () => {
    const world = createKubeletWorld({ seed: 61 });
    createPod(world, { atMs: 1_000, name: 'plain' });
    const resources = { limits: { cpu: '6', memory: '12Gi' } };
    createPod(world, { atMs: 1_000, name: 'sized' }, { container: { resources } });
    await runUntil(world, 'both run', () => isReady(world.pod('plain')) && isReady(world.pod('sized')));
    const uidOf = (name: string): string => world.pod(name)?.metadata.uid ?? '';
    const sets = world.commands.filter((words) => words.startsWith('set ')).toSorted();
    assert.deepEqual(sets, [
      `set pod-plain-${uidOf('plain')} --random-serial`,
      `set pod-sized-${uidOf('sized')} --cpu 6 --memory 12288 --random-serial`,
    ]);
    assert.deepEqual(eventsOf(world).toSorted(), [
      'Normal CreatingVM plain: making a VM of ghcr.io/acme/macos:1',
      'Normal CreatingVM sized: making a VM of ghcr.io/acme/macos:1',
    ]);
  });

  it('that keeps the identity of its base runs all the same, and an event says so', async () => {
    const serialKept = new FleetError('unavailable', { code: 'TartFailed', message: 'tart set: no such option' });
    const world = createKubeletWorld({
      seed: 64,
      adjust: (ports) => ({ ...ports, vms: { ...ports.vms, configure: async () => ({ serialKept }) } }),
    });
    createPod(world, { atMs: 1_000, name: 'pod' }, { script: 'exit 0' });
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Succeeded 0');
    assert.deepEqual(eventsOf(world), [
      'Normal CreatingVM pod: making a VM of ghcr.io/acme/macos:1',
      'Warning IdentityRegenSkipped pod: tart set: no such option',
    ]);
  });

  it('§7-20 of somebody else is nobody’s to touch, nor is anything while images are built here', async () => {
    const world = createKubeletWorld({
      seed: 62,
      adjust: (ports) => ({ ...ports, settings: { ...ports.settings, collects: 'nothing' } }),
    });
    createPod(world, { atMs: 1_000, name: 'pod' }, { script: 'exit 0' });
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Succeeded 0');
    await runUntil(world, 'nothing is left of it', () => isClean(world));
    const [golden = ''] = world.mac.home.vmNames();
    const vm = world.mac.home.vm(golden);
    assert.ok(vm);
    world.mac.home.putVm('tuist-runner-build', vm);
    await runFor(world, 3_600_000);
    assert.deepEqual(world.mac.home.vmNames(), [golden, 'tuist-runner-build']);
    // A base is kept for a day anyway; what it was made of is not.
    assert.equal(world.mac.home.cached().length, 1);
  });
});

describe('F88: an agent that starts while the API is away', () => {
  it('takes nothing for nobody’s: a VM of which it knows nothing runs on, and is found when the API is back', async () => {
    const network = { sites: { kube: { faults: { 'fail-before': 1 } } } } as const;
    const world = createKubeletWorld({ seed: 63, network });
    world.kernel.setFaults('off');
    createPod(world, { atMs: 1_000, name: 'pod' });
    await runUntil(world, 'it runs', () => isReady(world.pod('pod')));
    const pids = world.mac.processes.list().map(({ pid }) => pid);
    world.kernel.kill('kubelet');
    world.mac.files.now.remove('/var/lib/tart-userdata/.journal');
    world.kernel.setFaults('on');
    const before = world.commands.length;
    world.kernel.restart('kubelet', 1);
    await runFor(world, 1_800_000);
    const harmed = world.commands.slice(before).filter((words) => /^(stop|delete) /.test(words));
    assert.deepEqual(harmed, []);
    world.kernel.setFaults('off');
    deletePod(world, { atMs: 60_000, name: 'pod' });
    await runFor(world, 59_000);
    assert.deepEqual([isReady(world.pod('pod')), [...world.starts.values()]], [true, [1]]);
    assert.deepEqual(
      world.mac.processes.list().map(({ pid }) => pid),
      pids,
    );
    await runUntil(world, 'it is attended to', () => world.pod('pod') === undefined && isClean(world));
  });
});

describe('what is kept on a Mac', () => {
  it('§7-24 the image of a Pod stays although Pods name tags and Tart lists digests', async () => {
    const world = createKubeletWorld({ seed: 71 });
    createPod(world, { atMs: 1_000, name: 'first' });
    await runUntil(world, 'it runs', () => isReady(world.pod('first')));
    await runFor(world, 1_200_000);
    createPod(world, { atMs: 0, name: 'second' }, { script: 'exit 0' });
    await runUntil(world, 'it ran', () => endOf(world.pod('second')) === 'Succeeded 0');
    assert.equal(world.commands.filter((words) => words.startsWith('pull ')).length, 1);
  });

  it('S27 an image stays while a base is cloned from it, however short the disk is', async () => {
    const world = createKubeletWorld({ seed: 73 });
    world.mac.configure({ images: { '*': { sizeGb: 450, compressedGb: 10 } }, cloneMs: 280_000 });
    createPod(world, { atMs: 60_000, name: 'pod' }, { script: 'exit 0' });
    const isCollected = (): boolean => world.commands.some((words) => words.startsWith('delete ghcr.io/'));
    await runUntil(world, 'it ran', () => endOf(world.pod('pod')) === 'Succeeded 0');
    await runUntil(world, 'the image goes when nobody clones from it any more', isCollected);
  });

  it('S27 F94 a VM that came while a collection waited for its turn is not taken for nobody’s between its clone and its start', async () => {
    let isBusy = false;
    const waitFor = (ms: number): Promise<void> =>
      new Promise((resolve) => void world.kernel.schedule(ms, 'wait', () => resolve()));
    const world: KubeletWorld = createKubeletWorld({
      seed: 74,
      adjust: (ports) => ({
        ...ports,
        images: {
          ...ports.images,
          // Behind another collection, or a Tart that is slow to list.
          collect: async (request) => {
            if (isBusy && world.pod('late') === undefined) {
              createPod(world, { atMs: 0, name: 'late' }, { script: 'exit 0' });
              await waitFor(1_500);
            }
            return ports.images.collect(request);
          },
        },
        vms: {
          ...ports.vms,
          configure: async (request) => {
            if (isBusy) await waitFor(2_000);
            return ports.vms.configure(request);
          },
        },
      }),
    });
    createPod(world, { atMs: 1_000, name: 'first' });
    await runUntil(world, 'the first runs', () => isReady(world.pod('first')));
    isBusy = true;
    await runUntil(world, 'the other is started', () => world.starts.size === 2);
    assert.deepEqual(
      world.commands.filter((words) => words.startsWith('delete pod-late')),
      [],
    );
    await runUntil(world, 'it ran', () => endOf(world.pod('late')) === 'Succeeded 0');
  });

  it('§7-36 images that nobody needs go before the disk is full, whatever a day says', async () => {
    const world = createKubeletWorld({ seed: 72 });
    world.mac.configure({ images: { '*': { sizeGb: 60, compressedGb: 30 } } });
    for (let at = 0; at < 12; at += 1) {
      const name = `p${at}`;
      createPod(world, { atMs: 1_000, name }, { script: 'exit 0', container: { image: `ghcr.io/acme/i${at}:1` } });
      await runUntil(world, `${name} ran`, () => endOf(world.pod(name)) === 'Succeeded 0');
      deletePod(world, { atMs: 0, name });
      await runFor(world, 301_000);
      const { totalBytes, freeBytes } = await world.mac.measureDisk('/');
      assert.ok(freeBytes / totalBytes >= 0.1, `${(100 * freeBytes) / totalBytes} % after ${name}`);
    }
  });
});
