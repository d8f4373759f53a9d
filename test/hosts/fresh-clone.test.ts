/** The first command of the README in a clone that somebody has just made: it installs, runs, and leaves the clone as it was. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-clone-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });

const isClone = existsSync(join(ROOT, '.git'));

it('a fresh clone gets from nothing to finished jobs by one command', {
  timeout: 300_000,
  skip: isClone ? false : 'this is no clone: there is nothing to clone from',
}, (t) => {
  const clone = join(scratch, 'macfleet');
  // What is not committed yet is tried too.
  git(ROOT, 'clone', '--quiet', ROOT, clone);
  const changes = git(ROOT, 'diff', 'HEAD', '--binary');
  if (changes !== '') execFileSync('git', ['-C', clone, 'apply'], { input: changes });
  const before = git(clone, 'status', '--porcelain');
  const { status, stdout, stderr } = spawnSync(join(clone, 'macfleet'), ['up', '--until', 'jobs-done'], {
    ...{ cwd: clone, encoding: 'utf8', timeout: 280_000 },
    // As a newcomer: no cache of compiled code, no cluster, nothing of this run's own.
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? scratch },
  });
  if (/npm cannot reach its registry/.test(stderr)) {
    t.skip('nothing can be installed here: npm cannot reach its registry');
    return;
  }
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  assert.match(stderr, /^macfleet: installing the pinned dependencies \(once, about a minute\)\n$/);
  assert.match(stdout, /^The Macs (are|run) /m, 'which kind of Macs, and why');
  assert.match(stdout, /^8 of 8 CI jobs ran to their end, each in a VM of its own \(8 VMs\)\.$/m);
  assert.equal(git(clone, 'status', '--porcelain'), before, 'the clone is as it was');
});
