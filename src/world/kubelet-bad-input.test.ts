/** What people get wrong, and what a Mac lacks: the Pod says what is wrong and what to do, its neighbour runs on, and it goes when it is deleted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runningVms } from '../sim/tart/tart-home.ts';
import type { SimTartSettings } from '../sim/tart/tart-settings.ts';
import { createKubeletWorld, type KubeletWorld } from './kubelet-world.ts';
import { createPod, deletePod, endOf, isReady, runFor, runUntil, type WantedPod } from './testing/kubelet-run.ts';

interface Row {
  readonly story: string;
  readonly pod?: WantedPod;
  readonly settings?: Partial<SimTartSettings>;
  /** What the Pod says. */
  readonly says: RegExp;
  /** The reason its container waits for. */
  readonly waits: string;
  /** What a person does about it; then the Pod runs. */
  readonly mend?: (world: KubeletWorld) => void;
}

const GOOD = { 'ghcr.io/acme/macos:1': {} };
const OTHER = 'ghcr.io/acme/other:1';
const PINNED = `ghcr.io/acme/other@sha256:${'a'.repeat(64)}`;

const fromSecret = { name: 'KEY', valueFrom: { secretKeyRef: { name: 'late', key: 'k' } } };
const script = { name: 'SIM_GUEST_SCRIPT', value: 'exit 0' };

const ROWS: readonly Row[] = [
  {
    story: 'an image that does not exist',
    pod: { container: { image: OTHER } },
    settings: { images: GOOD },
    says: /404.*Check the name and the tag of the image/s,
    waits: 'ErrImagePull',
    mend: ({ mac }) => mac.configure({ images: { ...GOOD, [OTHER]: { script: 'exit 0' } } }),
  },
  {
    story: 'wrong credentials',
    pod: { container: { image: OTHER } },
    settings: { images: { ...GOOD, [OTHER]: { login: { username: 'u', password: 'p' } } } },
    says: /imagePullSecret whose user may pull this image/,
    waits: 'ErrImagePull',
  },
  {
    story: 'another digest than the one that is pinned',
    pod: { container: { image: PINNED } },
    settings: { pullFaults: { [PINNED]: { otherDigest: `sha256:${'b'.repeat(64)}` } } },
    says: /gave something else for .*@sha256:a+. Check the digest/,
    waits: 'ErrImagePull',
  },
  {
    story: 'a pull of 70 GB with 10 GB free',
    pod: { container: { image: OTHER } },
    settings: { images: { ...GOOD, [OTHER]: { sizeGb: 70, compressedGb: 70 } }, freeGb: 10 },
    says: /Free space on the Mac, or use a smaller image/,
    waits: 'CreateContainerError',
    mend: ({ mac }) => mac.configure({ freeGb: 500 }),
  },
  {
    story: 'a name that is no image',
    pod: { container: { image: 'just-a-vm' } },
    says: /no image that Tart can pull.*host\/name:tag/s,
    waits: 'InvalidImageName',
  },
  {
    story: 'a Secret that appears later',
    pod: { container: { env: [fromSecret, script] } },
    says: /no key k of Secret late/,
    waits: 'CreateContainerConfigError',
    mend: ({ operator }) =>
      operator.create('/api/v1/namespaces/default/secrets', {
        metadata: { name: 'late' },
        data: { k: Buffer.from('here').toString('base64') },
      }),
  },
  {
    story: 'a Tart that hangs',
    settings: { hangs: ['clone'] },
    says: /tart clone.*took longer than.*See what holds it up on the Mac/,
    waits: 'CreateContainerError',
    mend: ({ mac }) => mac.configure({ hangs: [] }),
  },
  {
    story: 'a Tart that prints garbage',
    pod: { container: { image: OTHER } },
    settings: { garbles: ['get', 'list', 'fqn'] },
    says: /what tart fqn printed.*Run it on the Mac and look/,
    waits: 'CreateContainerError',
    mend: ({ mac }) => mac.configure({ garbles: [] }),
  },
];

/** A Mac with one VM that runs, which nothing of this is about. */
const stage = async (seed: number): Promise<{ readonly world: KubeletWorld; readonly isWell: () => boolean }> => {
  const world = createKubeletWorld({ seed });
  createPod(world, { atMs: 1_000, name: 'neighbour' });
  await runUntil(world, 'the neighbour runs', () => isReady(world.pod('neighbour')));
  const [vm = ''] = runningVms(world.mac.home);
  const pid = world.mac.home.holderOf(vm);
  return { world, isWell: () => isReady(world.pod('neighbour')) && world.mac.home.holderOf(vm) === pid };
};

const waiting = (world: KubeletWorld) => world.pod('bad')?.status?.containerStatuses?.[0]?.state?.waiting;

describe('bad input', () => {
  for (const [at, { story, pod, settings, says, waits, mend }] of ROWS.entries()) {
    it(`${story}: the Pod says what to do, and its neighbour runs on`, async () => {
      const { world, isWell } = await stage(201 + at);
      world.mac.configure(settings ?? {});
      createPod(world, { atMs: 0, name: 'bad' }, { script: 'exit 0', ...pod });
      await runUntil(world, 'it says so', () => world.pod('bad')?.status?.reason === 'TartCreateFailed');
      assert.match(world.pod('bad')?.status?.message ?? '', says);
      assert.equal(waiting(world)?.reason, waits);
      await runFor(world, 120_000);
      assert.ok(isWell(), 'the neighbour runs on');
      if (mend === undefined) deletePod(world, { atMs: 0, name: 'bad' });
      else mend(world);
      const isRight = (): boolean =>
        mend === undefined ? world.pod('bad') === undefined : endOf(world.pod('bad')) === 'Succeeded 0';
      await runUntil(world, mend === undefined ? 'it is gone' : 'it ran', isRight);
      assert.ok(isWell(), 'the neighbour runs on');
    });
  }

  it('a name of 253 characters is as good as any', async () => {
    const { world, isWell } = await stage(220);
    const name = `${'n'.repeat(63)}.`.repeat(3) + 'n'.repeat(61);
    assert.equal(name.length, 253);
    createPod(world, { atMs: 0, name }, { script: 'sleep 1; exit 3' });
    await runUntil(world, 'it ran', () => endOf(world.pod(name)) === 'Failed 3');
    assert.ok(isWell());
    assert.ok([...world.starts.keys()].every((vm) => vm.length <= 63));
  });
});
