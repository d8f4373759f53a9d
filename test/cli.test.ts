/** The command line as a user has it: `./macfleet` as a process, against one control plane, over its API alone. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { createSystemClock, sleep } from '../src/base/clock.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { AUDITED_KINDS } from '../src/cli/audit/audited-kinds.ts';
import { judgeFleet } from '../src/cli/audit/judge-fleet.ts';
import { HEALTHY, type Planted, problemsAt } from '../src/cli/audit/testing/wreck.ts';
import { LIST_PRICES } from '../src/cli/fleet/prices.ts';
import { issueClientCertificate } from '../src/controlplane/auth/client-certificate.ts';
import { ADMIN, type User } from '../src/controlplane/auth/user.ts';
import { MAC_HOSTS } from '../src/kinds/mac-host.ts';
import { MACHINES } from '../src/kinds/machine.ts';
import { SECRETS } from '../src/kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../src/kube/types/extensions.ts';
import type { KubeObject } from '../src/kube/types/meta.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../src/kube/types/rbac.ts';
import { type Authority, createAuthority } from '../src/pki/authority.ts';
import { renderCertificate } from '../src/pki/certificate.ts';
import { createKeyPair } from '../src/pki/key.ts';
import { START_WALL_MS } from '../src/sim/kernel/kernel.ts';
import { readyMachines, runUntil, startWorld } from '../src/world/testing/fleet-run.ts';
import { writeFakeSsh } from './cli/fake-ssh.ts';
import { plant } from './cli/plant.ts';
import { type CliStage, IS_TERMINAL_POSSIBLE, install, openCliStage } from './cli/stage.ts';

const LIMIT = { timeout: 120_000 };
let stage: CliStage;
before(async () => {
  stage = await openCliStage();
});
after(() => stage.close());

const HELD = '77777777-0000-4000-8000-000000000000';
const QUARANTINED = '88888888-0000-4000-8000-000000000000';

const hostNow = (name: string, signal: AbortSignal) => stage.client.get(MAC_HOSTS, { name }, { signal });

const actOnMacs = async (signal: AbortSignal): Promise<void> => {
  const release = ['release', '7777', '--reason', 'NotNeeded'];
  const [unasked, dry] = await Promise.all([stage.run(release), stage.run([...release, '--dry-run'])]);
  assert.deepEqual([unasked.exitCode, dry.exitCode], [2, 0]);
  assert.match(unasked.stderr, /code: NotConfirmed/);
  assert.match(dry.stdout, /it is wiped, and then free in its pool tuist-pool-[\s\S]*Nothing was changed/);
  assert.equal((await hostNow(HELD, signal)).spec.release, undefined);
  const done = await stage.run([...release, '--yes'], { USER: 'ann' });
  assert.equal(done.exitCode, 0, done.stderr);
  const { release: wish } = (await hostNow(HELD, signal)).spec;
  assert.deepEqual([wish?.reason, wish?.policy, wish?.by], ['NotNeeded', 'pool', 'ann']);
  const [again, reboot, detached] = await Promise.all([
    stage.run([...release, '--yes']),
    stage.run(['reboot', QUARANTINED, '--reason', 'it hangs', '--yes']),
    stage.run(['detach', 'swapped', '--yes']),
  ]);
  assert.match(again.stdout, /was asked for already/);
  assert.equal(reboot.exitCode, 0, reboot.stderr);
  assert.equal((await hostNow(QUARANTINED, signal)).spec.rebootRequest?.reason, 'it hangs');
  assert.match(detached.stdout, /Paused\.\nCleared status\.serverID\.\nAsked for the deletion/, detached.stderr);
  const names = (await stage.client.list(MACHINES, { signal })).items.map(({ metadata }) => metadata.name);
  assert.ok(!names.includes('swapped'));
};

const ANN: User = { name: 'ann', groups: ['system:authenticated'] };

const refuseOthers = async (signal: AbortSignal): Promise<void> => {
  const kubeconfig = stage.kubeconfigFor(ANN);
  const asAnn = (...args: readonly string[]) => stage.run([...args, '--kubeconfig', kubeconfig]);
  const blind = await asAnn('status');
  assert.deepEqual([blind.exitCode, /code: FleetForbidden/.test(blind.stderr)], [77, true], blind.stderr);
  const rule = (resource: string, verbs: readonly string[]) => ({
    ...{ apiGroups: ['infrastructure.cluster.x-k8s.io'], resources: [resource], verbs },
  });
  const rules = [rule('machosts', ['get', 'list', 'patch']), rule('scalewayapplesiliconmachines', ['get', 'list'])];
  await stage.client.create(CLUSTER_ROLES, { metadata: { name: 'looks' }, rules }, { signal });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'looks' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: ANN.name }];
  await stage.client.create(CLUSTER_ROLE_BINDINGS, { metadata: { name: 'looks' }, roleRef, subjects }, { signal });
  const [status, audit, release] = await Promise.all([
    asAnn('status'),
    asAnn('audit', '-o', 'json'),
    asAnn('release', '8888', '--yes'),
  ]);
  assert.equal(status.exitCode, 0, status.stderr);
  assert.match(status.stdout, /note: Pods are not shown: this login may not list them\./);
  assert.ok(JSON.parse(audit.stdout).notJudged.length > 5);
  assert.equal(release.exitCode, 77);
  assert.match(release.stderr, /you need the verb "release" on machosts/);
  assert.doesNotMatch(release.stdout, /will be released/, 'asked before the server was');
};

/** `AAAA` in base64 has this fingerprint. */
const PINNED = { fingerprint: 'SHA256:cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw', wipes: 0 };

const logIn = async (signal: AbortSignal): Promise<void> => {
  const { client, folder } = stage;
  const options = { signal };
  const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n-----END OPENSSH PRIVATE KEY-----\n';
  const data = { id_ed25519: base64(key) };
  const patch = (body: object) => ({ type: 'merge', body }) as const;
  await client.patch(MAC_HOSTS, { name: QUARANTINED }, patch({ spec: { fleet: 'macos', hostKey: PINNED } }), options);
  const server = { server: { address: '51.15.0.10' } };
  await client.patch(MAC_HOSTS, { name: QUARANTINED }, patch({ status: server }), {
    ...options,
    subresource: 'status',
  });
  const bin = writeFakeSsh(folder, 'AAAA');
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  const early = await stage.run(['ssh', '8888'], env);
  assert.equal(early.exitCode, 4);
  assert.match(early.stderr, /no Secret macos-ssh[\s\S]*Macs of `macfleet up` have no such key[\s\S]*code: NoFleetKey/);
  await client.create(SECRETS, { metadata: { name: 'macos-ssh', namespace: 'tuist' }, data }, options);
  const [shell, print] = await Promise.all([
    stage.run(['ssh', '8888', '--', 'sw_vers'], env),
    stage.run(['ssh', '8888', '--print'], env),
  ]);
  assert.deepEqual([shell.exitCode, shell.stderr], [7, '']);
  assert.ok(shell.stdout.startsWith(`600\n${key}`));
  assert.match(shell.stdout, /StrictHostKeyChecking=yes m1@51\.15\.0\.10 sw_vers\n$/);
  assert.equal(existsSync(readFileSync(join(folder, 'key-file'), 'utf8').trim()), false);
  assert.match(print.stdout, /kubectl -n tuist get secret macos-ssh/);
  assert.doesNotMatch(print.stdout, /PRIVATE KEY/);
  writeFakeSsh(folder, 'BBBB');
  const other = await stage.run(['ssh', '8888'], env);
  assert.deepEqual([other.exitCode, other.stdout, /code: HostKeyDiffers/.test(other.stderr)], [77, '', true]);
};

const installAgain = async (signal: AbortSignal): Promise<void> => {
  const key = { name: 'runnerpools.tuist.dev' };
  const shortNames = async () =>
    (await stage.client.get(CUSTOM_RESOURCE_DEFINITIONS, key, { signal })) as {
      readonly spec?: { readonly names?: { readonly shortNames?: readonly string[] } };
    };
  const change = { type: 'merge', body: { spec: { names: { shortNames: ['rp'] } } } } as const;
  await stage.client.patch(CUSTOM_RESOURCE_DEFINITIONS, key, change, { signal, fieldManager: 'somebody' });
  const refused = await stage.run(['install', '--crds', '--apply']);
  assert.equal(refused.exitCode, 77, refused.stderr);
  assert.match(refused.stderr, /conflict with "somebody"[\s\S]*--force-conflicts[\s\S]*code: InstallConflict/);
  const tried = await stage.run(['install', '--crds', '--dry-run', '--force-conflicts']);
  assert.match(tried.stdout, /runnerpools\.tuist\.dev would be applied/, tried.stderr);
  assert.deepEqual((await shortNames()).spec?.names?.shortNames, ['rp']);
  const forced = await stage.run(['install', '--crds', '--apply', '--force-conflicts']);
  assert.match(forced.stdout, /runnerpools\.tuist\.dev applied/, forced.stderr);
  assert.deepEqual((await shortNames()).spec?.names?.shortNames, ['rpool']);
};

/** The embedded control plane has no Secrets of that type; the table of rules has them. */
const isPlantable = ({ object }: Planted): boolean => object['type'] !== 'kubernetes.io/service-account-token';

describe('macfleet on a cluster', LIMIT, () => {
  it('without our kinds, with them, and in ruins', async (context) => {
    const { signal } = context;
    await context.test('that has none of our kinds says so, and how to get them', async () => {
      const { exitCode, stdout, stderr } = await stage.run(['status']);
      assert.deepEqual([exitCode, stdout], [4, '']);
      assert.match(stderr, /^error: the cluster of context "macfleet" of .* serves none of Macfleet's kinds/);
      assert.match(stderr, /what to do: Install Macfleet there/);
      assert.match(stderr, /code: FleetNotInstalled\n$/);
    });
    await install(stage.client, signal);
    await context.test('where all is in order finds nothing', async () => {
      assert.deepEqual(await stage.run(['audit']), { exitCode: 0, stdout: 'Nothing found.\n', stderr: '' });
      const status = await stage.run(['status']);
      assert.equal(status.exitCode, 0);
      assert.match(status.stdout, /^Macs {7}none\nMachines {3}0 of 0 ready\n/);
    });
    const problems = problemsAt(Date.now());
    const planted = [...HEALTHY, ...problems.flatMap(({ objects }) => objects)].filter(isPlantable);
    for (const object of planted) await plant(stage.client, object, signal);
    await context.test('that is a wreck finds every planted problem, and nothing else', async () => {
      const { exitCode, stdout } = await stage.run(['audit', '-o', 'name']);
      assert.equal(exitCode, 1);
      const wanted = problems.flatMap(({ finds }) => finds).filter((found) => !found.startsWith('EndlessToken '));
      assert.deepEqual(stdout.trim().split('\n').toSorted(), wanted.toSorted());
    });
    await context.test('tells the story of a Mac by the beginning of its id', async () => {
      const { exitCode, stdout } = await stage.run(['describe', 'host', '7777'], { NO_COLOR: '1' });
      assert.equal(exitCode, 0);
      assert.match(stdout, /^MacHost 77777777-.*\n {2}waits for {2}OwnerVanished: tuist\/gone is gone\n/);
      assert.match(stdout, /object {2}made/);
    });
    const noTerminal = IS_TERMINAL_POSSIBLE ? {} : { skip: 'there is no program `script` here' };
    await context.test('fits a terminal of 40 columns', noTerminal, async () => {
      const lines = (await stage.runInTerminal(40, 'status')).split(/\r?\n/).map(stripVTControlCharacters);
      assert.deepEqual(
        lines.filter(({ length }) => length > 40),
        [],
      );
      const id = HELD.slice(0, 30);
      assert.ok(
        lines.some((line) => line.startsWith(id)),
        lines.join('\n'),
      );
    });
    await context.test('asks before it changes anything, and changes what it said', () => actOnMacs(signal));
    await context.test('refuses whoever may not', () => refuseOthers(signal));
    await context.test('takes over what somebody else applied only when it is told to', () => installAgain(signal));
    await context.test('logs in with the key of the fleet, to the key on record, and leaves no file', () =>
      logIn(signal),
    );
  });
});

/** The authority of some other cluster. */
const createStranger = (): Authority => {
  const random = createSystemRandom();
  const life = { notBeforeMs: Date.UTC(2019, 0), notAfterMs: Date.now() + 3_600_000 };
  const subject = { commonName: 'stranger', organizations: [] };
  return createAuthority({ subject, keyPair: createKeyPair(random), random, ...life });
};

const OWN_CERTIFICATE = /client-certificate-data: .*\n(\s*)client-key-data: .*/;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A certificate that was good for a year, and made on New Year of 2020. */
const withExpired = (text: string, authority: Authority): string => {
  const clock = { ...createSystemClock(), now: () => Date.UTC(2020, 0) };
  const { certificate, key } = issueClientCertificate({ authority, clock, random: createSystemRandom() }, ADMIN);
  const data = `client-certificate-data: ${base64(certificate)}\n$1client-key-data: ${base64(key.reveal())}`;
  return text.replace(OWN_CERTIFICATE, data);
};

describe('a login that does not work', LIMIT, () => {
  it('is told in one message each, with what to do', async () => {
    const good = readFileSync(stage.kubeconfig, 'utf8');
    const kubeconfig = (name: string, change: (text: string) => string) => stage.write(name, change(good));
    const stranger = createStranger();
    const rows: readonly { args: readonly string[]; exitCode: number; says: RegExp }[] = [
      { args: ['--kubeconfig', '/nowhere'], exitCode: 2, says: /no kubeconfig at \/nowhere[\s\S]*code: NoKubeconfig/ },
      {
        args: ['--context', 'prod'],
        exitCode: 2,
        says: /Name one of its contexts: macfleet\.[\s\S]*code: NoSuchContext/,
      },
      {
        args: ['--kubeconfig', kubeconfig('away', (text) => text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))],
        ...{ exitCode: 69, says: /no connection[\s\S]*Check that the server runs[\s\S]*code: ConnectFailed/ },
      },
      {
        args: [
          '--kubeconfig',
          kubeconfig('foreign', (text) =>
            text.replace(/(certificate-authority-data: ).*/, `$1${base64(renderCertificate(stranger.certificate))}`),
          ),
        ],
        ...{ exitCode: 77, says: /it must be the CA of this very cluster[\s\S]*code: ServerCertificateUntrusted/ },
      },
      {
        args: ['--kubeconfig', kubeconfig('old-token', (text) => text.replace(OWN_CERTIFICATE, 'token: old'))],
        ...{ exitCode: 77, says: /wrong or expired[\s\S]*code: Unauthorized/ },
      },
      {
        args: ['--kubeconfig', kubeconfig('expired', (text) => withExpired(text, stranger))],
        exitCode: 77,
        says: /expired at 2020-12-31T[\s\S]*Renew client-certificate and client-key in context "macfleet" of [\s\S]*code: ClientCertificateExpired/,
      },
      { args: ['--kubeconfig', stage.write('torn', 'clusters: [')], exitCode: 2, says: /code: BadKubeconfig/ },
    ];
    const ended = await Promise.all(rows.map(({ args }) => stage.run(['status', ...args])));
    for (const [at, { exitCode, says }] of rows.entries()) {
      assert.match(ended[at]?.stderr ?? '', says);
      assert.deepEqual([ended[at]?.exitCode, ended[at]?.stdout], [exitCode, '']);
    }
  });
});

describe('a reader that goes away', LIMIT, () => {
  it('stops up in order, without a word', async () => {
    const up = 'up --fleet macos --machines 1 --macs-as step-level --speed 200';
    const [watched, waited] = await Promise.all([
      stage.runBeforeHead(2, up),
      stage.runBeforeHead(2, `${up} --until jobs-done`),
    ]);
    assert.match(watched.stdout, /^API server ready at .*\nkubeconfig: .*\n$/);
    assert.deepEqual([watched.exitCode, watched.stderr], [141, '']);
    assert.deepEqual([waited.exitCode, waited.stderr], [141, '']);
    const [folder = ''] = /\/\S+(?=\/kubeconfig)/.exec(watched.stdout) ?? [];
    assert.deepEqual([folder.length > 0, existsSync(folder)], [true, false]);
  });

  it('ends a watch with its next words', async ({ signal }) => {
    await using own = await openCliStage().then((opened) => ({ ...opened, [Symbol.asyncDispose]: opened.close }));
    await install(own.client, signal);
    let isOver = false;
    const ended = own.runBeforeHead(1, 'status --watch').finally(() => {
      isOver = true;
    });
    for (let at = 0; !isOver; at += 1) {
      const metadata = { name: HELD.replace('0000', String(at).padStart(4, '0')) };
      const source = { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: metadata.name } };
      await plant(own.client, { resource: 'hosts', object: { metadata, spec: { source } } }, signal);
      await sleep(createSystemClock(), 250, signal);
    }
    const { exitCode, stdout, stderr } = await ended;
    assert.deepEqual([exitCode, stdout.split('\n').length, stderr], [141, 2, '']);
  });
});

it('a kubeconfig with Windows line ends is read like any other', LIMIT, async () => {
  const text = readFileSync(stage.kubeconfig, 'utf8').replaceAll('\n', '\r\n');
  const { exitCode, stdout, stderr } = await stage.run(['version', '--kubeconfig', stage.write('windows', text)]);
  assert.deepEqual([exitCode, stderr], [0, '']);
  assert.match(stdout, /^Kubernetes {2}v1\./m);
});

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

it('works as kubectl macfleet, by its name on the PATH', {
  ...LIMIT,
  skip: hasKubectl ? false : 'there is no kubectl here',
}, async () => {
  const bin = join(stage.folder, 'plugins');
  mkdirSync(bin);
  symlinkSync(join(import.meta.dirname, '..', 'macfleet'), join(bin, 'kubectl-macfleet'));
  const env = { ...process.env, KUBECONFIG: stage.kubeconfig, PATH: `${bin}:${process.env['PATH']}` };
  const { stdout, stderr } = await promisify(execFile)('kubectl', ['macfleet', 'version'], { env });
  assert.equal(stderr, '');
  assert.match(stdout, /^Kubernetes {2}v1\./m);
});

it('faults are for simulations: any other cluster is refused, and told where they go', LIMIT, async () => {
  const { exitCode, stderr } = await stage.run(['sim', 'fault', 'reboot', '--mac', 'x']);
  assert.equal(exitCode, 4);
  assert.match(stderr, /is not one of `macfleet up`[\s\S]*what to do: Start `macfleet up`[\s\S]*code: NoSimulation/);
});

it('simulate has the flags and the exit code of the tool', LIMIT, async () => {
  const [help, wrong] = await Promise.all([stage.run(['simulate', '--help']), stage.run(['simulate', '--seeds', 'x'])]);
  assert.equal(help.exitCode, 0, help.stderr);
  assert.match(help.stdout, /--systematic/);
  assert.equal(wrong.exitCode, 2);
  assert.match(wrong.stderr, /"x" is no count of seeds/);
});

describe('a fleet that nobody touched', () => {
  it('has nothing for an audit to find', async () => {
    const world = startWorld({ seed: 14, macs: 2 }, 1);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const lists = Object.fromEntries(
      Object.entries(AUDITED_KINDS).map(([key, resource]) => [
        key,
        { is: 'listed', items: world.operator.list<KubeObject>(resource) },
      ]),
    );
    const report = judgeFleet(lists as unknown as Parameters<typeof judgeFleet>[0], [], {
      ...{ nowMs: START_WALL_MS + world.kernel.nowMs(), prices: LIST_PRICES },
    });
    assert.deepEqual(report, { findings: [], notJudged: [], eurosPerMonth: 0 });
  });
});
