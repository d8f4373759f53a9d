import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { neverAborted } from '../base/abort.ts';
import { FleetError } from '../base/errors.ts';
import type { SshKey, SshKeys } from './port/cloud.ts';
import { registerSshKey } from './register-ssh-key.ts';

const WANTED = { fleet: 'fleet', clusterId: '0a1b2c3d', publicKey: 'ssh-ed25519 AAAA ours' };
const NAME = 'fleet-0a1b2c3d';
const OURS = { name: NAME, publicKey: WANTED.publicKey };
const signal = neverAborted();

/** A project's keys; `onAdd` lets somebody else come first. */
const createKeys = (initial: readonly SshKey[], onAdd: (held: SshKey[]) => void = () => undefined) => {
  const held = [...initial];
  const keys: SshKeys = {
    listSshKeys: async (name) => held.filter((key) => key.name.includes(name)),
    addSshKey: async (key) => {
      onAdd(held);
      const added = { id: `new-${held.length}`, ...key };
      held.push(added);
      return added;
    },
    deleteSshKey: async (id) => {
      const at = held.findIndex((key) => key.id === id);
      if (at < 0) throw new FleetError('not-found', { code: 'KeyNotFound', message: 'gone' });
      held.splice(at, 1);
    },
  };
  return { held, keys };
};

describe('registering the fleet key', () => {
  const rows: readonly { story: string; before: readonly SshKey[]; id: string; left: readonly string[] }[] = [
    { story: 'adds it where there is none', before: [], id: 'new-0', left: ['new-0'] },
    {
      story: 'finds it with another comment',
      before: [{ id: 'a', name: NAME, publicKey: 'ssh-ed25519 AAAA theirs' }],
      id: 'a',
      left: ['a'],
    },
    {
      story: 'replaces another key of this cluster and fleet',
      before: [{ id: 'a', name: NAME, publicKey: 'ssh-ed25519 BBBB' }],
      id: 'new-0',
      left: ['new-0'],
    },
    {
      story: 'R28 knows its key under the name that the original gave it',
      before: [{ id: 'a', name: 'fleet', publicKey: WANTED.publicKey }],
      id: 'a',
      left: ['a'],
    },
    {
      story: 'leaves the key alone that another cluster has for a fleet of that name',
      before: [{ id: 'a', name: 'fleet-ffffffff', publicKey: 'ssh-ed25519 BBBB' }],
      id: 'new-1',
      left: ['a', 'new-1'],
    },
    {
      story: 'leaves another key under the bare name alone: it may be that of the original in another cluster',
      before: [{ id: 'a', name: 'fleet', publicKey: 'ssh-ed25519 BBBB' }],
      id: 'new-1',
      left: ['a', 'new-1'],
    },
    {
      story: 'leaves keys alone whose name only holds ours',
      before: [{ id: 'a', name: 'fleet-2', publicKey: 'ssh-ed25519 BBBB' }],
      id: 'new-1',
      left: ['a', 'new-1'],
    },
    {
      story: 'keeps the first of two equal ones',
      before: [
        { id: 'b', ...OURS },
        { id: 'a', ...OURS },
      ],
      id: 'a',
      left: ['a'],
    },
  ];
  for (const { story, before, id, left } of rows) {
    test(story, async () => {
      const { held, keys } = createKeys(before);
      assert.equal(await registerSshKey(keys, WANTED, signal), id);
      assert.deepEqual(
        held.map((key) => key.id),
        left,
      );
      assert.equal(await registerSshKey(keys, WANTED, signal), id, 'a second time');
    });
  }

  test('takes the key that somebody else added first', async () => {
    const { keys } = createKeys([], (held) => {
      held.push({ id: 'theirs', ...OURS, name: 'by hand' });
      throw new FleetError('exists', { code: 'AlreadyExists', message: 'there' });
    });
    assert.equal(await registerSshKey(keys, WANTED, signal), 'theirs');
  });

  test('goes on when a key that is in the way was deleted meanwhile', async () => {
    const { keys } = createKeys([{ id: 'a', name: NAME, publicKey: 'ssh-ed25519 BBBB' }]);
    const racing = {
      ...keys,
      deleteSshKey: () => Promise.reject(new FleetError('not-found', { code: 'KeyNotFound', message: 'gone' })),
    };
    assert.equal(await registerSshKey(racing, WANTED, signal), 'new-1');
  });

  test('by several at once in any order ends with one key that all agree on, after one more look', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 4 }), async (scheduler, managers) => {
        const { held, keys } = createKeys([]);
        const slow: SshKeys = {
          listSshKeys: (name, at) =>
            scheduler.schedule(Promise.resolve(), 'list').then(() => keys.listSshKeys(name, at)),
          addSshKey: (key, at) => scheduler.schedule(Promise.resolve(), 'add').then(() => keys.addSshKey(key, at)),
          deleteSshKey: (id, at) =>
            scheduler.schedule(Promise.resolve(), 'delete').then(() => keys.deleteSshKey(id, at)),
        };
        await scheduler.waitFor(
          Promise.all(Array.from({ length: managers }, () => registerSshKey(slow, WANTED, signal))),
        );
        const agreed = await registerSshKey(keys, WANTED, signal);
        assert.deepEqual(
          held.map(({ id }) => id),
          [agreed],
        );
      }),
      { numRuns: 50 },
    );
  });
});
