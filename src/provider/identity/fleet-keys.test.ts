import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { SECRETS } from '../../kube/types/core.ts';
import { openSshKeyFrom } from '../../pki/openssh-key.ts';
import { createFleetKeys } from './fleet-keys.ts';

const KEY = { namespace: 'tuist', name: 'macos-ssh' };
const encode = (text: string): string => Buffer.from(text).toString('base64');

const stage = () => {
  const { client, clock, random } = createHarness();
  const registered: { readonly fleet: string; readonly publicKey: string }[] = [];
  const register = async (key: { readonly fleet: string; readonly publicKey: string }): Promise<string> => {
    registered.push(key);
    return 'key-id';
  };
  const keysFor = (name: string) =>
    createFleetKeys({ client, clock, register, random: random.stream(name), namespace: 'tuist' });
  const secret = () => client.get(SECRETS, KEY, { signal: neverAborted() });
  return { client, clock, registered, keysFor, secret };
};

describe('the SSH key of a fleet (001-4)', () => {
  it('is made once, known to Scaleway, and the same from then on', async () => {
    const { registered, keysFor, secret } = stage();
    const keys = keysFor('manager');
    const first = await keys.privateKeyOf('macos', neverAborted());
    const again = await keys.privateKeyOf('macos', neverAborted());
    assert.match(first.reveal(), /^-----BEGIN OPENSSH PRIVATE KEY-----/);
    assert.equal(again.reveal(), first.reveal());
    assert.equal(registered.length, 1);
    assert.match(registered[0]?.publicKey ?? '', /^ssh-ed25519 \S+ tuist-capi-macos$/);
    assert.equal((await secret()).metadata.annotations?.['scaleway.tuist.dev/ssh-key-id'], 'key-id');
  });

  it('says since when Macs get it: from when Scaleway knew it', async () => {
    const { client, clock, keysFor } = stage();
    const keys = keysFor('manager');
    assert.equal(await keys.knownSince('macos', neverAborted()), undefined);
    await keys.privateKeyOf('macos', neverAborted());
    assert.equal(await keys.knownSince('macos', neverAborted()), Math.floor(clock.now() / 1_000) * 1_000);
    const original = { 'scaleway.tuist.dev/ssh-key-id': 'theirs' };
    const key = { namespace: 'tuist', name: 'original-ssh' };
    await client.create(SECRETS, { metadata: { ...key, annotations: original } }, { signal: neverAborted() });
    const { metadata } = await client.get(SECRETS, key, { signal: neverAborted() });
    assert.equal(await keys.knownSince('original', neverAborted()), Date.parse(metadata.creationTimestamp ?? ''));
  });

  it('R17 goes along when clusterctl moves the fleet: Macs over there know no other', async () => {
    const { keysFor, secret } = stage();
    await keysFor('manager').privateKeyOf('macos', neverAborted());
    assert.deepEqual((await secret()).metadata.labels, { 'clusterctl.cluster.x-k8s.io/move': '' });
  });

  it('W-10 I-01 is one key when several managers make it at once', async () => {
    const { keysFor } = stage();
    const made = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) => keysFor(name).privateKeyOf('macos', neverAborted())),
    );
    const again = await Promise.all(['a', 'b', 'c'].map((name) => keysFor(name).privateKeyOf('macos', neverAborted())));
    const texts = [...made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), ...again];
    assert.equal(new Set(texts.map((key) => key.reveal())).size, 1);
  });

  it('is taken as it is when somebody put it there, and made known; another one in its place too', async () => {
    const { client, clock, registered, keysFor } = stage();
    const { privateKey, publicKey } = openSshKeyFrom(Buffer.alloc(32, 1));
    const data = {
      id_ed25519: encode(privateKey.reveal()),
      'id_ed25519.pub': encode(`${publicKey} somebody\n`),
    };
    await client.create(SECRETS, { metadata: KEY, data }, { signal: neverAborted() });
    const keys = keysFor('manager');
    const key = await keys.privateKeyOf('macos', neverAborted());
    assert.equal(key.reveal(), privateKey.reveal());
    assert.deepEqual(registered, [{ fleet: 'macos', publicKey: `${publicKey} somebody` }]);
    const other = openSshKeyFrom(Buffer.alloc(32, 2));
    const body = { data: { id_ed25519: encode(other.privateKey.reveal()), 'id_ed25519.pub': '' } };
    await client.patch(SECRETS, KEY, { type: 'merge', body }, { signal: neverAborted() });
    clock.advance(60_000);
    await keys.privateKeyOf('macos', neverAborted());
    await keys.privateKeyOf('macos', neverAborted());
    assert.deepEqual(registered.slice(1), [{ fleet: 'macos', publicKey: other.publicKey }]);
    assert.equal(await keys.knownSince('macos', neverAborted()), Math.floor(clock.now() / 1_000) * 1_000);
  });

  for (const { story, known, since } of [
    { story: 'the same there', known: 'key-id', since: 'before' },
    { story: 'another one there (W-10)', known: 'of-another', since: 'now' },
  ] as const) {
    it(`I-01 R28 that the original made known is looked at once: ${story}`, async () => {
      const { client, clock, registered, keysFor } = stage();
      const { privateKey, publicKey } = openSshKeyFrom(Buffer.alloc(32, 1));
      const metadata = { ...KEY, annotations: { 'scaleway.tuist.dev/ssh-key-id': known } };
      const data = { id_ed25519: encode(privateKey.reveal()), 'id_ed25519.pub': encode(publicKey) };
      const created = await client.create(SECRETS, { metadata, data }, { signal: neverAborted() });
      clock.advance(60_000);
      const keys = keysFor('manager');
      await keys.privateKeyOf('macos', neverAborted());
      await keys.privateKeyOf('macos', neverAborted());
      assert.equal(registered.length, 1);
      const times = {
        before: Date.parse(created.metadata.creationTimestamp ?? ''),
        now: Math.floor(clock.now() / 1_000) * 1_000,
      };
      assert.equal(await keys.knownSince('macos', neverAborted()), times[since]);
    });
  }

  const one = openSshKeyFrom(Buffer.alloc(32, 1));
  for (const { story, data, why } of [
    { story: 'is empty', data: { id_ed25519: '' }, why: /tuist\/macos-ssh has no id_ed25519/ },
    { story: 'was edited to nonsense', data: { id_ed25519: encode('nonsense') }, why: /no private key of OpenSSH/ },
    {
      story: 'holds two keys',
      data: {
        id_ed25519: encode(one.privateKey.reveal()),
        'id_ed25519.pub': encode(openSshKeyFrom(Buffer.alloc(32, 2)).publicKey),
      },
      why: /another key than the public half/,
    },
  ]) {
    it(`is missed, with what to do, when the Secret ${story}`, async () => {
      const { client, registered, keysFor } = stage();
      await client.create(SECRETS, { metadata: KEY, data }, { signal: neverAborted() });
      const expected = {
        kind: 'invalid',
        code: 'SSHKeyUnavailable',
        message: why,
        hint: /Put the key there, or delete/,
      };
      await assert.rejects(keysFor('manager').privateKeyOf('macos', neverAborted()), expected);
      assert.deepEqual(registered, []);
    });
  }
});
