import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeHost } from '../testing/fake-host.ts';
import { loadInCluster, loadKubeconfig } from './load-cluster.ts';

const config = (server: string): string =>
  JSON.stringify({
    'current-context': 'm',
    contexts: [{ name: 'm', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
  });

describe('a kubeconfig is found', () => {
  const files = {
    '/a': config('https://a'),
    '/b': config('https://b'),
    '/home/ada/.kube/config': config('https://home'),
  };
  const home = { homeDirectory: '/home/ada' };
  const rows: readonly (readonly [string, Parameters<typeof loadKubeconfig>[0], string])[] = [
    ['where the flag says, whatever else is set', { path: '/b', searchPath: '/a', ...home }, 'https://b'],
    ['first in the search path', { searchPath: '/b:/a', ...home }, 'https://b'],
    ['past missing files and empty entries of the search path', { searchPath: ':/nowhere::/a', ...home }, 'https://a'],
    ['at home', { ...home }, 'https://home'],
    ['at home when the search path is empty', { searchPath: '', ...home }, 'https://home'],
  ];
  for (const [story, choice, server] of rows) {
    it(story, async () => assert.equal((await loadKubeconfig(choice, createFakeHost(files))).server, server));
  }

  const missing: readonly (readonly [string, Parameters<typeof loadKubeconfig>[0], RegExp])[] = [
    ['the flag names no file', { path: '/nowhere', searchPath: '/a' }, /no kubeconfig at \/nowhere/],
    ['the search path names none', { searchPath: '/x:/y', ...home }, /no kubeconfig at \/x, \/y/],
    ['nothing names any', {}, /no kubeconfig is named/],
  ];
  for (const [story, choice, message] of missing) {
    it(`not when ${story}`, () =>
      assert.rejects(loadKubeconfig(choice, createFakeHost(files)), {
        kind: 'invalid',
        code: 'NoKubeconfig',
        message,
      }));
  }
});

describe('inside a Pod', () => {
  const directory = '/var/run/secrets/kubernetes.io/serviceaccount';
  const host = createFakeHost({ [`${directory}/namespace`]: 'macfleet\n' });

  for (const [serviceHost, server] of [
    ['10.0.0.1', 'https://10.0.0.1:443'],
    ['fd00::1', 'https://[fd00::1]:443'],
  ] as const) {
    it(`the cluster is at ${server}, with the mounted token and authority`, async () => {
      assert.deepEqual(await loadInCluster({ serviceHost, servicePort: '443' }, host), {
        source: `the service account in ${directory}`,
        server,
        namespace: 'macfleet',
        ca: { in: 'file', path: `${directory}/ca.crt` },
        verifyServer: 'yes',
        login: { tokenFile: `${directory}/token` },
      });
    });
  }

  it('is known by the environment', () =>
    assert.rejects(loadInCluster({ serviceHost: undefined, servicePort: '443' }, host), { code: 'NotInCluster' }));

  it('needs the mounted files', () =>
    assert.rejects(loadInCluster({ serviceHost: 'x', servicePort: '1' }, createFakeHost()), {
      code: 'FileUnreadable',
    }));
});
