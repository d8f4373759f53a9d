import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FleetError } from '../../../base/errors.ts';
import { createLoggerTo } from '../../../base/logger.ts';
import { Secret } from '../../../base/secret.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createTestCertificates, type KeyPair } from '../testing/certificates.ts';
import { createFakeHost, type FakeHost } from '../testing/fake-host.ts';
import type { CommandOutput } from './host-io.ts';
import { createCredentialsSource } from './load-credentials.ts';
import type { ClusterConfig, ExecPlugin, Login } from './select-context.ts';

const { signal } = new AbortController();
const PEM = '-----BEGIN X-----';
const PAIR = { certificate: { in: 'file', path: '/crt' }, key: { in: 'file', path: '/key' } } as const;

const certificates = createTestCertificates();
const withOpenssl = certificates === undefined ? { skip: 'openssl is not installed' } : {};
const issue = (name: string): KeyPair => certificates?.issue(name) ?? { cert: '', key: '' };
after(() => certificates?.dispose());

const start = (login: Login, host: FakeHost, config: Partial<ClusterConfig> = {}) => {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const lines: string[] = [];
  const logger = createLoggerTo((level, message, fields) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
  );
  const cluster: ClusterConfig = { source: 'here', server: 'https://api', verifyServer: 'yes', login, ...config };
  return { clock, lines, source: createCredentialsSource(cluster, { host, clock, logger, caPem: 'CA' }) };
};

describe('a login of files', () => {
  it('gives the token without its newline, and reads it again in time', async () => {
    const host = createFakeHost({ '/token': ' abc\n' });
    const { source, clock } = start({ tokenFile: '/token', token: new Secret('old') }, host);
    assert.equal((await source.current(signal)).token?.reveal(), 'abc');
    host.files.set('/token', 'def');
    clock.advance(60_000);
    assert.equal((await source.current(signal)).token?.reveal(), 'def');
  });

  it('gives the certificate and key, and reads them again in time', withOpenssl, async () => {
    const [one, two] = [issue('one'), issue('two')];
    const host = createFakeHost({ '/crt': one.cert, '/key': one.key });
    const { source, clock } = start({ certificate: PAIR }, host);
    const first = (await source.current(signal)).certificate;
    assert.deepEqual([first?.certificatePem, first?.keyPem.reveal()], [one.cert, one.key]);
    host.files.set('/crt', two.cert).set('/key', two.key);
    clock.advance(60_000);
    assert.equal((await source.current(signal)).certificate?.certificatePem, two.cert);
  });

  it('keeps the old pair while only one of two new files is there', withOpenssl, async () => {
    const [one, two] = [issue('one'), issue('two')];
    const host = createFakeHost({ '/crt': one.cert, '/key': one.key });
    const { source, clock, lines } = start({ certificate: PAIR }, host);
    const first = await source.current(signal);
    host.files.set('/crt', two.cert);
    clock.advance(60_000);
    assert.equal(await source.current(signal), first);
    assert.match(lines.join(), /warn Keeping the old credentials/);
    host.files.set('/key', two.key);
    clock.advance(60_000);
    assert.equal((await source.current(signal)).certificate?.keyPem.reveal(), two.key);
  });

  it('with files that are no pair names both', async () => {
    const { source } = start({ certificate: PAIR }, createFakeHost({ '/crt': PEM, '/key': PEM }));
    await assert.rejects(source.current(signal), {
      code: 'BadCertificateData',
      message: /certificate \/crt and its key \/key/,
    });
  });

  it('reads nothing when all is in the kubeconfig', async () => {
    const host = createFakeHost();
    const { source, clock } = start({ token: new Secret('abc') }, host);
    await source.current(signal);
    clock.advance(86_400_000);
    assert.equal((await source.current(signal)).token?.reveal(), 'abc');
    assert.deepEqual(host.reads, []);
  });

  const rows: readonly (readonly [string, Record<string, string>, Login, object])[] = [
    [
      'a missing token file',
      {},
      { tokenFile: '/token' },
      { code: 'FileUnreadable', message: /\/token does not exist/ },
    ],
    [
      'an empty token file',
      { '/token': '\n' },
      { tokenFile: '/token' },
      { code: 'BadCredentialFile', message: /\/token is empty/ },
    ],
    [
      'a token of several lines',
      { '/token': 'a\nb' },
      { tokenFile: '/token' },
      { code: 'BadCredentialFile', message: /holds no token/ },
    ],
    [
      'a key that is no PEM',
      { '/crt': PEM, '/key': 'hunter2' },
      { certificate: { certificate: { in: 'file', path: '/crt' }, key: { in: 'file', path: '/key' } } },
      { code: 'BadCredentialFile', message: /\/key holds no PEM/ },
    ],
  ];
  for (const [story, files, login, expected] of rows) {
    it(`with ${story} names the file`, async () => {
      const { source } = start(login, createFakeHost(files));
      await assert.rejects(source.current(signal), { kind: 'denied', ...expected });
    });
  }
});

const plugin: ExecPlugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'login',
  args: ['--me'],
  env: { A: 'b' },
  wantsCluster: 'no',
  installHint: 'brew it',
};
const printed = (status: unknown, rest: object = {}): CommandOutput => ({
  exitCode: 0,
  stderr: '',
  stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, status, ...rest }),
});

describe('a login by plugin', () => {
  it('runs it with what it was promised, once for all who wait', async () => {
    const host = createFakeHost({}, async () => printed({ token: 'abc' }));
    const { source } = start({ exec: plugin }, host);
    const [first] = await Promise.all([source.current(signal), source.current(signal)]);
    assert.equal(first?.token?.reveal(), 'abc');
    assert.equal(host.commands.length, 1);
    const [command] = host.commands;
    assert.deepEqual([command?.file, command?.args, command?.env['A']], ['login', ['--me'], 'b']);
    assert.deepEqual(JSON.parse(command?.env['KUBERNETES_EXEC_INFO'] ?? ''), {
      apiVersion: plugin.apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false },
    });
  });

  it('tells it about the cluster when it asks', async () => {
    const host = createFakeHost({}, async () => printed({ token: 'abc' }));
    const { source } = start({ exec: { ...plugin, wantsCluster: 'yes' } }, host, { serverName: 'k' });
    await source.current(signal);
    assert.deepEqual(JSON.parse(host.commands[0]?.env['KUBERNETES_EXEC_INFO'] ?? '').spec.cluster, {
      server: 'https://api',
      'tls-server-name': 'k',
      'certificate-authority-data': Buffer.from('CA').toString('base64'),
    });
  });

  it('takes a certificate too, and asks again shortly before it expires', async () => {
    const answer = {
      clientCertificateData: `${PEM}1`,
      clientKeyData: `${PEM}2`,
      expirationTimestamp: '2026-01-01T01:00:00Z',
    };
    const host = createFakeHost({}, async () => printed(answer));
    const { source, clock } = start({ exec: plugin }, host);
    assert.equal((await source.current(signal)).certificate?.certificatePem, `${PEM}1`);
    clock.advance(3_600_000 - 30_001);
    await source.current(signal);
    assert.equal(host.commands.length, 1);
    clock.advance(1);
    await source.current(signal);
    assert.equal(host.commands.length, 2);
  });

  const rows: readonly (readonly [string, CommandOutput, object])[] = [
    [
      'fails',
      { exitCode: 3, stdout: 'hunter2', stderr: `${'x'.repeat(9_000)} no network\n` },
      { code: 'ExecPluginFailed', message: /login ended with exit code 3: x+ no network$/, hint: 'brew it' },
    ],
    [
      'is not there',
      { exitCode: undefined, stdout: '', stderr: '', problem: 'was not found' },
      { code: 'ExecPluginFailed', message: /login was not found$/ },
    ],
    [
      'prints no JSON',
      { exitCode: 0, stdout: 'hunter2', stderr: '' },
      { code: 'BadExecAnswer', message: /of 7 characters is not JSON/ },
    ],
    ['prints nothing', { exitCode: 0, stdout: '', stderr: '' }, { code: 'BadExecAnswer' }],
    [
      'prints another kind',
      { exitCode: 0, stdout: '{"kind":"Pod","token":"hunter2"}', stderr: '' },
      { code: 'BadExecAnswer', message: /is no ExecCredential/ },
    ],
    [
      'prints another version',
      printed({ token: 'hunter2' }, { apiVersion: 'v9' }),
      { code: 'BadExecAnswer', message: /is not of client/ },
    ],
    ['prints no status', printed(undefined), { code: 'BadExecAnswer', message: /has no status/ }],
    ['prints an empty status', printed({}), { code: 'BadExecAnswer', message: /neither a token nor/ }],
    ['prints a certificate without its key', printed({ clientCertificateData: 'hunter2' }), { code: 'BadExecAnswer' }],
  ];
  for (const [story, output, expected] of rows) {
    it(`that ${story} is denied, and its output is shown to nobody`, async () => {
      const { source, lines } = start(
        { exec: plugin },
        createFakeHost({}, async () => output),
      );
      await assert.rejects(source.current(signal), (error: FleetError) => {
        assert.ok(error instanceof FleetError && error.kind === 'denied');
        for (const [field, value] of Object.entries(expected)) {
          const actual = String(Reflect.get(error, field));
          if (value instanceof RegExp) assert.match(actual, value);
          else assert.equal(actual, value);
        }
        assert.ok(error.message.length < 700);
        assert.doesNotMatch(`${error.stack} ${String(error.cause)} ${lines.join()}`, /hunter2/);
        return true;
      });
    });
  }
});
