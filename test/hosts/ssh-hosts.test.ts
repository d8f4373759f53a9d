/** Steps over a real sshd: bash scripts that get their call as arguments and their secrets on standard input. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '../../src/base/secret.ts';
import type { HostSession, StepCall } from '../../src/hosts/port.ts';
import { DEFAULT_SSH_TIMES } from '../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../src/hosts/ssh/ssh-hosts.ts';
import { waitForHost } from '../../src/hosts/ssh/wait-for-host.ts';
import type { Sshd } from '../../tools/hosts/sshd.ts';
import { clock, outcome, signal, sshdFor, until } from './sshd-stage.ts';

const CANARY = 'canary-kubeconfig-4711';

/** Prints everything that it was given, on both outputs, and fails. */
const TELLTALE = `input=$(cat)
echo "$0 $* $input"
for line in $input; do echo "$line" | base64 -d; echo; done
for line in $input; do echo "$line" | base64 -d >&2; echo >&2; done
while [ ! -e "$HOME/seen" ]; do sleep 0.1; done
exit 1`;

const SCRIPTS: Readonly<Record<string, string>> = {
  telltale: TELLTALE,
  parameters: `printf '%s|' "$0" "$@"`,
  stale: 'echo working; echo macfleet-refused StaleEpoch 9; exit 97',
  lasting: 'echo begun >"$HOME/begun"; sleep 600',
};

const hosts = createSshHosts({
  ...{ clock, ...DEFAULT_SSH_TIMES, phaseTimeoutMs: 60_000 },
  scriptOf: (step) => SCRIPTS[step],
});

const callOf = (step: string, more: Partial<StepCall> = {}): StepCall => ({
  ...{ step, phase: 'apply', epoch: 7, inputs: {}, secrets: {} },
  ...more,
});

const pinnedTarget = async ({ target }: Sshd) => {
  const look = await hosts.open(target, signal);
  await look.close();
  return { ...target, pinnedHostKey: look.hostKey };
};

const openOn = async (sshd: Sshd): Promise<HostSession> => hosts.open(await pinnedTarget(sshd), signal);

test('a script is given step, phase, epoch and inputs as they are', async (t) => {
  const session = await openOn(await sshdFor(t));
  const { output, exitCode } = await session.run(callOf('parameters', { inputs: { nodeName: "it's $x\n" } }), signal);
  assert.equal(exitCode, 0);
  assert.equal(output, "parameters|apply|7|nodeName=it's $x\n|");
  await session.close();
});

test('a secret is in no answer, argument, environment or log, even if the script prints it', async (t) => {
  const sshd = await sshdFor(t, { config: ['LogLevel DEBUG3'] });
  const session = await openOn(sshd);
  const secrets = { kubeconfig: new Secret(`token: ${CANARY}\n`), password: new Secret(CANARY) };
  const running = session.run(callOf('telltale', { secrets }), signal);
  await until('the script runs', () => everyProcess('cmdline').includes('telltale\0apply'));
  assert.ok(!everyProcess('cmdline').includes(CANARY), 'in an argument');
  assert.ok(!everyProcess('environ').includes(CANARY), 'in an environment');
  writeFileSync(join(sshd.home, 'seen'), '');
  const answer = await running;
  assert.equal(answer.exitCode, 1);
  assert.ok(!inspect(answer).includes(CANARY), inspect(answer));
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

test('a script that finds the fence closed is the error that the port names', async (t) => {
  const session = await openOn(await sshdFor(t));
  await assert.rejects(session.run(callOf('stale'), signal), { code: 'StaleEpoch', details: { epoch: 7, seen: 9 } });
  await session.close();
});

test('an sshd that went away and came back is found again with the same key', async (t) => {
  const sshd = await sshdFor(t);
  const target = await pinnedTarget(sshd);
  const session = await hosts.open(target, signal);
  const lost = outcome(session.run(callOf('lasting'), signal));
  await until('the script runs', () => readdirSync(sshd.home).includes('begun'));
  await sshd.restart();
  assert.equal(await lost, 'unavailable HostConnectionLost');
  const back = await waitForHost({ hosts, target, clock, everyMs: 100 }, signal);
  assert.equal((await back.run(callOf('parameters'), signal)).exitCode, 0);
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
