/** sudo, its files and PAM's tally. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../../base/secret.ts';
import { createAccounts, PAM_LOCKS_AT } from './accounts.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const FREE = 'm1 ALL=(ALL) NOPASSWD: ALL\n';
const stage = (files: Readonly<Record<string, string>> = {}) => {
  const disk = createMemoryFiles({ '/etc/sudoers': '%admin ALL=(ALL) ALL\n', ...files });
  const accounts = createAccounts(disk, new Secret('right'));
  return { disk, accounts, run: commandRunner(accounts.commands) };
};

const rows: readonly {
  readonly story: string;
  readonly files: Readonly<Record<string, string>>;
  readonly may: string;
}[] = [
  { story: 'an administrator is asked for the password', files: {}, may: '2' },
  { story: 'a file lets m1 in without', files: { '/etc/sudoers.d/m1-nopasswd': FREE }, may: '0' },
  {
    story: 'the last rule counts',
    files: { '/etc/sudoers.d/a': FREE, '/etc/sudoers.d/b': 'm1 ALL=(ALL) ALL\n' },
    may: '2',
  },
  { story: 'a file with a dot in its name is not read', files: { '/etc/sudoers.d/m1.new': FREE }, may: '2' },
  {
    story: 'a line that cannot be read is told and skipped',
    files: { '/etc/sudoers.d/m1': `what?\n${FREE}` },
    may: '0 sudo: /etc/sudoers.d/m1:1: syntax error',
  },
  {
    story: 'nobody is let in whom no rule names',
    files: { '/etc/sudoers': 'root ALL=(ALL) ALL\n' },
    may: '1 m1 is not in the sudoers file.',
  },
];
for (const { story, files, may } of rows) {
  test(`sudo: ${story}`, async () => {
    assert.equal(await stage(files).run('m1: sudo may root'), may);
  });
}

test('sudo trusts no file that others than root could have written', async () => {
  const { disk, run } = stage();
  disk.write('/etc/sudoers.d/m1', FREE, { uid: 501 });
  assert.match(await run('m1: sudo may root'), /^2 .*owned by uid 501/);
  disk.write('/etc/sudoers.d/m1', FREE, { mode: 0o666 });
  assert.match(await run('m1: sudo may root'), /^2 .*writable by others/);
});

test('F39: wrong passwords lock the account until the Mac is booted; a right one clears the tally', async () => {
  const { accounts, run } = stage();
  const wrong = () => run('m1: sudo try root wrong');
  for (let at = 1; at < PAM_LOCKS_AT; at += 1) assert.equal(await wrong(), '2');
  assert.equal(await run('m1: sudo try root right'), '0');
  assert.equal(accounts.failures(), 0);
  for (let at = 1; at <= PAM_LOCKS_AT; at += 1) await wrong();
  assert.match(await run('m1: sudo try root right'), /^1 .*is your account locked/);
  accounts.boot();
  assert.equal(await run('m1: sudo try root right'), '0');
});

test('dscl tells who m1 is, and counts a wrong password as sudo does', async () => {
  const { accounts, run } = stage();
  assert.equal(await run('dscl . -read /Users/m1 UniqueID'), '0 UniqueID: 501');
  assert.equal(await run('dscl . -authonly m1 right'), '0');
  assert.match(await run('dscl . -authonly m1 wrong'), /^1 .*eDSAuthFailed/);
  assert.equal(accounts.failures(), 1);
});

test('visudo -c reads a file before it counts', async () => {
  const { disk, run } = stage();
  disk.write('/new', FREE);
  assert.equal(await run('visudo -cf /new'), '0 /new: parsed OK');
  disk.write('/new', 'm1 NOPASSWD\n');
  assert.equal(await run('visudo -c -f /new'), '1 /new:1:1: syntax error');
});
