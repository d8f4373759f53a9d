import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { SECRETS } from '../../kube/types/core.ts';
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

  it('is taken as it is when somebody put it there, and made known', async () => {
    const { client, registered, keysFor } = stage();
    const data = { id_ed25519: encode('theirs'), 'id_ed25519.pub': encode('ssh-ed25519 AAAA somebody\n') };
    await client.create(SECRETS, { metadata: KEY, data }, { signal: neverAborted() });
    const key = await keysFor('manager').privateKeyOf('macos', neverAborted());
    assert.equal(key.reveal(), 'theirs');
    assert.deepEqual(registered, [{ fleet: 'macos', publicKey: 'ssh-ed25519 AAAA somebody' }]);
  });

  it('is missed, with what to do, when the Secret does not hold it', async () => {
    const { client, keysFor } = stage();
    await client.create(SECRETS, { metadata: KEY, data: { id_ed25519: '' } }, { signal: neverAborted() });
    await assert.rejects(keysFor('manager').privateKeyOf('macos', neverAborted()), {
      kind: 'invalid',
      code: 'SSHKeyUnavailable',
      message: /tuist\/macos-ssh has no id_ed25519/,
    });
  });
});
