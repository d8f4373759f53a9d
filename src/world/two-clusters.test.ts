/** Two clusters that share a Scaleway project, and have a fleet of the same name: each keeps its own key there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { createSeededRandom } from '../base/random.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { SECRETS } from '../kube/types/core.ts';
import { openSshKeyFrom } from '../pki/openssh-key.ts';
import { createFleetKeys } from '../provider/identity/fleet-keys.ts';
import { registerSshKey } from '../scaleway/register-ssh-key.ts';
import { createSimCloudPort } from '../scaleway/testing/sim-cloud-port.ts';
import { createSimCloud, type SimCloud } from '../sim/cloud/sim-cloud.ts';

const signal = neverAborted();
const KEY = { namespace: 'tuist', name: 'macos-ssh' };

const createCloud = (): SimCloud => {
  const { clock } = createHarness();
  return createSimCloud({ clock, random: createSeededRandom('two clusters') });
};

/** The manager of one cluster. */
const join = (cloud: SimCloud, clusterId: string) => {
  const { client, clock } = createHarness();
  const random = createSeededRandom(clusterId);
  const port = createSimCloudPort(cloud, { clock, latencyMs: 0 });
  const register = (key: { readonly fleet: string; readonly publicKey: string }, at: AbortSignal) =>
    registerSshKey(port, { ...key, clusterId }, at);
  const keys = createFleetKeys({ client, clock, random, register, namespace: KEY.namespace });
  const noted = async () => (await client.get(SECRETS, KEY, { signal })).metadata.annotations ?? {};
  /** As after a restored backup: it has to be made known again. */
  const forget = async (): Promise<void> => {
    const body = { metadata: { annotations: { 'scaleway.tuist.dev/ssh-key-id': null } } };
    await client.patch(SECRETS, KEY, { type: 'merge', body }, { signal });
  };
  return { client, noted, forget, use: () => keys.privateKeyOf('macos', signal) };
};

describe('two clusters with a fleet of one name in one project', () => {
  it('keep a key each, however often they make it known', async () => {
    const cloud = createCloud();
    const [one, other] = [join(cloud, '0a1b2c3d'), join(cloud, 'ffffffff')];
    for (const manager of [one, other, one, other]) {
      await manager.use();
      await manager.forget();
      await manager.use();
    }
    const known = cloud.sshKeys();
    assert.deepEqual(known.map(({ name }) => name).toSorted(), ['macos-0a1b2c3d', 'macos-ffffffff']);
    for (const manager of [one, other]) {
      const { 'scaleway.tuist.dev/ssh-key-id': id } = await manager.noted();
      assert.ok(known.some((key) => key.id === id));
    }
  });

  it('R28 know the key again that the original made known, and leave that of another alone', async () => {
    const cloud = createCloud();
    const { privateKey, publicKey } = openSshKeyFrom(Buffer.alloc(32, 1));
    const added = cloud.as('the original').addSshKey({ name: 'macos', publicKey: `${publicKey} tuist-capi-macos` });
    const [heir, other] = [join(cloud, '0a1b2c3d'), join(cloud, 'ffffffff')];
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const data = { id_ed25519: encode(privateKey.reveal()), 'id_ed25519.pub': encode(`${publicKey}\n`) };
    await heir.client.create(SECRETS, { metadata: KEY, data }, { signal });
    await heir.use();
    await other.use();
    assert.equal((await heir.noted())['scaleway.tuist.dev/ssh-key-id'], added.id);
    assert.deepEqual(
      cloud.sshKeys().map(({ name }) => name),
      ['macos', 'macos-ffffffff'],
    );
  });
});
