/** Leader election of real processes on a real API server: frozen, killed, cut off and stopped. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import type { LeaseTimes } from '../../src/kube/manager/leader-lease.ts';
import { LEASES } from '../../src/kube/types/coordination.ts';
import { CONFIG_MAPS, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import { startFaultProxy } from './bench/fault-proxy.ts';
import type { LeaderProgram } from './kube/leader-program.ts';
import { makeDirectory } from './kube/login.ts';
import { forEachNumber } from './kube/objects.ts';
import { eventually, openScene, type Scene } from './kube/scene.ts';
import { runCache } from './kube/truth.ts';

const QUICK: LeaseTimes = { durationMs: 3_000, renewDeadlineMs: 2_000, retryMs: 400 };
/** Nobody waits for such a lease to run out. */
const LONG: LeaseTimes = { durationMs: 3_600_000, renewDeadlineMs: 10_000, retryMs: 400 };

/** Enough that a leader which does not ask for permission is caught at it. */
const KEYS = 12;

interface Rivals {
  readonly scene: Scene;
  /** Starts a process; ended at the latest after the test. */
  start(identity: string, kubeconfig?: string): Rival;
  /** Who acted outside the cluster, in order. */
  effects(): Promise<readonly string[]>;
  /** The holders of the lease, in order, each with the version at which it became that. */
  readonly holders: readonly { readonly identity: string; readonly version: number }[];
}

interface Rival {
  readonly process: ChildProcess;
  /** Settles when its cache is warm. */
  readonly standsBy: Promise<unknown>;
  /** Settles with exit code and what it said. */
  readonly end: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

const openRivals = async (t: TestContext, times: LeaseTimes): Promise<Rivals> => {
  const scene = await openScene(t);
  const { client, cluster, namespace, signal, undo } = scene;
  const path = join(await makeDirectory(scene), 'effects');
  await writeFile(path, '');
  const metadata = (number: number) => ({ namespace, name: `key-${number}` });
  await forEachNumber(
    KEYS,
    (number) => client.create(SERVICE_ACCOUNTS, { metadata: metadata(number) }, { signal }),
    signal,
  );
  const holders: { identity: string; version: number }[] = [];
  const { cache } = await runCache(scene, { client, resource: LEASES });
  cache.subscribe((change) => {
    if (change.type === 'deleted') return;
    const { spec, metadata } = change.object;
    const identity = spec?.holderIdentity ?? '';
    if (holders.at(-1)?.identity !== identity) holders.push({ identity, version: Number(metadata.resourceVersion) });
  });
  return {
    scene,
    holders,
    effects: async () => (await readFile(path, 'utf8')).split('\n').slice(0, -1),
    start: (identity, kubeconfig = cluster.kubeconfig) => {
      const rival = startProgram({ kubeconfig, namespace, identity, times, effects: path });
      undo(async () => rival.process.kill('SIGKILL'));
      return rival;
    },
  };
};

const startProgram = (program: LeaderProgram): Rival => {
  const file = join(import.meta.dirname, 'kube', 'leader-program.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(program)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(child.stderr);
  const end = once(child, 'exit').then(async ([code]) => ({ code, stderr: await said }));
  return { process: child, end, standsBy: once(child.stdout, 'data') };
};

const untilActs = ({ effects }: Rivals, identity: string, times = KEYS): Promise<unknown> =>
  eventually(`${identity} has acted`, async () => (await effects()).filter((by) => by === identity).length >= times);

/** The version at which it became the holder, once our own watch has heard of it. */
const untilHolds = ({ holders }: Rivals, name: string): Promise<number> =>
  eventually(`${name} is seen to hold the lease`, () => holders.find(({ identity }) => identity === name)?.version);

/** Effects of the one who lost after the first of the one who won: outside the cluster, and in it. */
const countLate = async (rivals: Rivals, { loser, winner }: { loser: string; winner: string }) => {
  const { client, namespace, signal } = rivals.scene;
  const effects = await rivals.effects();
  const outside = effects.slice(effects.indexOf(winner)).filter((by) => by === loser).length;
  const takenAt = await untilHolds(rivals, winner);
  const { items } = await client.list(CONFIG_MAPS, { namespace, labelSelector: `by=${loser}`, signal });
  const inside = items.filter(({ metadata }) => Number(metadata.resourceVersion) > takenAt).length;
  return { outside, inside };
};

/** Lets the frozen one go on when the heir is at work. One effect may have been past its permit; a second may not. */
const assertGivesUp = async (rivals: Rivals, frozen: Rival): Promise<void> => {
  await untilActs(rivals, 'heir', 3 * KEYS);
  frozen.process.kill('SIGCONT');
  assert.deepEqual(await frozen.end, { code: 1, stderr: 'LeaderLeaseLost\n' });
  const { outside, inside } = await countLate(rivals, { loser: 'frozen', winner: 'heir' });
  assert.ok(outside <= 1, `${outside} effects outside the cluster after the loss`);
  assert.ok(inside <= 1, `${inside} effects in the cluster after the loss`);
  assert.deepEqual(
    rivals.holders.map(({ identity }) => identity),
    ['frozen', 'heir'],
  );
};

describe('of two managers', { concurrency: 2 }, () => {
  it('the one that was frozen past its lease acts no more when it goes on', async (t) => {
    const rivals = await openRivals(t, QUICK);
    const frozen = rivals.start('frozen');
    await untilActs(rivals, 'frozen');
    await rivals.start('heir').standsBy;
    frozen.process.kill('SIGSTOP');
    const frozenMs = performance.now();
    await untilActs(rivals, 'heir', 1);
    t.diagnostic(`taken over ${Math.round(performance.now() - frozenMs)} ms after the freeze`);
    await assertGivesUp(rivals, frozen);
  });

  it('the one that was frozen while it still connected sends no write when it goes on', async (t) => {
    const rivals = await openRivals(t, QUICK);
    const frozen = rivals.start('frozen');
    await untilActs(rivals, 'frozen', 1);
    frozen.process.kill('SIGSTOP');
    rivals.start('heir');
    await assertGivesUp(rivals, frozen);
  });

  it('the one that was killed is followed by the other', async (t) => {
    const rivals = await openRivals(t, QUICK);
    const killed = rivals.start('killed');
    await untilActs(rivals, 'killed');
    await rivals.start('heir').standsBy;
    const killedMs = performance.now();
    killed.process.kill('SIGKILL');
    await untilActs(rivals, 'heir');
    t.diagnostic(`taken over ${Math.round(performance.now() - killedMs)} ms after the kill`);
    assert.deepEqual(await countLate(rivals, { loser: 'killed', winner: 'heir' }), { outside: 0, inside: 0 });
  });

  it('the one that lost the API server stops before the other begins', async (t) => {
    const rivals = await openRivals(t, QUICK);
    const proxy = await startFaultProxy(rivals.scene.cluster);
    rivals.scene.undo(() => proxy.close());
    const cut = rivals.start('cut', proxy.kubeconfig);
    await untilActs(rivals, 'cut');
    await rivals.start('heir').standsBy;
    proxy.set({ what: 'reset' });
    await untilActs(rivals, 'heir');
    assert.deepEqual(await cut.end, { code: 1, stderr: 'LeaderLeaseLost\n' });
    assert.deepEqual(await countLate(rivals, { loser: 'cut', winner: 'heir' }), { outside: 0, inside: 0 });
  });

  it('the one that is asked to stop gives the lease back, and the other leads at once', async (t) => {
    const rivals = await openRivals(t, LONG);
    const leaving = rivals.start('leaving');
    await untilActs(rivals, 'leaving');
    await rivals.start('heir').standsBy;
    const askedMs = performance.now();
    leaving.process.kill('SIGTERM');
    assert.deepEqual(await leaving.end, { code: 0, stderr: '' });
    await untilActs(rivals, 'heir');
    t.diagnostic(`taken over ${Math.round(performance.now() - askedMs)} ms after the request to stop`);
    await untilHolds(rivals, 'heir');
    assert.deepEqual(
      rivals.holders.map(({ identity }) => identity),
      ['leaving', '', 'heir'],
    );
    assert.deepEqual(await countLate(rivals, { loser: 'leaving', winner: 'heir' }), { outside: 0, inside: 0 });
  });
});
