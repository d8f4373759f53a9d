/** The parts of the image adapter: names, output, what is collected, and who shares what. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createMemoryFiles } from '../../sim/tart/step/memory-files.ts';
import { goldenNameOf } from '../vm/golden-name.ts';
import type { TartEntry } from '../vm/tart-answers.ts';
import { createDiskRoom, followPull } from './disk-room.ts';
import { createGoldenBook } from './golden-book.ts';
import { createImageClaims } from './image-claims.ts';
import { parseImageReference, repositoryOf } from './image-name.ts';
import { type Collectable, planCollection, planPressure, type Verdict } from './plan-collection.ts';
import { parsePullLine } from './pull-output.ts';
import { createSharedWork } from './shared-work.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('names of images', () => {
  const NAMES: readonly (readonly [image: string, host: string | undefined, repository?: string, digest?: string])[] = [
    ['ghcr.io/org/image:1', 'ghcr.io', 'ghcr.io/org/image'],
    ['ghcr.io/org/image', 'ghcr.io', 'ghcr.io/org/image'],
    [`ghcr.io/org/image@${DIGEST}`, 'ghcr.io', 'ghcr.io/org/image', DIGEST],
    [`ghcr.io/org/image:1@${DIGEST}`, 'ghcr.io', 'ghcr.io/org/image', DIGEST],
    ['localhost:5000/a/b/c:latest', 'localhost:5000', 'localhost:5000/a/b/c'],
    ['busybox', undefined],
    ['', undefined],
    ['ghcr.io/org/image:1; rm -rf /', undefined],
    ['--insecure/x', undefined],
    ['ghcr.io/org/image@sha256:short', undefined],
  ];
  for (const [image, host, repository, digest] of NAMES) {
    test(`${JSON.stringify(image)} is ${host === undefined ? 'refused' : 'read'}`, () => {
      if (host === undefined) {
        assert.throws(() => parseImageReference(image), { code: 'BadImageName' });
        return;
      }
      const pullName = digest === undefined ? image : `${repository}@${digest}`;
      const expected = { host, repository, pullName, ...(digest !== undefined && { digest }) };
      assert.deepEqual(parseImageReference(image), expected);
    });
  }

  test('§9.5-2 tag and digest go, the port of a host stays', () => {
    for (const image of ['h:5000/a/b:1', `h:5000/a/b@${DIGEST}`, `h:5000/a/b:1@${DIGEST}`, 'h:5000/a/b']) {
      assert.equal(repositoryOf(image), 'h:5000/a/b');
    }
  });
});

test('progress and size of a pull are read, with and without a terminal’s escapes', () => {
  const esc = String.fromCharCode(27);
  assert.deepEqual(parsePullLine('42%'), { percent: 42 });
  assert.deepEqual(parsePullLine(`${esc}[1A\r${esc}[J43%`), { percent: 43 });
  assert.deepEqual(parsePullLine('pulling disk (25.1 GB compressed)...'), { compressedBytes: 25_100_000_000 });
  assert.deepEqual(parsePullLine('pulling manifest...'), {});
});

describe('what a collection deletes', () => {
  const IMAGE = 'ghcr.io/org/image:1';
  const DAY_MS = 86_400_000;
  const golden = goldenNameOf(IMAGE);
  const local = (name: string): TartEntry => ({ source: 'local', name, sizeGb: 1 });
  const cached = (name: string): TartEntry => ({ source: 'oci', name, sizeGb: 1 });
  const ROWS: readonly (readonly [story: string, entry: TartEntry, verdict: Verdict, world: Partial<Collectable>])[] = [
    ['§9.5-3 a base that a Pod names', local(golden), 'keep-needed', { images: [IMAGE] }],
    ['a base that is held', local(golden), 'keep-needed', { isBusy: (name) => name === golden, freePercent: 1 }],
    ['§9.5-3 a base that nobody named yet', local(golden), 'keep-until-later', {}],
    ['§9.5-3 one within its day', local(golden), 'keep-until-later', { factsOf: () => ({ unneededSinceMs: 1 }) }],
    ['§9.5-3 one past its day', local(golden), 'delete', { factsOf: () => ({ unneededSinceMs: 0 }) }],
    ['§9.5-3 a fresh one on a short disk', local(golden), 'delete', { freePercent: 14.9 }],
    ['§9.5-3 one that is named, on a short disk', local(golden), 'keep-needed', { images: [IMAGE], freePercent: 1 }],
    [
      '§9.5-4 one past its day that somebody runs',
      local(golden),
      'keep',
      { factsOf: () => ({ unneededSinceMs: 0 }), live: new Set([golden]) },
    ],
    ['a VM of a Pod', local('vm'), 'keep', { vms: ['vm'] }],
    ['a VM that runs', local('vm'), 'keep', { live: new Set(['vm']) }],
    ['§9.5-5 a VM whose namesake runs', local('vm'), 'delete', { live: new Set(['vm-2']) }],
    ['a VM that is not ours', local('vm'), 'keep', { owns: () => false }],
    ['a VM that nobody knows', local('vm'), 'delete', {}],
    [
      '§9.5-2 a digest of a repository whose tag a Pod names',
      cached(`ghcr.io/org/image@${DIGEST}`),
      'keep',
      { images: [IMAGE] },
    ],
    ['an image that nobody names', cached('ghcr.io/org/other:1'), 'delete', { images: [IMAGE] }],
    ['an image that a Pod names, on a short disk', cached(IMAGE), 'delete', { images: [IMAGE], freePercent: 1 }],
    [
      'an image that is being pulled',
      cached(IMAGE),
      'keep',
      { isBusy: (name) => name === 'ghcr.io/org/image', freePercent: 1 },
    ],
  ];
  for (const [story, entry, verdict, changes] of ROWS) {
    test(`${story}: ${verdict}`, () => {
      const world: Collectable = {
        ...{ entries: [entry], live: new Set(), isBusy: () => false, images: [], vms: [], owns: () => true },
        ...{ factsOf: () => undefined, freePercent: 50, nowMs: DAY_MS },
        ...changes,
      };
      assert.equal(planCollection(world).get(entry.name), verdict);
    });
  }

  test('§9.5-6 under pressure the unneeded go first, those of running VMs never, and one always stays', () => {
    const [a, b, c] = ['h/a:1', 'h/b:1', 'h/c:1'];
    const goldens = [a, b, c].map(goldenNameOf);
    const world = { goldens, live: new Set<string>(), isBusy: () => false, images: [a, b], runningImages: [a] };
    assert.deepEqual(planPressure(world), [goldenNameOf(c), goldenNameOf(b)]);
    assert.equal(planPressure({ ...world, images: [], runningImages: [] }).length, 2);
    assert.deepEqual(planPressure({ ...world, isBusy: (name) => name === goldenNameOf(c) }), [goldenNameOf(b)]);
  });
});

describe('claims', () => {
  test('what is claimed is not deleted, and is again when it is released', async () => {
    const claims = createImageClaims();
    const release = await claims.claim('a');
    const second = await claims.claim('a');
    assert.equal(await claims.deleteUnlessClaimed('a', async () => assert.fail('it is claimed')), false);
    release();
    release();
    assert.equal(claims.isClaimed('a'), true);
    second();
    assert.equal(await claims.deleteUnlessClaimed('a', async () => undefined), true);
  });

  test('who claims what is being deleted waits until that is over, even if it failed', async () => {
    const claims = createImageClaims();
    const deletion = Promise.withResolvers<void>();
    const deleting = claims.deleteUnlessClaimed('a', () => deletion.promise);
    let isClaimed = false;
    const claiming = claims.claim('a').then(() => {
      isClaimed = true;
    });
    await Promise.resolve();
    assert.equal(isClaimed, false);
    deletion.reject(new Error('disk busy'));
    await assert.rejects(deleting);
    await claiming;
  });
});

describe('shared work', () => {
  test('is done once, tells everybody its progress, and ends when the last has left', async () => {
    const work = createSharedWork<string>();
    const seen: string[] = [];
    const started = Promise.withResolvers<AbortSignal>();
    const leave = [new AbortController(), new AbortController()];
    const joins = leave.map(({ signal }, at) =>
      work.join('key', { signal, onProgress: (percent) => seen.push(`${at}:${percent}`) }, (shared) => {
        started.resolve(shared.signal);
        queueMicrotask(() => {
          for (const percent of [1, 1, 2]) shared.onProgress(percent);
        });
        return new Promise(() => undefined);
      }),
    );
    const signal = await started.promise;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, ['0:1', '1:1', '0:2', '1:2']);
    leave[0]?.abort();
    await assert.rejects(joins[0] ?? Promise.resolve(), { code: 'Cancelled' });
    assert.equal(signal.aborted, false);
    leave[1]?.abort();
    await assert.rejects(joins[1] ?? Promise.resolve());
    assert.equal(signal.aborted, true);
  });

  test('that another’s login spoilt is tried with one’s own', async () => {
    const work = createSharedWork<string>();
    const refusal = Promise.withResolvers<string>();
    const first = work.join('key', { signal: neverAborted() }, () => refusal.promise);
    const second = work.join('key', { signal: neverAborted() }, async () => 'mine');
    refusal.reject(new FleetError('denied', { code: 'ImagePullDenied', message: 'no' }));
    await assert.rejects(first, { code: 'ImagePullDenied' });
    assert.equal(await second, 'mine');
  });
});

test('pulls that do not fit beside each other: the later one is refused', async () => {
  const room = createDiskRoom(async () => ({ totalBytes: 100, freeBytes: 50 }), '/');
  const refused: string[] = [];
  const first = room.reserve(() => refused.push('first'));
  const second = room.reserve(() => refused.push('second'));
  first.need('a', 30);
  second.need('b', 30);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(refused, ['second']);
  first.release();
  second.need('b', 30);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(refused, ['second']);
});

test('a pull that is nearly done keeps no other from its room: what came is on the disk, and is counted there', async () => {
  let freeBytes = 100;
  const room = createDiskRoom(async () => ({ totalBytes: 100, freeBytes }), '/');
  const refused: string[] = [];
  const first = followPull(room);
  first.reserve(() => refused.push('first')).need('a', 60);
  freeBytes = 46;
  first.came(90);
  const second = room.reserve(() => refused.push('second'));
  second.need('b', 40);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(refused, []);
  second.need('b', 41);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(refused, ['second']);
});

test('the book of bases survives, forgets what is gone, and reads nonsense as nothing', async () => {
  const clock = createManualClock();
  const files = createMemoryFiles({ now: clock.now, tell: () => undefined });
  const first = createGoldenBook(files, '/book');
  await first.look().found(['a', 'b']);
  await first.put('a', { image: 'h/a:1', digest: DIGEST });
  const second = createGoldenBook(files, '/book');
  assert.equal(second.isOpen(), false);
  await second.look().found(['a']);
  assert.deepEqual(second.facts('a'), { image: 'h/a:1', digest: DIGEST });
  assert.deepEqual(second.names(), ['a']);
  await files.writeText('/book', '{"a": 7, "b"');
  const third = createGoldenBook(files, '/book');
  await third.look().found(['a']);
  assert.deepEqual(third.facts('a'), {});
});

test('the book of bases believes what was done while somebody looked, not what he saw', async () => {
  const files = createMemoryFiles({ now: createManualClock().now, tell: () => undefined });
  const book = createGoldenBook(files, '/book');
  await book.look().found(['old', 'deleted']);
  const look = book.look();
  await book.put('made', { image: 'h/made:1' });
  await book.drop('deleted');
  await look.found(['old', 'deleted']);
  look.end();
  assert.deepEqual(book.names(), ['made', 'old']);
  await book.look().found(['old']);
  assert.deepEqual(book.names(), ['old']);
});
