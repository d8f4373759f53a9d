/** Commands on a real sshd: what they print, how they end, and that they do end. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { REMOTE_SCRIPTS } from '../../src/hosts/port/remote-command.ts';
import { UPLOAD_SCRIPTS } from '../../src/hosts/port/upload-wire.ts';
import { bash, connectFor, outcome, processesWith, signal, sshdFor, textOf, until } from './sshd-stage.ts';

/** sshd hands the line to it, as it does to a user's login shell. */
const loginShell = (shell: string): readonly string[] => [`ForceCommand exec ${shell} -c "$SSH_ORIGINAL_COMMAND"`];

const GIGABYTE = 2 ** 30;

for (const shell of ['bash', 'zsh', 'dash']) {
  test(`through ${shell} as login shell words, input, both outputs and the exit code arrive as they are`, async (t) => {
    const { target } = await sshdFor(t, { config: loginShell(shell) });
    const connection = await connectFor(t, target);
    const words = ["it's", '$HOME `id` !!', 'a\nb', '', '*', '=ls', '~', 'ü'];
    const command = bash(`printf '%s|' "$@"; cat; echo problem >&2; exit 7`, ...words);
    const result = await connection.run({ ...command, stdin: Buffer.from('input') }, signal);
    assert.equal(textOf(result), `${words.join('|')}|input`);
    assert.equal(result.stderr.render({}), 'problem\n');
    assert.equal(result.exitCode, 7);
  });

  test(`through ${shell} a cancelled command ends with all its children`, async (t) => {
    const { target } = await sshdFor(t, { config: loginShell(shell) });
    const connection = await connectFor(t, target);
    const word = `31${Math.floor(performance.now() * 1000)}`;
    const controller = new AbortController();
    const command = bash(
      `sleep ${word} & (sleep ${word} & sleep ${word}) & trap '' TERM; sleep ${word}; sleep ${word}`,
    );
    const ended = outcome(connection.run(command, controller.signal));
    await until('four children run', () => processesWith(word).length === 4);
    controller.abort();
    assert.equal(await ended, 'cancelled Cancelled');
    await until('none runs', () => processesWith(word).length === 0);
    assert.equal(textOf(await connection.run(bash('echo still here'), signal)), 'still here\n');
  });
}

test('what the shell files of a user print is not taken for output, and they are read once at most', async (t) => {
  const { target, home } = await sshdFor(t);
  writeFileSync(
    join(home, '.bashrc'),
    `echo read >> ${home}/reads; echo 'Welcome <macfleet-run>'; head -c 200000 /dev/urandom\n`,
  );
  const connection = await connectFor(t, target);
  assert.equal(textOf(await connection.run(bash(`cat ${home}/reads`), signal)), 'read\n');
});

test('a gigabyte of output is counted to the byte and costs no memory', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const before = process.memoryUsage().rss;
  const { stdout } = await connection.run(bash(`echo first; head -c ${GIGABYTE} /dev/zero; echo last`), signal);
  assert.equal(stdout.totalBytes, GIGABYTE + 'first\nlast\n'.length);
  const text = stdout.render({});
  assert.match(text, /^first\n/);
  assert.match(text, /last\n$/);
  assert.ok(text.length < 70_000);
  const grownMb = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grownMb < 200, `${grownMb} MB`);
});

test('binary garbage comes out as text', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const { stdout, exitCode } = await connection.run(bash('head -c 20000 /dev/urandom'), signal);
  assert.equal(exitCode, 0);
  assert.equal(stdout.totalBytes, 20_000);
  assert.ok(stdout.render({}).isWellFormed());
});

test('a command that is killed has the exit code of its signal', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const { exitCode } = await connection.run(bash('kill -KILL $$'), signal);
  assert.equal(exitCode, 137);
});

test('what a command leaves running in the background does not hold it up, and ends with it', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const word = `32${Math.floor(performance.now() * 1000)}`;
  assert.equal(textOf(await connection.run(bash(`sleep ${word} & echo done`), signal)), 'done\n');
  await until('it ended', () => processesWith(word).length === 0);
});

test('a command that takes longer than its limit is told as such, and ends on the host', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const word = `33${Math.floor(performance.now() * 1000)}`;
  const late = connection.run({ ...bash(`sleep ${word}`), timeoutMs: 500 }, signal);
  assert.equal(await outcome(late), 'unavailable DeadlineExceeded');
  await until('it ended', () => processesWith(word).length === 0);
});

test('a session that takes longer than its limit ends in the middle of a command', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target, { sessionTimeoutMs: 500 });
  assert.equal(await outcome(connection.run(bash('sleep 60'), signal)), 'unavailable DeadlineExceeded');
});

test('a peer that stops answering is noticed by the keepalive', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target, { keepalive: { everyMs: 200, unansweredMax: 3 } });
  const pid = Number(textOf(await connection.run(bash('p=$PPID; ps -o ppid= -p "$p"'), signal)));
  const lost = outcome(connection.run(bash('sleep 60'), signal));
  await until('the command runs', () => sshd.log().includes('Starting session'));
  process.kill(pid, 'SIGSTOP');
  t.after(() => process.kill(pid, 'SIGKILL'));
  assert.equal(await lost, 'unavailable HostConnectionLost');
});

test('a connection that breaks in the middle of a command is told as lost, and the host ends the command', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const word = `34${Math.floor(performance.now() * 1000)}`;
  const pid = Number(textOf(await connection.run(bash('p=$PPID; ps -o ppid= -p "$p"'), signal)));
  const lost = outcome(connection.run(bash(`sleep ${word}`), signal));
  await until('the command runs', () => processesWith(word).length === 1);
  process.kill(pid, 'SIGKILL');
  assert.equal(await lost, 'unavailable HostConnectionLost');
  assert.equal(await outcome(connection.run(bash('echo'), signal)), 'unavailable HostConnectionLost');
  await until('the command ended', () => processesWith(word).length === 0);
});

test('forty commands at once share a connection that takes ten', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const texts = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => textOf(await connection.run(bash('echo "$1"', `${index}`), signal))),
  );
  assert.deepEqual(
    texts,
    Array.from({ length: 40 }, (_, index) => `${index}\n`),
  );
});

test('a host that takes one command at a time is asked again until it has a place', async (t) => {
  const { target } = await sshdFor(t, { config: ['MaxSessions 1'] });
  const connection = await connectFor(t, target);
  const texts = [connection.run(bash('sleep 0.3; echo one'), signal), connection.run(bash('echo two'), signal)];
  assert.deepEqual((await Promise.all(texts)).map(textOf), ['one\n', 'two\n']);
});

test('a host that has no place for a command for long says so', async (t) => {
  const { target } = await sshdFor(t, { config: ['MaxSessions 0'] });
  const connection = await connectFor(t, target);
  assert.equal(await outcome(connection.run(bash('echo'), signal)), 'unavailable HostRefusedChannel');
});

test('a command that is cancelled before the host has opened its channel is ended too', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const word = `36${Math.floor(performance.now() * 1000)}`;
  const controller = new AbortController();
  const ended = outcome(connection.run(bash(`sleep ${word}`), controller.signal));
  controller.abort();
  assert.equal(await ended, 'cancelled Cancelled');
  // The host takes up commands in their order, so that the first has had its time when the second is over.
  await connection.run(bash('sleep 0.5'), signal);
  await until('it ended', () => processesWith(word).length === 0);
});

test('closing ends what runs', async (t) => {
  const { target } = await sshdFor(t);
  const connection = await connectFor(t, target);
  const word = `35${Math.floor(performance.now() * 1000)}`;
  const ended = outcome(connection.run(bash(`sleep ${word}`), signal));
  await until('the command runs', () => processesWith(word).length === 1);
  await connection.close();
  assert.equal(await ended, 'bug SessionClosed');
  await until('the command ended', () => processesWith(word).length === 0);
});

for (const [name, script] of Object.entries({ ...REMOTE_SCRIPTS, ...UPLOAD_SCRIPTS })) {
  test(`shellcheck has nothing to say about ${name}`, () => {
    const said = execFileSync('shellcheck', ['--shell=bash', '-'], { input: script, encoding: 'utf8' });
    assert.equal(said, '');
  });
}
