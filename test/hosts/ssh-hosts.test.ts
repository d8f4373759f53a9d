/** Batches over a real sshd: the driver with steps of our own. What the driver itself promises is in driver.test.ts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '../../src/base/secret.ts';
import type { Batch, HostSession, StepCall } from '../../src/hosts/port.ts';
import type { StepFiles } from '../../src/hosts/program/compose.ts';
import { readStepFiles } from '../../src/hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../src/hosts/ssh/ssh-hosts.ts';
import { waitForHost } from '../../src/hosts/ssh/wait-for-host.ts';
import { artefactOf } from '../../src/hosts/testing/steps.ts';
import type { Sshd } from '../../tools/hosts/sshd.ts';
import { callOf, FIRST_LOOK } from './driver-stage.ts';
import { clock, outcome, signal, sshdFor, until } from './sshd-stage.ts';

const CANARY = 'canary-kubeconfig-4711';

/** Prints everything that it was given, on both outputs, and fails. */
const TELLTALE = `check() {
  echo "$0 $* $secret_kubeconfig $secret_password"
  echo "$secret_kubeconfig$secret_password" >&2
  : >"$HOME/begun"
  while [ ! -e "$HOME/seen" ]; do sleep 0.1; done
  return 1
}`;

const FILES: StepFiles = {
  ...readStepFiles(),
  lib: 'greet() { echo "hello $1"; }',
  steps: {
    telltale: TELLTALE,
    parameters: 'check() { greet "$in_nodeName"; }',
    'first-look': FIRST_LOOK,
    lasting: 'check() { : >"$HOME/begun"; sleep 600; }',
    broken: 'check() { if; }',
  },
};

const hosts = createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files: FILES });

const batchOf = (calls: readonly StepCall[], epoch = 7): Batch => ({ epoch, calls, timeoutMs: 60_000 });

const check = (step: string, more: Partial<StepCall> = {}): StepCall => callOf(step, { do: 'check', ...more });

const pinnedTarget = async ({ target }: Sshd) => {
  const look = await hosts.open(target, signal);
  await look.close();
  return { ...target, pinnedHostKey: look.hostKey };
};

const openOn = async (sshd: Sshd): Promise<HostSession> => hosts.open(await pinnedTarget(sshd), signal);

test('steps get the library and their inputs as they are, and answer in one go', async (t) => {
  const session = await openOn(await sshdFor(t));
  const told: string[] = [];
  const calls = [
    check('parameters', { inputs: { nodeName: "it's $x" } }),
    check('first-look', { inputs: { claim: 'c' } }),
  ];
  const { steps } = await session.run({ ...batchOf(calls), onAnswer: ({ step }) => told.push(step) }, signal);
  assert.deepEqual(
    steps.map(({ phases, output }) => [phases, output]),
    [
      [[{ phase: 'check', exitCode: 0 }], "hello it's $x\n"],
      [[{ phase: 'check', exitCode: 1 }], ''],
    ],
  );
  assert.deepEqual(told.toSorted(), ['first-look', 'parameters']);
  await session.close();
});

test('a secret is in no answer, argument, environment or log, even if the script prints it', async (t) => {
  const sshd = await sshdFor(t, { config: ['LogLevel DEBUG3'] });
  const session = await openOn(sshd);
  const secrets = { kubeconfig: new Secret(`token: ${CANARY}\n`), password: new Secret(CANARY) };
  const running = session.run(batchOf([check('telltale', { secrets })]), signal);
  await until('the script runs', () => existsSync(join(sshd.home, 'begun')));
  assert.ok(everyProcess('cmdline').includes('telltale/check'), 'the script is found');
  assert.ok(!everyProcess('cmdline').includes(CANARY), 'in an argument');
  assert.ok(!everyProcess('environ').includes(CANARY), 'in an environment');
  writeFileSync(join(sshd.home, 'seen'), '');
  const answer = await running;
  assert.equal(answer.steps[0]?.phases[0]?.exitCode, 1);
  assert.match(answer.steps[0]?.output ?? '', /redacted/);
  assert.ok(!inspect(answer, { depth: 9 }).includes(CANARY), inspect(answer, { depth: 9 }));
  assert.ok(!sshd.log().includes(CANARY), 'in the log of sshd');
  await session.close();
});

/** What /proc says about every process but this one. */
const everyProcess = (what: 'cmdline' | 'environ'): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/${what}`, 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');

test('a closed fence is the error that the port names', async (t) => {
  const session = await openOn(await sshdFor(t));
  await session.run(batchOf([callOf('first-look', { inputs: { claim: 'c' } })], 9), signal);
  await assert.rejects(session.run(batchOf([check('parameters')]), signal), {
    ...{ code: 'StaleEpoch', details: { epoch: 7, seen: 9 } },
  });
  await session.close();
});

test('a program that bash cannot read is told with what bash said', async (t) => {
  const session = await openOn(await sshdFor(t));
  await assert.rejects(session.run(batchOf([check('broken')]), signal), {
    code: 'BatchFailed',
    message: /exit 2.*if;/,
  });
  await session.close();
});

test('an artefact is under its checksum, for its owner alone, and the next batch tells of it', async (t) => {
  const sshd = await sshdFor(t);
  const session = await openOn(sshd);
  const artefact = artefactOf('tart', 'x'.repeat(1_000_000));
  await session.upload([artefact], signal);
  const path = join(sshd.home, '.macfleet', 'artefacts', artefact.sha256);
  assert.equal(readFileSync(path, 'utf8').length, 1_000_000);
  assert.deepEqual([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777], [0o600, 0o700]);
  const { facts } = await session.run(batchOf([check('parameters', { inputs: { nodeName: 'x' } })]), signal);
  assert.deepEqual(facts.artefacts, [artefact.sha256]);
  await session.close();
});

test('an sshd that went away and came back is found again with the same key', async (t) => {
  const sshd = await sshdFor(t);
  const target = await pinnedTarget(sshd);
  const session = await hosts.open(target, signal);
  const lost = outcome(session.run(batchOf([check('lasting')]), signal));
  await until('the script runs', () => readdirSync(sshd.home).includes('begun'));
  await sshd.restart();
  assert.equal(await lost, 'unavailable HostConnectionLost');
  const back = await waitForHost({ hosts, target, clock, everyMs: 100 }, signal);
  const { steps } = await back.run(batchOf([check('parameters', { inputs: { nodeName: 'x' } })]), signal);
  assert.equal(steps[0]?.phases[0]?.exitCode, 0);
  await back.close();
});

test('the sshd of a test that is killed ends, and its folder is removed', async () => {
  const module = join(import.meta.dirname, '..', '..', 'tools', 'hosts', 'sshd.ts');
  const script = `const { startSshd } = await import(${JSON.stringify(module)});
    const { pid, dir } = await startSshd();
    process.stdout.write(JSON.stringify({ pid, dir }));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [told] = await once(child.stdout, 'data');
  const { pid, dir } = JSON.parse(String(told));
  process.kill(pid, 0);
  child.kill('SIGKILL');
  await until(
    'sshd ended',
    () => !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z'),
  );
  await until('the folder is gone', () => !existsSync(dir));
});
