/** `./macfleet up` on disks that cannot take it: real file systems, small or read-only, in a mount namespace of their own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

const MACFLEET = join(import.meta.dirname, '..', '..', 'macfleet');
const disk = mkdtempSync(join(tmpdir(), 'macfleet-disk-'));
after(() => rmSync(disk, { recursive: true, force: true }));

/** `up` with its data on a fresh disk, mounted so; the machine itself never sees it. */
const upOn = (mount: string, flags: readonly string[] = []) => {
  const script = `mount -t tmpfs -o ${mount} tmpfs "$0" && exec "$@"`;
  const up = [MACFLEET, 'up', '--data', disk, '--until', 'jobs-done', '--macs-as', 'step-level', ...flags];
  return spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, disk, ...up], {
    ...{ encoding: 'utf8', timeout: 90_000 },
  });
};

const isMountPossible = (): boolean => upOn('size=64k', ['--help']).status === 0;

describe('up with its data', { skip: isMountPossible() ? false : 'no file system can be mounted here' }, () => {
  const rows = [
    { story: 'on a disk that is read-only', mount: 'ro', says: /read-only file system/i },
    { story: 'on a disk that is full from the start', mount: 'size=16k', says: /\bfull\b|no space/i },
    { story: 'on a disk that is full when it starts its parts', mount: 'size=600k', says: /\bfull\b|no space/i },
    { story: 'on a disk that becomes full under it', mount: 'size=2m', says: /\bfull\b|no space/i },
  ];
  for (const { story, mount, says } of rows) {
    it(`${story} ends with one clear message`, () => {
      const { status, stderr } = upOn(mount);
      assert.ok(status !== 0 && status !== null && status !== 70, `exit code ${status}: ${stderr}`);
      assert.match(stderr, says);
      assert.equal(stderr.match(/^error: /gm)?.length, 1, stderr);
      assert.match(stderr, /^ {2}what to do: \S/m);
      assert.doesNotMatch(stderr, /\n\s+at |defect of macfleet/);
    });
  }
});
