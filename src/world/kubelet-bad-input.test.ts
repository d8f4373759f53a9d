/** What people get wrong, and what a Mac lacks: the Pod says what is wrong and what to do, its neighbour runs on, and it goes when it is deleted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECRETS } from '../kube/types/core.ts';
import { runningVms } from '../sim/tart/tart-home.ts';
import type { SimTartSettings } from '../sim/tart/tart-settings.ts';
import { createKubeletWorld, type KubeletWorld, type KubeletWorldOptions } from './kubelet-world.ts';
import {
  createPod,
  deletePod,
  endOf,
  FOREVER,
  isReady,
  runFor,
  runUntil,
  type WantedPod,
} from './testing/kubelet-run.ts';

interface Row {
  readonly story: string;
  readonly pod?: WantedPod;
  readonly settings?: Partial<SimTartSettings>;
  /** What is there before the Pod. */
  readonly prepare?: (world: KubeletWorld) => void;
  /** What the Pod says. */
  readonly says: RegExp;
  /** The reason its container waits for. */
  readonly waits: string;
  /** Its own; that its VM could not be made, unless given. */
  readonly reason?: string;
  /** What a person does about it; then the Pod runs. */
  readonly mend?: (world: KubeletWorld) => void;
}

const GOOD = { 'ghcr.io/acme/macos:1': {} };
const OTHER = 'ghcr.io/acme/other:1';
const PINNED = `ghcr.io/acme/other@sha256:${'a'.repeat(64)}`;

const fromSecret = { name: 'KEY', valueFrom: { secretKeyRef: { name: 'late', key: 'k' } } };
const script = { name: 'SIM_GUEST_SCRIPT', value: 'exit 0' };

const renderLogin = (password: string) => {
  const config = { auths: { 'ghcr.io': { auth: Buffer.from(`u:${password}`).toString('base64') } } };
  return { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') };
};

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
    pod: { container: { image: OTHER }, spec: { imagePullSecrets: [{ name: 'registry' }] } },
    settings: { images: { ...GOOD, [OTHER]: { login: { username: 'u', password: 'p' }, script: 'exit 0' } } },
    prepare: ({ operator }) =>
      operator.create('/api/v1/namespaces/default/secrets', {
        ...{ metadata: { name: 'registry' }, type: 'kubernetes.io/dockerconfigjson', data: renderLogin('wrong') },
      }),
    says: /imagePullSecret whose user may pull this image/,
    waits: 'ErrImagePull',
    mend: ({ operator }) => operator.merge(SECRETS, 'registry', { data: renderLogin('p') }),
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
    story: 'a Tart that is missing',
    settings: { isMissing: true },
    says: /there is no tart at .*Install Tart on the Mac/,
    waits: 'CreateContainerError',
    mend: ({ mac }) => mac.configure({ isMissing: false }),
  },
  {
    story: 'F44: a login keychain that is closed',
    settings: { isKeychainClosed: true },
    says: /VZErrorDomain Code=1 .*may be that the login keychain is closed: .*unlock-keychain/s,
    waits: 'CreateContainerError',
    mend: ({ mac }) => mac.configure({ isKeychainClosed: false }),
  },
  {
    story: 'a Tart that prints garbage',
    pod: { container: { image: OTHER } },
    settings: { garbles: ['get', 'list', 'fqn'] },
    says: /what tart fqn printed.*Run it on the Mac and look/,
    waits: 'CreateContainerError',
    mend: ({ mac }) => mac.configure({ garbles: [] }),
  },
  {
    story: '§7-28: a command for an image without the guest agent',
    pod: { script: FOREVER, container: { command: ['/bin/sh', '-c', 'exit 3'] } },
    settings: { vmFaults: { '*': { agentSilent: true } } },
    says: /its command could not be launched: tart exec: .*Install the Tart guest agent in the image/,
    waits: 'CommandNotLaunched',
    reason: 'CommandNotLaunched',
  },
];

/** A Mac with one VM that runs, which nothing of this is about. */
const stage = async (
  seed: number,
  options: Partial<KubeletWorldOptions> = {},
): Promise<{ readonly world: KubeletWorld; readonly isWell: () => boolean }> => {
  const world = createKubeletWorld({ seed, ...options });
  createPod(world, { atMs: 1_000, name: 'neighbour' });
  await runUntil(world, 'the neighbour runs', () => isReady(world.pod('neighbour')));
  const [vm = ''] = runningVms(world.mac.home);
  const pid = world.mac.home.holderOf(vm);
  return { world, isWell: () => isReady(world.pod('neighbour')) && world.mac.home.holderOf(vm) === pid };
};

const waiting = (world: KubeletWorld) => world.pod('bad')?.status?.containerStatuses?.[0]?.state?.waiting;

describe('bad input', () => {
  for (const [
    at,
    { story, pod, settings, prepare, says, waits, mend, reason = 'TartCreateFailed' },
  ] of ROWS.entries()) {
    it(`${story}: the Pod says what to do, and its neighbour runs on`, async () => {
      const { world, isWell } = await stage(201 + at);
      world.mac.configure(settings ?? {});
      prepare?.(world);
      createPod(world, { atMs: 0, name: 'bad' }, { script: 'exit 0', ...pod });
      await runUntil(world, 'it says so', () => world.pod('bad')?.status?.reason === reason);
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

describe('a Mac whose Tart is of no use', () => {
  const rows: readonly { story: string; settings: Partial<SimTartSettings>; reason: string; says: RegExp }[] = [
    { story: 'missing', settings: { isMissing: true }, reason: 'TartMissing', says: /no tart at .*Install Tart/ },
    {
      story: 'too old',
      settings: { version: '2.31.9' },
      reason: 'TartTooOld',
      says: /tart is 2\.31\.9, and 2\.32\.0 is the oldest that works\. Install a newer Tart/,
    },
  ];
  const usable = (world: KubeletWorld) =>
    world.node()?.status?.conditions?.find(({ type }) => type === 'TartUsable') ?? assert.fail('no condition');
  const offered = (world: KubeletWorld) => world.node()?.status?.allocatable?.['pods'];

  for (const [at, { story, settings, reason, says }] of rows.entries()) {
    it(`${story}: its Node says so and takes no Pods; the VM that runs stays, and with it the Node is Ready`, async () => {
      const { world, isWell } = await stage(231 + at, { login: 'modelled' });
      world.mac.configure(settings);
      await runUntil(world, 'it is told', () => usable(world).status === 'False');
      assert.equal(usable(world).reason, reason);
      assert.match(usable(world).message ?? '', says);
      assert.deepEqual([offered(world), isReady(world.node()), isWell()], ['0', true, true]);
      world.mac.configure({ isMissing: false, version: '2.32.1' });
      await runUntil(world, 'it is well again', () => usable(world).status === 'True' && offered(world) !== '0');
      assert.ok(isWell(), 'the neighbour ran on');
    });

    it(`${story}, and nothing runs: its Node is not Ready`, async () => {
      const world = createKubeletWorld({ seed: 241 + at, login: 'modelled' });
      await runUntil(world, 'the Node is ready', () => isReady(world.node()));
      world.mac.configure(settings);
      const startedMs = world.kernel.nowMs();
      await runUntil(world, 'it is told', () => !isReady(world.node()));
      assert.ok(world.kernel.nowMs() - startedMs <= 60_000, `${world.kernel.nowMs() - startedMs} ms`);
    });
  }
});
