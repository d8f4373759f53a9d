import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { neverAborted } from '../base/abort.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { SECRETS } from '../kube/types/core.ts';
import type { SshKey, SshKeys } from '../scaleway/port/cloud.ts';
import { createHostSessions } from './scaleway-provider.ts';

describe('what a manager gives to Macs and Scaleway', () => {
  const stage = () => {
    const { client, clock, random } = createHarness();
    const known: SshKey[] = [];
    const sshKeys: SshKeys = {
      listSshKeys: async (name) => known.filter((key) => key.name.includes(name)),
      addSshKey: async (key) => {
        const added = { ...key, id: `key-${known.length + 1}` };
        known.push(added);
        return added;
      },
      deleteSshKey: async () => undefined,
    };
    const access = { forMacs: 'https://macs.test', authority: 'the authority' };
    const hosts = { open: () => assert.fail('no Mac is needed') };
    const macs = { hosts, files: { lib: '', steps: {} }, artefacts: {} };
    const sessions = createHostSessions({
      ...macs,
      client,
      clock,
      random,
      sshKeys,
      ...{ clusterId: '0a1b2c3d', secretsNamespace: 'tuist', access },
    });
    return { client, known, sessions };
  };

  test("a fleet's key, kept where it is told and known to Scaleway", async () => {
    const { client, known, sessions } = stage();
    await sessions.fleetKeys.privateKeyOf('macos', neverAborted());
    const secret = await client.get(SECRETS, { namespace: 'tuist', name: 'macos-ssh' }, { signal: neverAborted() });
    assert.equal(secret.metadata.annotations?.['scaleway.tuist.dev/ssh-key-id'], 'key-1');
    assert.deepEqual(
      known.map(({ name }) => name),
      ['macos-0a1b2c3d'],
    );
  });

  test('a kubeconfig with the address that Macs use', async () => {
    const joiner = { machine: { namespace: 'ci', name: 'mac-1' }, host: 'srv-1', uid: 'a', wipes: 0, epoch: 1 };
    const kubeconfig: unknown = parse((await stage().sessions.join.issue(joiner, neverAborted())).reveal());
    const cluster = { server: 'https://macs.test', 'certificate-authority-data': 'dGhlIGF1dGhvcml0eQ==' };
    assert.partialDeepStrictEqual(kubeconfig, { clusters: [{ cluster }] });
  });
});
