import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { FleetError } from '../../base/errors.ts';
import type { CliInput, CliIo } from '../io.ts';
import { collectPasswords, type Passwords, parsePasswords } from './passwords.ts';

const shown = (passwords: Passwords): string =>
  Array.from(passwords, ([host, password]) => `${host}=${password.reveal()}`).join(' ');

const rows: readonly { readonly story: string; readonly text: string; readonly passwords: string }[] = [
  { story: 'one line is for all', text: 'se cret\n', passwords: 'a=se cret b:22=se cret' },
  { story: 'a line without an end', text: 'secret', passwords: 'a=secret b:22=secret' },
  { story: 'a line for each, in any order', text: 'b:22 two\na on e\n', passwords: 'a=on e b:22=two' },
  { story: 'lines of other hosts', text: 'c x\r\na one\r\nb:22 two\r\n', passwords: 'a=one b:22=two' },
];

for (const { story, text, passwords } of rows) {
  test(`passwords in a text: ${story}`, () => assert.equal(shown(parsePasswords(text, ['a', 'b:22'])), passwords));
}

for (const text of ['', '\n\n', 'a one\n', 'a one\nc three\n']) {
  test(`a text that lacks a host's password names the host: ${JSON.stringify(text)}`, () => {
    assert.throws(() => parsePasswords(text, ['a', 'b:22']), { code: 'PasswordMissing', message: /for (a|b:22)$/ });
  });
}

const keyboard = (...chunks: readonly string[]): CliInput & { readonly modes: boolean[] } => {
  const modes: boolean[] = [];
  return {
    ...{ isTTY: true, modes },
    setRawMode: (isRaw) => modes.push(isRaw),
    async *[Symbol.asyncIterator]() {
      for (const chunk of chunks) yield Buffer.from(chunk);
    },
  };
};

const ioWith = (stdin: CliInput | undefined): CliIo & { readonly written: string[] } => {
  const written: string[] = [];
  const write = (text: string): void => {
    written.push(text);
  };
  const base = { stdout: write, stderr: write, env: {}, signal: new AbortController().signal, written };
  return stdin === undefined ? base : { ...base, stdin };
};

const ask = (io: CliIo) => collectPasswords({ hosts: ['a', 'b'], user: 'm1' }, io);

test('a person is asked for each host, sees nothing of what is typed, and gets the terminal back', async () => {
  const stdin = keyboard('fi', 'rx\u007fst\rse', 'cond\n');
  const io = ioWith(stdin);
  assert.equal(shown(await ask(io)), 'a=first b=second');
  assert.deepEqual(stdin.modes, [true, false]);
  assert.equal(io.written.join(''), 'Password of m1 at a (not shown): \nPassword of m1 at b (not shown): \n');
});

const broken: readonly { readonly story: string; readonly stdin: CliInput | undefined; readonly code: string }[] = [
  { story: 'Ctrl-C', stdin: keyboard('secr\u0003'), code: 'Cancelled' },
  { story: 'Ctrl-D', stdin: keyboard('first\r\u0004'), code: 'PasswordMissing' },
  { story: 'an end of the input', stdin: keyboard('first\r'), code: 'PasswordMissing' },
  { story: 'no terminal', stdin: { ...keyboard('first\r'), isTTY: false }, code: 'NoTerminal' },
  { story: 'no input at all', stdin: undefined, code: 'NoTerminal' },
];

for (const { story, stdin, code } of broken) {
  test(`${story} at the question ends it as ${code}, and no key is echoed`, async () => {
    const io = ioWith(stdin);
    await assert.rejects(ask(io), (error) => error instanceof FleetError && error.code === code);
    assert.ok(!io.written.join('').includes('sec'));
  });
}

test('- reads the passwords from standard input, a path from a file, and one that is not there is told', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-passwords-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'passwords');
  writeFileSync(path, 'a 1\nb 2\n');
  const from = async (passwordFile: string, stdin?: CliInput): Promise<string> =>
    shown(await collectPasswords({ hosts: ['a', 'b'], user: 'm1', passwordFile }, ioWith(stdin)));
  assert.equal(await from('-', keyboard('sec', 'ret\n')), 'a=secret b=secret');
  assert.equal(await from(path), 'a=1 b=2');
  await assert.rejects(from(join(dir, 'none')), { code: 'FileUnreadable' });
});
