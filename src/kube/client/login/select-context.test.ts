import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseKubeconfig } from './parse-kubeconfig.ts';
import { type ClusterConfig, selectContext } from './select-context.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n';

const kubeconfig = (cluster: object, user: object, rest: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', namespace: 'work' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://api:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    ...rest,
  });

const select = (text: string, context?: string): ClusterConfig =>
  selectContext(parseKubeconfig([{ path: '/etc/kube/config', text }]), context);

describe('a kubeconfig gives', () => {
  it('address, authority, namespace and login of its current context', () => {
    const config = select(
      kubeconfig(
        { 'certificate-authority-data': base64(CERTIFICATE), 'tls-server-name': 'kubernetes' },
        { 'client-certificate-data': base64(CERTIFICATE), 'client-key-data': base64(KEY), token: 'hunter2' },
      ),
    );
    assert.equal(config.source, 'context "main" of /etc/kube/config');
    assert.deepEqual(
      [config.server, config.namespace, config.serverName, config.verifyServer],
      ['https://api:6443', 'work', 'kubernetes', 'yes'],
    );
    assert.equal(config.ca?.in === 'data' && config.ca.pem.reveal(), CERTIFICATE);
    const { certificate, token } = config.login;
    assert.equal(certificate?.key.in === 'data' && certificate.key.pem.reveal(), KEY);
    assert.equal(token?.reveal(), 'hunter2');
    assert.doesNotMatch(JSON.stringify(config), /hunter2/);
  });

  it('files, relative to its own place', () => {
    const { ca, login } = select(
      kubeconfig(
        { 'certificate-authority': 'pki/ca.crt' },
        { tokenFile: '/run/token', 'client-certificate': '../me.crt', 'client-key': 'me.key' },
      ),
    );
    assert.deepEqual(ca, { in: 'file', path: '/etc/kube/pki/ca.crt' });
    assert.deepEqual(login, {
      tokenFile: '/run/token',
      certificate: { certificate: { in: 'file', path: '/etc/me.crt' }, key: { in: 'file', path: '/etc/kube/me.key' } },
    });
  });

  it('data rather than a file, where both are there', () => {
    const { ca } = select(
      kubeconfig({ 'certificate-authority': 'ca', 'certificate-authority-data': base64(CERTIFICATE) }, {}),
    );
    assert.equal(ca?.in, 'data');
  });

  it('a plugin with its arguments and environment', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './login',
      args: ['--for', 'me'],
      env: [{ name: 'A', value: 'b' }, { name: 'EMPTY' }],
      installHint: 'get it from the shelf',
      interactiveMode: 'IfAvailable',
      provideClusterInfo: true,
    };
    assert.deepEqual(select(kubeconfig({}, { exec })).login.exec, {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/etc/kube/login',
      args: ['--for', 'me'],
      env: { A: 'b', EMPTY: '' },
      installHint: 'get it from the shelf',
      wantsCluster: 'yes',
    });
  });

  it('nobody, when the user has no fields', () => assert.deepEqual(select(kubeconfig({}, {})).login, {}));

  it('no verification only when it says so', () => {
    assert.equal(select(kubeconfig({ 'insecure-skip-tls-verify': true }, {})).verifyServer, 'no');
    assert.equal(select(kubeconfig({ 'insecure-skip-tls-verify': false }, {})).verifyServer, 'yes');
  });

  it('another context when one is named', () => {
    const contexts = ['main', 'other'].map((name) => ({ name, context: { cluster: 'c', user: 'u' } }));
    assert.equal(select(kubeconfig({}, {}, { contexts }), 'other').source, 'context "other" of /etc/kube/config');
  });

  it('what the first of several files says', () => {
    const first = { 'current-context': '', clusters: [{ name: 'c', cluster: { server: 'https://first' } }] };
    const files = [
      { path: '/one/config', text: JSON.stringify(first) },
      { path: '/two/config', text: kubeconfig({}, { tokenFile: 'token' }) },
      { path: '/three/config', text: kubeconfig({}, { token: 'x' }, { 'current-context': 'else' }) },
    ];
    const config = selectContext(parseKubeconfig(files));
    assert.deepEqual([config.server, config.login.tokenFile], ['https://first', '/two/token']);
  });

  it('the same from YAML', () => {
    const text =
      'contexts:\n- {name: m, context: {cluster: c, user: u}}\nclusters:\n- name: c\n  cluster: {server: "https://x"}\nusers:\n- name: u\n';
    assert.equal(select(text, 'm').server, 'https://x');
  });
});

/** Nine layers of nine aliases each. */
const BOMB = `a0: &a0 [hunter2]\n${Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`)}]\n`).join('')}`;

describe('a broken kubeconfig names file and field:', () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'x' };
  const pair = { 'client-certificate': 'a', 'client-key': 'b' };
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['not YAML', 'users:\n  - token: "hunter2\n', /the file is not YAML: \w+ in line \d/],
    ['tabs', 'a:\n\t- b', /is not YAML: \w+ in line 2/],
    ['aliases of aliases', BOMB, /too many aliases/],
    ['empty', '', /the file is empty/],
    ['only a comment', '# nothing\n', /the file is empty/],
    ['a list', '[]', /it holds no fields/],
    ['a sentence', 'hunter2', /it holds no fields/],
    ['no contexts', '{"current-context":"main"}', /no context "main"/],
    ['no current context', kubeconfig({}, {}, { 'current-context': '' }), /no current-context/],
    ['contexts that are no list', '{"contexts":{"a":1}}', /the file has contexts that are no list/],
    ['a context without a name', '{"contexts":[{}]}', /contexts\[0\] has no name/],
    ['a name that is a number', '{"users":[{"name":7}]}', /users\[0\] has a name that is no text/],
    ['an entry that is no map', '{"users":["hunter2"]}', /users\[0\] has no fields/],
    [
      'a cluster that does not exist',
      kubeconfig({}, {}, { clusters: [] }),
      /contexts "main" names the cluster "c", which does not exist/,
    ],
    [
      'a user that does not exist',
      kubeconfig({}, {}, { users: [] }),
      /contexts "main" names the user "u", which does not exist/,
    ],
    [
      'a context without a user',
      kubeconfig({}, {}, { contexts: [{ name: 'main', context: { cluster: 'c' } }] }),
      /names no user/,
    ],
    ['no server', kubeconfig({ server: '' }, {}), /clusters "c" has no server/],
    [
      'a server that is no address',
      kubeconfig({ server: 'api:6443' }, {}),
      /has a server that is no http or https address/,
    ],
    [
      'bad base64',
      kubeconfig({ 'certificate-authority-data': 'hunter2!' }, {}),
      /has a certificate-authority-data that is not PEM in base64/,
    ],
    [
      'base64 that was cut off',
      kubeconfig({}, { 'client-certificate-data': base64(CERTIFICATE).slice(0, 41) }),
      /client-certificate-data that is not PEM/,
    ],
    [
      'base64 of something else',
      kubeconfig({}, { 'client-certificate-data': base64('hunter2') }),
      /client-certificate-data that is not PEM/,
    ],
    ['a proxy', kubeconfig({ 'proxy-url': 'http://p' }, {}), /clusters "c" has proxy-url, which we cannot honour/],
    [
      'an authority and no verification',
      kubeconfig({ 'certificate-authority': 'a', 'insecure-skip-tls-verify': true }, {}),
      /has both/,
    ],
    [
      'a certificate without a key',
      kubeconfig({}, { 'client-certificate': 'a' }),
      /users "u" has a client-certificate without a client-key/,
    ],
    [
      'a key without a certificate',
      kubeconfig({}, { 'client-key': 'a' }),
      /has a client-key without a client-certificate/,
    ],
    ['a password', kubeconfig({}, { username: 'me', password: 'hunter2' }), /has username, which we cannot honour/],
    ['a provider of old', kubeconfig({}, { 'auth-provider': { name: 'gcp' } }), /has auth-provider, which/],
    ['impersonation', kubeconfig({}, { as: 'root', token: 'hunter2' }), /has as, which we cannot honour/],
    ['a token of two lines', kubeconfig({}, { token: 'hunter2\nx' }), /users "u" has a token that holds white space/],
    ['a token that is a number', kubeconfig({}, { token: 7 }), /users "u" has a token that is no text/],
    ['exec without a command', kubeconfig({}, { exec: { ...exec, command: '' } }), /users "u" exec has no command/],
    ['exec without a version', kubeconfig({}, { exec: { command: 'x' } }), /has no apiVersion that we speak/],
    [
      'exec of an old version',
      kubeconfig({}, { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      /has no apiVersion that we speak/,
    ],
    [
      'exec that needs a person',
      kubeconfig({}, { exec: { ...exec, interactiveMode: 'Always' } }),
      /wants to talk to a person/,
    ],
    [
      'exec with numbers as arguments',
      kubeconfig({}, { exec: { ...exec, args: [1] } }),
      /has args that are not all text/,
    ],
    [
      'exec with a nameless variable',
      kubeconfig({}, { exec: { ...exec, env: [{ value: 'hunter2' }] } }),
      /env has an item without a name/,
    ],
    ['exec beside a token', kubeconfig({}, { exec, token: 'hunter2' }), /has exec beside a token or certificate/],
    ['exec beside a certificate', kubeconfig({}, { exec, ...pair }), /has exec beside a token or certificate/],
    ['exec that is a word', kubeconfig({}, { exec: 'hunter2' }), /has an exec without fields/],
  ];
  for (const [story, text, expected] of rows) {
    it(story, () => {
      assert.throws(
        () => select(text),
        (error: Error & { kind?: unknown; hint?: unknown }) => {
          assert.match(error.message, expected);
          assert.match(error.message, /\/etc\/kube\/config/);
          assert.deepEqual([error.kind, typeof error.hint], ['invalid', 'string']);
          assert.doesNotMatch(`${error.stack} ${String(error.hint)} ${String(error.cause)}`, /hunter2/);
          return true;
        },
      );
    });
  }

  it('an unknown context, with those that there are', () => {
    assert.throws(() => select(kubeconfig({}, {}), 'nope'), { code: 'NoSuchContext', hint: /: main\.$/ });
  });
});
