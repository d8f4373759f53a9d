import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../base/secret.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { announceTry, type SudoTry, sudoAccessOf, withTry } from './sudo-record.ts';

const NOW = Date.UTC(2026, 0, 1);
const sent = (value: string, at = '2026-01-01T00:00:00Z'): SudoTry => ({ value, at, outcome: 'sent' });

const hostWith = (...tries: readonly SudoTry[]): MacHost =>
  parseMacHost({
    metadata: { name: 'srv-1' },
    spec: { source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'srv-1' } }, budgets: { sudo: { tries } } },
  });

/** A Mac on whose record are these, the last of which this process may have announced. */
const start = async (tries: readonly SudoTry[], announced: SudoTry | undefined) => {
  const { client, stop, api } = createHarness();
  const { signal } = stop;
  const host = parseMacHost(await client.create(MAC_HOSTS, hostWith(...tries), { signal }));
  const known = new Map(announced === undefined ? [] : [[host.metadata.uid ?? '', announced]]);
  const server = { sudoPassword: new Secret('a password') };
  const open = () => sudoAccessOf({ ports: { client }, host, server, announced: known });
  const before = api.writes.length;
  return {
    ...{ signal, access: open(), again: open },
    recorded: async () => (await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal })).spec.budgets.sudo.tries,
    writes: () => api.writes.length - before,
  };
};

describe('the tries of a password, on the record of a Mac (000-3)', () => {
  it('announces the first one, and no other', () => {
    assert.deepEqual(announceTry(hostWith(), { password: 'one', nowMs: NOW }), sent('one'));
    assert.equal(announceTry(hostWith(sent('one')), { password: 'two', nowMs: NOW }), undefined);
    assert.equal(announceTry(hostWith(), { password: undefined, nowMs: NOW }), undefined);
  });

  it('puts the announced one with what else is stored', () => {
    assert.deepEqual(withTry(hostWith(), sent('one')).budgets?.sudo.tries, [sent('one')]);
    assert.deepEqual(withTry(hostWith(), undefined), {});
  });

  it('does not write what was announced once more, and does not count it before it was sent', async () => {
    const { access, signal, recorded, writes } = await start([sent('one')], sent('one'));
    assert.deepEqual(access.tries, []);
    await access.record(sent('one', '2026-01-01T00:00:07Z'), signal);
    assert.equal(writes(), 0);
    assert.deepEqual(await recorded(), [sent('one')]);
  });

  it('counts it from then on', async () => {
    const { access, again, signal } = await start([sent('one')], sent('one'));
    await access.record(sent('one', '2026-01-01T00:00:07Z'), signal);
    assert.deepEqual(again().tries, [sent('one')]);
  });

  it('puts a refusal in its place', async () => {
    const { access, signal, recorded } = await start([sent('one')], sent('one'));
    const tried = sent('one', '2026-01-01T00:00:07Z');
    await access.record(tried, signal);
    await access.record({ ...tried, outcome: 'refused' }, signal);
    assert.deepEqual(await recorded(), [{ ...tried, outcome: 'refused' }]);
  });

  it('puts another password on record before it is sent, beside the announced one', async () => {
    const { access, signal, recorded } = await start([sent('one')], sent('one'));
    await access.record(sent('two'), signal);
    assert.deepEqual(await recorded(), [sent('one'), sent('two')]);
  });

  it('takes what an earlier process announced for sent', async () => {
    const { access, signal, recorded } = await start([sent('one')], undefined);
    assert.deepEqual(access.tries, [sent('one')]);
    await access.record(sent('one', '2026-01-01T00:00:07Z'), signal);
    assert.equal((await recorded()).length, 2);
  });

  it('writes an announced one that is not on record, as after a wipe', async () => {
    const { access, signal, recorded } = await start([], sent('one'));
    await access.record(sent('one'), signal);
    assert.deepEqual(await recorded(), [sent('one')]);
  });
});
