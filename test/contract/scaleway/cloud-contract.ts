/**
 * What the adapter and a cloud behind it do together, as cases that run over every way between the two. With an account
 * they could run against Scaleway itself.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { FleetError } from '../../../src/base/errors.ts';
import { createSeededRandom } from '../../../src/base/random.ts';
import type { Cloud, CloudServer, ServerRef } from '../../../src/scaleway/port/cloud.ts';
import { chooseOsImage } from '../../../src/scaleway/port/os-family.ts';
import { createSimCloud } from '../../../src/sim/cloud/sim-cloud.ts';

export interface CloudContractWorld {
  readonly cloud: Cloud;
  /** One server that is ready, of the family `Tahoe`, in a project with exactly one other server. */
  readonly server: ServerRef;
  /** Takes the server away behind the port's back. */
  deleteServer(): void;
  /** Lets so much time pass, for the cloud too. */
  pass(ms: number): Promise<void>;
}

/** The project that the cases expect. */
export const createContractProject = (clock: Clock) => {
  const core = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  core.addServer({ name: 'pool-b' });
  return { core, server, deleteServer: () => core.deleteServer(server.id) };
};

/** Builds a world, runs the body in it, and settles as the body does. */
export type CloudContractRun = (body: (world: CloudContractWorld) => Promise<void>) => Promise<void>;

const LONGEST_REINSTALL_MS = 3_600_000;
const DAY_MS = 86_400_000;
const signal = neverAborted();

export const testCloudContract = (name: string, run: CloudContractRun): void => {
  const story = (sentence: string, body: (world: CloudContractWorld) => Promise<void>): void => {
    test(`${name}: ${sentence}`, () => run(body));
  };
  storiesOfReading(story);
  storiesOfWriting(story);
  storiesOfOrders(story);
  storiesOfEnds(story);
  storiesOfKeys(story);
  storiesOfRefusals(story);
};

type Story = (sentence: string, body: (world: CloudContractWorld) => Promise<void>) => void;

const storiesOfReading = (story: Story): void => {
  story('a list is complete and shows no password', async ({ cloud, server }) => {
    const listed = await cloud.listServers(server.zone, signal);
    assert.equal(listed.length, 2);
    assert.ok(listed.some(({ id }) => id === server.id));
    assert.deepEqual(
      listed.map((shown) => 'sudoPassword' in shown),
      [false, false],
    );
  });

  story('a list of another zone is empty', async ({ cloud }) => {
    assert.deepEqual(await cloud.listServers('nl-ams-1', signal), []);
  });

  story('one server shows its address, its user and its password, which does not print', async ({ cloud, server }) => {
    const shown = await cloud.getServer(server, signal);
    assert.equal(shown.status, 'ready');
    assert.equal(shown.isDelivered, true);
    assert.match(shown.address, /^[0-9a-f.:]+$/);
    assert.notEqual(shown.sshUser, '');
    assert.ok((shown.sudoPassword?.reveal().length ?? 0) >= 8);
    assert.ok(!JSON.stringify(shown).includes(shown.sudoPassword?.reveal() ?? ''));
  });

  story('a call whose signal is aborted already has no effect', async ({ cloud, server }) => {
    const aborted = AbortSignal.abort();
    assert.equal(await kindOf(cloud.renameServer(server, 'renamed', { signal: aborted })), 'cancelled Cancelled');
    assert.notEqual((await cloud.getServer(server, signal)).name, 'renamed');
  });
};

const storiesOfWriting = (story: Story): void => {
  story('a rename is seen by the next look, and repeating it changes nothing', async ({ cloud, server }) => {
    assert.equal((await cloud.renameServer(server, 'renamed', { signal })).name, 'renamed');
    assert.equal((await cloud.renameServer(server, 'renamed', { signal })).name, 'renamed');
    assert.equal((await cloud.getServer(server, signal)).name, 'renamed');
  });

  story('the answer to every write hides the password', async ({ cloud, server, pass }) => {
    const answers: CloudServer[] = [await cloud.renameServer(server, 'renamed', { signal })];
    answers.push(await cloud.rebootServer(server, { signal }));
    await pass(LONGEST_REINSTALL_MS);
    answers.push(await cloud.reinstallServer(server, undefined, { signal }));
    assert.deepEqual(
      answers.map((answer) => 'sudoPassword' in answer),
      [false, false, false],
    );
  });

  story('a reinstall says so, keeps the name, and ends ready with another password', async (world) => {
    const { cloud, server, pass } = world;
    await cloud.renameServer(server, 'renamed', { signal });
    const before = await cloud.getServer(server, signal);
    const images = await cloud.listOsImages(server.zone, before.type, signal);
    const accepted = await cloud.reinstallServer(server, chooseOsImage(images, 'Sequoia').id, { signal });
    assert.equal(accepted.status, 'reinstalling');
    assert.equal((await cloud.getServer(server, signal)).status, 'reinstalling');
    await pass(LONGEST_REINSTALL_MS);
    const after = await cloud.getServer(server, signal);
    assert.equal(after.status, 'ready');
    assert.equal(after.name, 'renamed');
    assert.equal(after.osFamily, 'Sequoia');
    assert.equal(after.isDelivered, true);
    assert.notEqual(after.sudoPassword?.reveal(), before.sudoPassword?.reveal());
  });

  story('a reboot says so, and ends ready with the same password', async ({ cloud, server, pass }) => {
    const before = await cloud.getServer(server, signal);
    assert.equal((await cloud.rebootServer(server, { signal })).status, 'rebooting');
    await pass(LONGEST_REINSTALL_MS);
    const after = await cloud.getServer(server, signal);
    assert.equal(after.status, 'ready');
    assert.equal(after.sudoPassword?.reveal(), before.sudoPassword?.reveal());
  });
};

const M4_S = { zone: 'fr-par-1', type: 'M4-S' };

const storiesOfOrders = (story: Story): void => {
  const imageFor = async (cloud: Cloud, { zone, type } = M4_S) =>
    chooseOsImage(await cloud.listOsImages(zone, type, signal), 'Tahoe').id;
  const orderOne = async (cloud: Cloud, order: typeof M4_S) =>
    cloud.orderServer({ ...order, imageId: await imageFor(cloud, order) }, 'ordered', { signal });

  story('an order starts without being delivered, and ends ready and delivered', async ({ cloud, pass }) => {
    const ordered = await orderOne(cloud, M4_S);
    assert.deepEqual([ordered.name, ordered.status, ordered.isDelivered], ['ordered', 'starting', false]);
    await pass(LONGEST_REINSTALL_MS);
    const delivered = await cloud.getServer(ordered, signal);
    assert.deepEqual([delivered.status, delivered.isDelivered], ['ready', true]);
  });

  story('an order commits to a day and no longer', async ({ cloud, server, pass }) => {
    const { id, zone } = await orderOne(cloud, M4_S);
    await pass(DAY_MS);
    assert.equal((await cloud.getServer({ id, zone }, signal)).isDeletionScheduled, false);
    await cloud.terminateServer({ id, zone }, { signal });
    assert.ok(!(await cloud.listServers(server.zone, signal)).some((listed) => listed.id === id));
  });

  story('an order in another zone is a server of that zone alone', async ({ cloud, server }) => {
    const { id } = await orderOne(cloud, { zone: 'fr-par-3', type: 'M1-M' });
    assert.deepEqual(
      (await cloud.listServers('fr-par-3', signal)).map((listed) => `${listed.zone} ${listed.id}`),
      [`fr-par-3 ${id}`],
    );
    assert.equal((await cloud.listServers(server.zone, signal)).length, 2);
    assert.equal(await kindOf(cloud.getServer({ zone: server.zone, id }, signal)), 'not-found ServerNotFound');
  });

  story('an order of several is placed whole, and past the quota not at all', async ({ cloud, server }) => {
    const order = { ...M4_S, imageId: await imageFor(cloud) };
    const refused = cloud.orderServers(order, ['a', 'b', 'c'], { signal });
    assert.equal(await kindOf(refused), 'no-capacity QuotaExceeded');
    assert.equal((await cloud.listServers(server.zone, signal)).length, 2);
    const placed = await cloud.orderServers(order, ['a', 'b'], { signal });
    assert.deepEqual(
      placed.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.equal((await cloud.listServers(server.zone, signal)).length, 4);
  });
};

const storiesOfEnds = (story: Story): void => {
  story('a server is not deleted before its lease allows it, and is gone after', async ({ cloud, server, pass }) => {
    assert.equal(await kindOf(cloud.terminateServer(server, { signal })), 'conflict PreconditionFailed');
    const { deletableAtMs = 0 } = await cloud.getServer(server, signal);
    assert.ok(deletableAtMs > 0);
    await pass(DAY_MS);
    await cloud.terminateServer(server, { signal });
    assert.match(await kindOf(cloud.getServer(server, signal)), /^denied /);
  });

  story('a scheduled deletion happens when the lease ends, and a cancelled one does not', async (world) => {
    const { cloud, server, pass } = world;
    assert.equal((await cloud.scheduleDeletion(server, 'delete', { signal })).isDeletionScheduled, true);
    assert.equal((await cloud.scheduleDeletion(server, 'keep', { signal })).isDeletionScheduled, false);
    await pass(DAY_MS);
    assert.equal((await cloud.getServer(server, signal)).status, 'ready');
    await cloud.scheduleDeletion(server, 'delete', { signal });
    await pass(1);
    assert.equal((await cloud.listServers(server.zone, signal)).length, 1);
  });
};

const storiesOfKeys = (story: Story): void => {
  const key = { name: 'fleet', publicKey: 'ssh-ed25519 AAAA fleet' };

  story('an SSH key is found by its name, and deleting it twice says so', async ({ cloud }) => {
    const added = await cloud.addSshKey(key, signal);
    assert.deepEqual(await cloud.listSshKeys('fleet', signal), [{ ...key, id: added.id }]);
    await cloud.deleteSshKey(added.id, signal);
    assert.match(await kindOf(cloud.deleteSshKey(added.id, signal)), /^not-found /);
    assert.deepEqual(await cloud.listSshKeys('fleet', signal), []);
  });

  story('types have a stock and a lease of a day', async ({ cloud, server }) => {
    const types = await cloud.listServerTypes(server.zone, signal);
    const found = types.find(({ name }) => name === M4_S.type);
    assert.deepEqual(found, { name: M4_S.type, stock: 'high_stock', minimumLeaseMs: DAY_MS });
  });

  story('a diagnosis finds a ready server healthy, and a rebooting one not', async ({ cloud, server, pass }) => {
    const healthy = await whilePassing(cloud.diagnoseServer(server, signal), pass);
    assert.deepEqual([healthy.isHealthy, healthy.supportedActions], [true, []]);
    await cloud.rebootServer(server, { signal });
    const rebooting = await whilePassing(cloud.diagnoseServer(server, signal), pass);
    assert.deepEqual([rebooting.isHealthy, rebooting.supportedActions.includes('reboot_server')], [false, true]);
  });
};

/** Lets time pass, second by second, until the call is answered. */
const whilePassing = async <T>(call: Promise<T>, pass: CloudContractWorld['pass']): Promise<T> => {
  let isSettled = false;
  const settled = call.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  for (let second = 0; second < 60 && !isSettled; second += 1) await pass(1_000);
  return settled;
};

const storiesOfRefusals = (story: Story): void => {
  const busyWith = ['reinstall', 'reboot'] as const;
  for (const first of busyWith) {
    story(`a server busy with a ${first} takes a rename, but no reinstall and no reboot`, async ({ cloud, server }) => {
      await (first === 'reinstall'
        ? cloud.reinstallServer(server, undefined, { signal })
        : cloud.rebootServer(server, { signal }));
      assert.equal(await kindOf(cloud.reinstallServer(server, undefined, { signal })), 'conflict TransientState');
      assert.equal(await kindOf(cloud.rebootServer(server, { signal })), 'conflict TransientState');
      assert.equal((await cloud.renameServer(server, 'renamed', { signal })).name, 'renamed');
    });
  }

  story('a deleted server is denied, not missing, and is in no list', async ({ cloud, server, deleteServer }) => {
    deleteServer();
    assert.match(await kindOf(cloud.getServer(server, signal)), /^denied /);
    assert.match(await kindOf(cloud.renameServer(server, 'renamed', { signal })), /^denied /);
    assert.match(await kindOf(cloud.reinstallServer(server, undefined, { signal })), /^denied /);
    assert.equal((await cloud.listServers(server.zone, signal)).length, 1);
  });

  story('an image that does not exist is refused, and nothing is wiped', async ({ cloud, server }) => {
    const nothing = '00000000-0000-4000-8000-ffffffffffff';
    assert.match(await kindOf(cloud.reinstallServer(server, nothing, { signal })), /^invalid /);
    assert.equal((await cloud.getServer(server, signal)).status, 'ready');
  });

  story('an empty name is refused', async ({ cloud, server }) => {
    assert.match(await kindOf(cloud.renameServer(server, '', { signal })), /^invalid /);
  });
};

/** Kind and code of the refusal, or "answered". */
const kindOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? `${error.kind} ${error.code}` : String(error);
  }
};
