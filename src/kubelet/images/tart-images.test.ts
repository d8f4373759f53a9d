/** The image adapter on the simulated `tart`. */
import assert from 'node:assert/strict';
import { sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { goldenNameOf } from '../vm/golden-name.ts';
import { type TartBench, testOnBoth, testOnSteps } from '../vm/testing/tart-bench.ts';
import type { CollectImages, EnsureImage, Needed } from './image-port.ts';

const IMAGE = 'ghcr.io/org/image:1';
const GB = 1e9;
const HOUR_MS = 3_600_000;

const ask = (bench: TartBench, changes: Partial<EnsureImage> = {}): EnsureImage => ({
  ...{ image: IMAGE, policy: 'IfNotPresent', signal: bench.signal, ...changes },
});

const refusedWith = (code: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof FleetError, String(thrown));
  assert.equal(thrown.code, code, thrown.message);
  return true;
};

testOnBoth('an image is pulled once and is a base from then on, also for the next life of the agent', async (bench) => {
  const seen: number[] = [];
  const first = await bench.images.ensure(ask(bench, { onProgress: (percent) => seen.push(percent) }));
  assert.equal(first.path, 'cold');
  assert.match(first.digest ?? '', /^sha256:/);
  assert.deepEqual(seen, [0, 100]);
  assert.deepEqual(bench.images.goldens(), [goldenNameOf(IMAGE)]);
  await bench.configure({ images: {} });
  const later = await bench.again().images.ensure(ask(bench));
  assert.equal(later.path, 'warm');
  assert.equal(later.digest, first.digest);
});

testOnSteps('many who want the same image wait for one pull', async (bench) => {
  await bench.configure({ images: { '*': { pullMs: 300 } } });
  const held = await Promise.all([1, 2, 3].map(() => bench.images.ensure(ask(bench))));
  assert.deepEqual(
    held.map(({ path }) => path),
    ['cold', 'cold', 'cold'],
  );
  const entries = await bench.vms.list(bench.signal);
  assert.deepEqual(
    entries.map(({ name }) => name),
    [goldenNameOf(IMAGE)],
  );
});

const REFUSALS: readonly (readonly [story: string, code: string, settings: object, request?: Partial<EnsureImage>])[] =
  [
    ['an image that the registry does not have', 'ImageNotFound', { images: {} }],
    [
      'a login that the registry refuses',
      'ImagePullDenied',
      { images: { '*': { login: { username: 'u', password: 'p' } } } },
    ],
    ['a name that cannot be one', 'BadImageName', {}, { image: 'just-a-vm' }],
    ['an image that is not here, with the policy Never', 'ImageNotPresent', {}, { policy: 'Never' }],
    [
      'another digest than the pinned one',
      'DigestMismatch',
      { pullFaults: { '*': { otherDigest: `sha256:${'b'.repeat(64)}` } } },
      { image: `ghcr.io/org/image@sha256:${'a'.repeat(64)}` },
    ],
    ['a disk that Tart finds too small', 'NoSpace', { freeGb: 10 }],
  ];

for (const [story, code, settings, request] of REFUSALS) {
  testOnSteps(`${story} is refused with ${code} and leaves no base`, async (bench) => {
    await bench.configure(settings);
    await assert.rejects(bench.images.ensure(ask(bench, request)), refusedWith(code));
    assert.deepEqual(bench.images.goldens(), []);
  });
}

testOnSteps('a pull that cannot fit is given up before it has come', async (bench) => {
  bench.setDisk({ totalBytes: 500 * GB, freeBytes: 10 * GB });
  await bench.configure({ images: { '*': { compressedGb: 70 } }, pullFaults: { '*': { stallAtPercent: 1 } } });
  await assert.rejects(bench.images.ensure(ask(bench)), refusedWith('NoSpace'));
});

testOnSteps('a tag beside a digest is void, and the base is named after the whole', async (bench) => {
  const digest = `sha256:${'d'.repeat(64)}`;
  const image = `${IMAGE}@${digest}`;
  const held = await bench.images.ensure(ask(bench, { image, policy: 'Always' }));
  assert.deepEqual([held.golden, held.digest], [goldenNameOf(image), digest]);
});

testOnSteps('which bases are here is known after a look', async (bench) => {
  (await bench.images.ensure(ask(bench))).release();
  const { images } = bench.again();
  assert.deepEqual(images.goldens(), []);
  await images.look(bench.signal);
  assert.deepEqual(images.goldens(), [goldenNameOf(IMAGE)]);
});

testOnSteps('the login of the image’s own host is used', async (bench) => {
  await bench.configure({ images: { '*': { login: { username: 'u', password: 'p' } } } });
  const login = (host: string, password: string) => ({ host, username: 'u', password: new Secret(password) });
  const credentials = [login('quay.io', 'no'), login('ghcr.io', 'p')];
  assert.equal((await bench.images.ensure(ask(bench, { credentials }))).path, 'cold');
});

testOnSteps(
  'of several logins for its host each is tried, and what is left of the refusals is the last',
  async (bench) => {
    await bench.configure({ images: { '*': { login: { username: 'u', password: 'p' } } } });
    const login = (password: string) => ({ host: 'ghcr.io', username: 'u', password: new Secret(password) });
    const wrong = { credentials: [login('old'), login('older')] };
    await assert.rejects(bench.images.ensure(ask(bench, wrong)), { code: 'ImagePullDenied' });
    const credentials = [login('old'), login('p'), login('older')];
    assert.equal((await bench.images.ensure(ask(bench, { credentials }))).path, 'cold');
  },
);

testOnSteps(
  'a tag that moved makes a new base where the policy is Always, and one that did not makes none',
  async (bench) => {
    const always = ask(bench, { policy: 'Always' });
    const old = await bench.images.ensure(always);
    assert.equal((await bench.images.ensure(always)).path, 'warm');
    const digest = `sha256:${'c'.repeat(64)}`;
    await bench.configure({ images: { '*': { digest } } });
    const fresh = await bench.images.ensure(always);
    assert.deepEqual([fresh.path, fresh.digest], ['cold', digest]);
    assert.notEqual(old.digest, digest);
  },
);

testOnBoth('who gives up ends the pull only when nobody else waits for it', async (bench) => {
  await bench.configure({ images: { '*': { pullMs: 500 } } });
  const impatient = new AbortController();
  const began = Promise.withResolvers<number>();
  const first = bench.images.ensure(ask(bench, { signal: impatient.signal, onProgress: began.resolve }));
  const second = bench.images.ensure(ask(bench));
  await began.promise;
  impatient.abort();
  await assert.rejects(first, refusedWith('Cancelled'));
  assert.equal((await second).path, 'cold');
});

interface Collecting extends Partial<Needed> {
  readonly owns?: () => boolean;
}

const collecting = (bench: TartBench, { owns = () => true, ...needed }: Collecting = {}): CollectImages => ({
  ...{ needed: () => ({ images: [], runningImages: [], vms: [], ...needed }), owns, signal: bench.signal },
});

const localNames = async (bench: TartBench): Promise<readonly string[]> =>
  (await bench.vms.list(bench.signal)).map(({ name }) => name);

testOnBoth('§9.5-5 a collection deletes what nobody needs and nothing that runs or is needed', async (bench) => {
  const held = await bench.images.ensure(ask(bench));
  for (const vm of ['x', 'x-2', 'needed']) {
    await bench.vms.clone({ from: held.golden, to: vm, signal: bench.signal });
  }
  held.release();
  await bench.vms.start(await bench.startOf('x-2'));
  const collected = await bench.images.collect(collecting(bench, { images: [IMAGE], vms: ['needed'] }));
  assert.deepEqual(collected, { vms: ['x'], goldens: [], cached: [] });
  assert.deepEqual(await localNames(bench), ['needed', held.golden, 'x-2'].toSorted());
});

testOnSteps('a VM that is not of our kind is left alone', async (bench) => {
  await bench.vms.clone({ from: IMAGE, to: 'builder', signal: bench.signal });
  await bench.images.collect(collecting(bench, { owns: () => false }));
  assert.deepEqual(await localNames(bench), ['builder']);
});

testOnSteps('§9.5-3 a base that nobody needs stays for a day, also through a restart of the agent', async (bench) => {
  (await bench.images.ensure(ask(bench))).release();
  const collect = async (): Promise<number> => (await bench.again().images.collect(collecting(bench))).goldens.length;
  assert.equal(await collect(), 0);
  await sleep(bench.clock, 23 * HOUR_MS, bench.signal);
  assert.equal(await collect(), 0);
  await sleep(bench.clock, HOUR_MS, bench.signal);
  assert.equal(await collect(), 1);
});

testOnSteps('a base that is held outlives every collection', async (bench) => {
  const held = await bench.images.ensure(ask(bench));
  bench.setDisk({ totalBytes: 100 * GB, freeBytes: GB });
  assert.deepEqual((await bench.images.collect(collecting(bench))).goldens, []);
  held.release();
  assert.deepEqual((await bench.images.collect(collecting(bench))).goldens, [held.golden]);
});

testOnSteps('§9.5-6 a disk that stays short costs needed bases too, but not those of running VMs', async (bench) => {
  const images = ['ghcr.io/org/a:1', 'ghcr.io/org/b:1', 'ghcr.io/org/c:1'];
  for (const image of images) (await bench.images.ensure(ask(bench, { image }))).release();
  bench.setDisk({ totalBytes: 100 * GB, freeBytes: GB });
  const [first = '', ...others] = images;
  const { goldens } = await bench.images.collect(collecting(bench, { images, runningImages: [first] }));
  assert.deepEqual([...goldens].toSorted(), others.map(goldenNameOf).toSorted());
  assert.equal(bench.images.has(first), true);
});

testOnSteps('a full disk is emptied of what nobody needs, and the pull tried again', async (bench) => {
  await bench.configure({ freeGb: 60 });
  (await bench.images.ensure(ask(bench, { image: 'ghcr.io/org/old:1' }))).release();
  await bench.images.collect(collecting(bench, { images: ['ghcr.io/org/old:1'] }));
  assert.equal((await bench.images.ensure(ask(bench))).path, 'cold');
  // The base of the other is still needed, and shares its space with nobody now.
  assert.deepEqual(bench.images.goldens(), [goldenNameOf('ghcr.io/org/old:1'), goldenNameOf(IMAGE)].toSorted());
});

testOnSteps(
  'S27 what is needed is asked when something is to go, not when the collection began: a VM has come since',
  async (bench) => {
    const held = await bench.images.ensure(ask(bench));
    for (const vm of ['old', 'young']) await bench.vms.clone({ from: held.golden, to: vm, signal: bench.signal });
    held.release();
    const vms = ['none'];
    const needed = (): Needed => ({ images: [IMAGE], runningImages: [], vms });
    // Deleting the first takes its time.
    const owns = (vm: string): boolean => {
      if (vm === 'young') queueMicrotask(() => vms.push('young'));
      return true;
    };
    const collected = await bench.images.collect({ needed, owns, signal: bench.signal });
    assert.deepEqual(collected.vms, ['old']);
  },
);

testOnSteps('a full disk does not cost the base of a VM that came after the last collection', async (bench) => {
  const old = 'ghcr.io/org/old:1';
  await bench.configure({ freeGb: 60 });
  const images: string[] = [];
  const needed = (): Needed => ({ images: [...images], runningImages: [...images], vms: [] });
  await bench.images.collect({ needed, owns: () => true, signal: bench.signal });
  (await bench.images.ensure(ask(bench, { image: old }))).release();
  images.push(old);
  await bench.images.ensure(ask(bench)).catch(() => undefined);
  assert.ok(bench.images.has(old));
});

testOnSteps('a pull that is nearly done does not keep another from its room', async (bench) => {
  const [big, small] = ['ghcr.io/org/big:1', 'ghcr.io/org/small:1'];
  const images = {
    [big]: { compressedGb: 60, sizeGb: 60, pullMs: 100_000 },
    [small]: { compressedGb: 35, pullMs: 5_000 },
  };
  await bench.configure({ images });
  bench.setDisk({ totalBytes: 100 * GB, freeBytes: 100 * GB });
  const nearly = Promise.withResolvers<void>();
  const onProgress = (percent: number): void => void (percent >= 90 && nearly.resolve());
  const first = bench.images.ensure(ask(bench, { image: big, onProgress }));
  await nearly.promise;
  bench.setDisk({ totalBytes: 100 * GB, freeBytes: 46 * GB });
  assert.equal((await bench.images.ensure(ask(bench, { image: small }))).path, 'cold');
  assert.equal((await first).path, 'cold');
});

testOnSteps('F85 a pull that stalls is given up, tried again, and then told', async (bench) => {
  await bench.configure({ pullFaults: { '*': { stallAtPercent: 95 } } });
  const pull = bench.images.ensure(ask(bench));
  const other = sleep(bench.clock, 1_000, bench.signal).then(async () => {
    await bench.configure({ pullFaults: { [IMAGE]: { stallAtPercent: 95 } } });
    return bench.images.ensure(ask(bench, { image: 'ghcr.io/org/other:1' }));
  });
  assert.equal((await other).path, 'cold');
  await assert.rejects(pull, refusedWith('ImagePullStalled'));
});

testOnSteps('F85 a registry that is busy is asked again', async (bench) => {
  await bench.configure({ pullFaults: { '*': { status: 429 } } });
  const pull = bench.images.ensure(ask(bench));
  await sleep(bench.clock, 500, bench.signal);
  await bench.configure({ pullFaults: {} });
  assert.equal((await pull).path, 'cold');
});

testOnSteps('F94 a base that somebody deleted by hand is made again', async (bench) => {
  const held = await bench.images.ensure(ask(bench));
  await bench.vms.remove(held.golden, bench.signal);
  await assert.rejects(bench.vms.clone({ from: held.golden, to: 'a', signal: bench.signal }), refusedWith('VmMissing'));
  await held.lost();
  assert.equal((await bench.images.ensure(ask(bench))).path, 'cold');
});
