/** `--audit-log` of `up` and of `control-plane`, as a person uses it. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import type { AuditEvent } from '../../controlplane/audit/audit-event.ts';
import { ADMIN } from '../../controlplane/auth/user.ts';
import { connectCluster } from '../../kube/client/connect.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../kube/client/login/load-cluster.ts';
import { CONFIG_MAPS } from '../../kube/types/core.ts';
import { PROVIDER, RUNNERS_USER } from '../../world/identities.ts';
import { runCli } from '../run-cli.ts';
import { runRecorded } from '../testing/run-recorded.ts';

const LIMIT = { timeout: 120_000 };
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-audited-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const readLog = (file: string): readonly AuditEvent[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const renderObject = ({ objectRef }: AuditEvent): string =>
  [objectRef?.resource, ...(objectRef?.subresource === undefined ? [] : [objectRef.subresource])].join('/');

const FLEET = ['--macs-as', 'step-level', '--machines', '2', '--jobs', '1', '--speed', '200', '--until', 'jobs-done'];

const CORE = /^system:serviceaccount:(kube-system|capi-system):[\w-]+$|^system:kube-scheduler$/;

/** Who is to be found with what, when a fleet of both kinds has done its work. */
const WRITES: readonly (readonly [who: RegExp, verb: string, what: string])[] = [
  [new RegExp(`^${ADMIN.name}$`), 'create', 'machinedeployments'],
  [new RegExp(`^${PROVIDER.name}$`), 'patch', 'machosts/status'],
  [new RegExp(`^${RUNNERS_USER.name}$`), 'patch', 'runnerpools/status'],
  [/^system:serviceaccount:capi-system:capi-manager$/, 'create', 'machines'],
  [/^system:serviceaccount:kube-system:job-controller$/, 'patch', 'jobs/status'],
  [/^system:kube-scheduler$/, 'create', 'pods/binding'],
  [/^system:node:macos-/, 'patch', 'pods/status'],
  [/^system:node:runners-/, 'patch', 'pods/status'],
];

describe('the audit log of up', { ...LIMIT, concurrency: true }, () => {
  it('has the writes of each part under its own name, and no reads', async ({ signal }) => {
    const file = join(scratch, 'up.log');
    const { exitCode, stderr } = await runRecorded(['up', ...FLEET, '--audit-log', file], signal);
    assert.deepEqual([exitCode, stderr], [0, '']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const events = readLog(file);
    for (const [who, verb, what] of WRITES) {
      const own = events.filter((event) => renderObject(event) === what && event.verb === verb);
      assert.ok(
        own.some(({ user, responseStatus }) => who.test(user.username) && responseStatus.code < 300),
        `${who} ${verb} ${what}, by ${[...new Set(own.map(({ user }) => user.username))]}`,
      );
    }
    assert.deepEqual(
      events.filter(({ verb }) => ['get', 'list', 'watch'].includes(verb)),
      [],
    );
    const nodes = events.filter((event) => renderObject(event) === 'nodes' && event.verb === 'create');
    assert.equal(nodes.length, 2);
    for (const { user, objectRef } of nodes) assert.equal(user.username, `system:node:${objectRef?.name}`);
    const written = events.filter((event) =>
      /^(jobs|replicasets|deployments|machines)\/status$/.test(renderObject(event)),
    );
    assert.deepEqual(
      written.filter(({ user }) => !CORE.test(user.username)),
      [],
    );
  });

  it('has what happens in chaos too, and nothing of what Secrets hold', async ({ signal }) => {
    const file = join(scratch, 'chaos.log');
    const chaos = ['--chaos', '--for', '3s', '--seed', '1', '--fleet', 'macos', '--machines', '1'];
    const { exitCode, stderr } = await runRecorded(['up', ...chaos, '--audit-log', file, '--audit-reads'], signal);
    assert.equal(exitCode, 0, stderr);
    const events = readLog(file);
    assert.ok(events.some(({ user, verb }) => user.username === PROVIDER.name && verb === 'watch'));
    assert.ok(events.some(({ stage, verb }) => stage === 'ResponseStarted' && verb === 'watch'));
    assert.ok(events.some((event) => renderObject(event) === 'secrets' && event.verb === 'create'));
    assert.doesNotMatch(readFileSync(file, 'utf8'), /PRIVATE KEY|token-secret|"data"/);
  });

  it('is refused before anything is done, with what to do', async () => {
    const data = join(scratch, 'untouched');
    const rows: readonly (readonly [code: string, args: readonly string[]])[] = [
      ['AuditLogNeedsFile', ['--audit-log', '-']],
      ['AuditLogUnusable', ['--audit-log', join(scratch, 'none', 'a.log')]],
      ['EmptyPath', ['--audit-log', '']],
      ['FlagHasNoUse', ['--audit-reads']],
    ];
    for (const command of [['up'], ['control-plane']]) {
      for (const [code, args] of rows) {
        const { exitCode, stdout, stderr } = await runRecorded([...command, '--data', data, ...args]);
        assert.deepEqual([exitCode, stdout, stderr.match(/code: (\w+)/)?.[1]], [2, '', code], stderr);
        assert.match(stderr, /what to do: \S/);
      }
    }
    assert.equal(existsSync(data), false);
  });
});

/** Starts the control plane alone, lets somebody work on it, and stops it. */
const withPlane = async (args: readonly string[], work: (kubeconfig: string) => Promise<void>) => {
  const stop = new AbortController();
  const said = { stdout: '', stderr: '' };
  let working = Promise.resolve();
  const stdout = (text: string): void => {
    said.stdout += text;
    const [, kubeconfig] = /^kubeconfig: (.*)\n/.exec(text) ?? [];
    if (kubeconfig !== undefined) working = work(kubeconfig).finally(() => stop.abort());
  };
  const stderr = (text: string): void => {
    said.stderr += text;
  };
  const io = { stdout, stderr, env: {}, signal: stop.signal };
  const exitCode = await runCli({ args: ['control-plane', ...args], version: '0', io });
  await working;
  return { exitCode, ...said };
};

const writeMap = (name: string, signal: AbortSignal) => async (kubeconfig: string) => {
  const host = createHostIo();
  const deps = { host, clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };
  const { client, close } = await connectCluster(await loadKubeconfig({ path: kubeconfig }, host), deps);
  await client.create(CONFIG_MAPS, { metadata: { namespace: 'default', name } }, { signal });
  await close();
};

describe('the audit log of control-plane', LIMIT, () => {
  it('has what a person writes over HTTPS, and goes on where an earlier run ended', async ({ signal }) => {
    const file = join(scratch, 'plane.log');
    writeFileSync(file, '');
    for (const name of ['first', 'second']) {
      const { exitCode, stderr } = await withPlane(['--audit-log', file], writeMap(name, signal));
      assert.deepEqual([exitCode, stderr], [0, '']);
    }
    const own = readLog(file).filter(({ user }) => user.username === ADMIN.name);
    assert.deepEqual(
      own.map(({ verb, objectRef, responseStatus }) => [verb, objectRef?.name, responseStatus.code]),
      [
        ['create', 'first', 201],
        ['create', 'second', 201],
      ],
    );
  });

  it('that the disk does not take is told once, and stops nobody', {
    skip: existsSync('/dev/full') ? false : 'there is no /dev/full here',
  }, async ({ signal }) => {
    const { exitCode, stderr } = await withPlane(['--audit-log', '/dev/full'], async (kubeconfig) => {
      for (const name of ['a', 'b', 'c']) await writeMap(name, signal)(kubeconfig);
    });
    assert.equal(exitCode, 0);
    assert.match(
      stderr,
      /^The audit log \/dev\/full cannot be written: ENOSPC.*\n\d+ lines of the audit log .* are lost\.\n$/,
    );
  });
});
