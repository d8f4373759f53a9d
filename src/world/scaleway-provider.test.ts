import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { createAbsentSessions } from './scaleway-provider.ts';

test('a manager without a way to Macs says so wherever it would need one', async () => {
  const { hosts, fleetKeys, join } = createAbsentSessions();
  const [signal, privateKey] = [neverAborted(), new Secret('a key')];
  const target = { address: '198.18.0.1', user: 'm1', privateKey, pinnedHostKey: undefined };
  for (const attempt of [
    () => hosts.open(target, signal),
    () => fleetKeys.privateKeyOf('a', signal),
    () => join.issue('a', signal),
  ]) {
    await assert.rejects(attempt, { kind: 'unavailable', code: 'NoHostSessions' });
  }
});
