import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parseLocked, readLockedFile } from './locked-package.ts';

/** A project whose cache has the package `thing`, and where npm has installed it with something else in it. */
const stageProject = (t: TestContext) => {
  const project = mkdtempSync(join(tmpdir(), 'macfleet-locked-'));
  t.after(() => rmSync(project, { recursive: true }));
  const put = (path: string, content: string): void => {
    mkdirSync(join(project, path, '..'), { recursive: true });
    writeFileSync(join(project, path), content);
  };
  put('source/package/bin/node', 'as it was packed');
  put('node_modules/thing/bin/node', 'as somebody left it');
  const packed = join(project, 'node_modules/.cache/locked-packages/thing-1.0.0.tgz');
  put('node_modules/.cache/locked-packages/thing-1.0.0.tgz', '');
  execFileSync('tar', ['-czf', packed, '-C', join(project, 'source'), 'package']);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`;
  const lock = JSON.stringify({ packages: { 'node_modules/thing': { version: '1.0.0', integrity, license: 'MIT' } } });
  return { project, packed, locked: parseLocked(lock, 'node_modules/thing') };
};

describe('a file of a package that the lock file names', () => {
  it('is that of the package with this checksum, whatever is installed', async (t) => {
    const { project, locked } = stageProject(t);
    assert.equal((await readLockedFile(project, locked, 'bin/node')).toString(), 'as it was packed');
  });

  it('is refused when the package is another one', async (t) => {
    const { project, packed, locked } = stageProject(t);
    writeFileSync(packed, Buffer.concat([readFileSync(packed), Buffer.of(0)]));
    await assert.rejects(readLockedFile(project, locked, 'bin/node'), { code: 'StrangePackage' });
  });

  it('is none of a package that the lock file does not name', () =>
    assert.throws(() => parseLocked('{"packages":{}}', 'node_modules/thing'), { code: 'StrangePackage' }));
});
