import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isKind } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { Secret } from '../../../base/secret.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createOpenByKubeconfig } from './open-by-kubeconfig.ts';

const render = (cluster: object, user: object): Secret<string> =>
  new Secret(
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    }),
  );

const open = createOpenByKubeconfig({
  clock: createManualClock(),
  random: createSeededRandom('remote'),
  logger: silentLogger,
});

const EXEC = { apiVersion: 'client.authentication.k8s.io/v1', command: 'print-token', interactiveMode: 'Never' };

const refusals = [
  { story: 'a program to run', cluster: {}, user: { exec: EXEC }, says: /the program print-token/ },
  {
    story: 'an authority in a file',
    cluster: { 'certificate-authority': '/etc/passwd' },
    user: { token: 't' },
    says: /asks for the file \/etc\/passwd/,
  },
];

describe('a kubeconfig from a Secret', () => {
  for (const { story, cluster, user, says } of refusals) {
    it(`is refused when it names ${story}`, async () => {
      await assert.rejects(open(render(cluster, user), 'Secret ns/x'), (error: unknown) => {
        assert.ok(isKind(error, 'denied'));
        assert.match(String(error), says);
        return true;
      });
    });
  }

  it('opens a connection when all is in it, and reads no file of this machine for a token either', async () => {
    const plain = await open(render({}, { token: 't' }), 'Secret ns/x');
    await plain.close();
    const { client, close } = await open(render({}, { tokenFile: '/etc/hostname' }), 'Secret ns/x');
    const { signal } = new AbortController();
    await assert.rejects(client.getRaw('/version', { signal }), /asks for the file \/etc\/hostname/);
    await close();
  });
});
