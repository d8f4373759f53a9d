import assert from 'node:assert/strict';
import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSystemFiles } from './host/system-files.ts';
import { trimOwnLog } from './trim-own-log.ts';

describe('the agent’s own log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-log-'));
  after(() => rmSync(folder, { recursive: true }));
  const files = createSystemFiles();
  const MIB = 'x'.repeat(1_024 * 1_024 - 1).concat('\n');

  it('is left alone until it is too long, and where there is none', async () => {
    const log = { files, path: join(folder, 'short.log'), oldPath: join(folder, 'short.old') };
    assert.equal(await trimOwnLog(log), false);
    appendFileSync(log.path, 'a word\n');
    assert.equal(await trimOwnLog(log), false);
    assert.equal(readFileSync(log.path, 'utf8'), 'a word\n');
  });

  it('§7-44 is emptied in place when it is: whoever has it open, launchd or a shipper, goes on in the same file', async () => {
    const log = { files, path: join(folder, 'long.log'), oldPath: join(folder, 'long.old') };
    const held = openSync(log.path, 'a');
    const { ino } = statSync(log.path);
    for (let written = 0; written <= 64; written += 1) writeSync(held, MIB);
    assert.equal(await trimOwnLog(log), true);
    writeSync(held, 'after\n');
    closeSync(held);
    assert.equal(readFileSync(log.path, 'utf8'), 'after\n');
    assert.equal(statSync(log.path).ino, ino);
    assert.equal(statSync(log.oldPath).size, 65 * MIB.length);
  });
});
