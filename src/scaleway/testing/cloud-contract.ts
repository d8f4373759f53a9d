/**
 * What every implementation of the Cloud port does, as tests. The simulated cloud and the adapter run the same ones, so
 * what is proven on the first may be expected of the second.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import type { Cloud, CloudServer, ServerRef } from '../port.ts';

export interface CloudContractWorld {
  readonly cloud: Cloud;
  /** One server that is ready, of the family `Tahoe`, in a project with exactly one other server. */
  readonly server: ServerRef;
  /** Takes the server away behind the port's back. */
  deleteServer(): void;
  /** Lets so much time pass, for the cloud too. */
  pass(ms: number): Promise<void>;
}

/** Builds a world, runs the body in it, and settles as the body does. */
export type CloudContractRun = (body: (world: CloudContractWorld) => Promise<void>) => Promise<void>;

const LONGEST_REINSTALL_MS = 3_600_000;
const signal = neverAborted();

export const testCloudContract = (name: string, run: CloudContractRun): void => {
  const story = (sentence: string, body: (world: CloudContractWorld) => Promise<void>): void => {
    test(`${name}: ${sentence}`, () => run(body));
  };
  storiesOfReading(story);
  storiesOfWriting(story);
  storiesOfRefusals(story);
};

type Story = (sentence: string, body: (world: CloudContractWorld) => Promise<void>) => void;

const storiesOfReading = (story: Story): void => {
  story('a list is complete and shows no password', async ({ cloud, server }) => {
    const listed = await cloud.listServers(server.zone, signal);
    assert.equal(listed.length, 2);
    assert.ok(listed.some(({ id }) => id === server.id));
    assert.deepEqual(
      listed.map(({ sudoPassword }) => sudoPassword),
      [undefined, undefined],
    );
  });

  story('a list of another zone is empty', async ({ cloud }) => {
    assert.deepEqual(await cloud.listServers('nowhere-1', signal), []);
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
    assert.equal(await kindOf(cloud.renameServer(server, 'renamed', aborted)), 'cancelled Cancelled');
    assert.notEqual((await cloud.getServer(server, signal)).name, 'renamed');
  });
};

const storiesOfWriting = (story: Story): void => {
  story('a rename is seen by the next look, and repeating it changes nothing', async ({ cloud, server }) => {
    assert.equal((await cloud.renameServer(server, 'renamed', signal)).name, 'renamed');
    assert.equal((await cloud.renameServer(server, 'renamed', signal)).name, 'renamed');
    assert.equal((await cloud.getServer(server, signal)).name, 'renamed');
  });

  story('the answer to every write hides the password', async ({ cloud, server, pass }) => {
    const answers: CloudServer[] = [await cloud.renameServer(server, 'renamed', signal)];
    answers.push(await cloud.rebootServer(server, signal));
    await pass(LONGEST_REINSTALL_MS);
    answers.push(await cloud.reinstallServer(server, 'Tahoe', signal));
    assert.deepEqual(
      answers.map(({ sudoPassword }) => sudoPassword),
      [undefined, undefined, undefined],
    );
  });

  story('a reinstall says so, keeps the name, and ends ready with another password', async (world) => {
    const { cloud, server, pass } = world;
    await cloud.renameServer(server, 'renamed', signal);
    const before = await cloud.getServer(server, signal);
    const accepted = await cloud.reinstallServer(server, 'Sequoia', signal);
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
    assert.equal((await cloud.rebootServer(server, signal)).status, 'rebooting');
    await pass(LONGEST_REINSTALL_MS);
    const after = await cloud.getServer(server, signal);
    assert.equal(after.status, 'ready');
    assert.equal(after.sudoPassword?.reveal(), before.sudoPassword?.reveal());
  });
};

const storiesOfRefusals = (story: Story): void => {
  const busyWith = ['reinstall', 'reboot'] as const;
  for (const first of busyWith) {
    story(`a server busy with a ${first} takes a rename, but no reinstall and no reboot`, async ({ cloud, server }) => {
      await (first === 'reinstall'
        ? cloud.reinstallServer(server, 'Tahoe', signal)
        : cloud.rebootServer(server, signal));
      assert.equal(await kindOf(cloud.reinstallServer(server, 'Tahoe', signal)), 'conflict TransientState');
      assert.equal(await kindOf(cloud.rebootServer(server, signal)), 'conflict TransientState');
      assert.equal((await cloud.renameServer(server, 'renamed', signal)).name, 'renamed');
    });
  }

  story('a deleted server is denied, not missing, and is in no list', async ({ cloud, server, deleteServer }) => {
    deleteServer();
    assert.match(await kindOf(cloud.getServer(server, signal)), /^denied /);
    assert.match(await kindOf(cloud.renameServer(server, 'renamed', signal)), /^denied /);
    assert.match(await kindOf(cloud.reinstallServer(server, 'Tahoe', signal)), /^denied /);
    assert.equal((await cloud.listServers(server.zone, signal)).length, 1);
  });

  story('a family that nobody can install is refused, and nothing is wiped', async ({ cloud, server }) => {
    assert.match(await kindOf(cloud.reinstallServer(server, 'Puma', signal)), /^invalid /);
    assert.equal((await cloud.getServer(server, signal)).status, 'ready');
  });

  story('an empty name is refused', async ({ cloud, server }) => {
    assert.match(await kindOf(cloud.renameServer(server, '', signal)), /^invalid /);
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
