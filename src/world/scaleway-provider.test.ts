import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { SECRETS } from '../kube/types/core.ts';
import type { SshKey, SshKeys } from '../scaleway/port/cloud.ts';
import { createAbsentSessions, createHostSessions } from './scaleway-provider.ts';

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

describe('a manager with a way to Macs', () => {
  const stage = () => {
    const { client, clock, random } = createHarness();
    const known: SshKey[] = [];
    const sshKeys: SshKeys = {
      listSshKeys: async (name) => known.filter((key) => key.name === name),
      addSshKey: async (key) => {
        const added = { ...key, id: `key-${known.length + 1}` };
        known.push(added);
        return added;
      },
      deleteSshKey: async () => undefined,
    };
    const access = { forMacs: 'https://macs.test', forCore: 'https://core.test', authority: 'the authority' };
    const { hosts, files, artefacts } = createAbsentSessions();
    const sessions = createHostSessions({
      ...{ client, clock, random, hosts, files, artefacts, sshKeys, secretsNamespace: 'tuist', access },
    });
    return { client, known, sessions };
  };

  test("keeps a fleet's key where it is told, and makes it known to Scaleway", async () => {
    const { client, known, sessions } = stage();
    await sessions.fleetKeys.privateKeyOf('macos', neverAborted());
    const secret = await client.get(SECRETS, { namespace: 'tuist', name: 'macos-ssh' }, { signal: neverAborted() });
    assert.equal(secret.metadata.annotations?.['scaleway.tuist.dev/ssh-key-id'], 'key-1');
    assert.deepEqual(
      known.map(({ name }) => name),
      ['macos'],
    );
  });

  test('gives a Mac a kubeconfig with the address that Macs use', async () => {
    const kubeconfig: unknown = parse((await stage().sessions.join.issue('mac-1', neverAborted())).reveal());
    const cluster = { server: 'https://macs.test', 'certificate-authority-data': 'dGhlIGF1dGhvcml0eQ==' };
    assert.partialDeepStrictEqual(kubeconfig, { clusters: [{ cluster }] });
  });
});
