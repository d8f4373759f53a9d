import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { AuditEvent } from './audit-event.ts';
import { openAuditFile } from './audit-file.ts';

const scratch = mkdtempSync(join(tmpdir(), 'macfleet-audit-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const eventOf = (auditID: string): AuditEvent => ({
  ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID, stage: 'ResponseComplete' },
  ...{ requestURI: '/', verb: 'post', user: { username: 'a', groups: [] }, responseStatus: { code: 200 } },
  ...{ requestReceivedTimestamp: '', stageTimestamp: '' },
});

/** Writes those, one after the other without a pause, and closes the file. */
const write = async (path: string, ids: readonly string[]): Promise<readonly string[]> => {
  const said: string[] = [];
  const file = await openAuditFile({ path, say: (text) => said.push(text) });
  for (const id of ids) file.write(eventOf(id));
  await file.close();
  return said;
};

const idsIn = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (line.startsWith('{"kind"') ? JSON.parse(line).auditID : line));

describe('the file of an audit log', () => {
  it('is made for its owner alone, and appended to, in order', async () => {
    const path = join(scratch, 'new.log');
    const many = Array.from({ length: 2_000 }, (_, at) => `id-${at}`);
    assert.deepEqual(await write(path, many), []);
    await write(path, ['next']);
    assert.deepEqual(idsIn(path), [...many, 'next']);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('becomes its owner’s alone where others could read it', async () => {
    const path = join(scratch, 'open.log');
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await write(path, ['a']);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('begins a new line after one that was left half-written', async () => {
    const path = join(scratch, 'torn.log');
    writeFileSync(path, 'whole\nha');
    await write(path, ['a']);
    await write(path, ['b']);
    assert.deepEqual(idsIn(path), ['whole', 'ha', 'a', 'b']);
  });

  it('goes on with a path that only takes, as /dev/null', async () => {
    assert.deepEqual(await write('/dev/null', ['a']), []);
  });

  const full = existsSync('/dev/full') ? {} : { skip: 'there is no /dev/full here' };

  it('says once that the disk is full, and in the end how much is lost', full, async () => {
    const said = await write('/dev/full', ['a', 'b', 'c']);
    assert.equal(said.length, 2, said.join('\n'));
    assert.match(said[0] ?? '', /^The audit log \/dev\/full cannot be written: ENOSPC.*The API goes on/);
    assert.equal(said[1], '3 lines of the audit log /dev/full are lost.');
  });

  it('keeps no more than a bound of what the disk is too slow for, and says how much is lost', async () => {
    const path = join(scratch, 'flood.log');
    const count = 10_000;
    const said = await write(path, Array(count).fill('x'.repeat(1_000)));
    assert.match(said[0] ?? '', /the disk is too slow/);
    const [, lost] = /^(\d+) lines/.exec(said[1] ?? '') ?? [];
    const kept = idsIn(path).length;
    assert.deepEqual([said.length, kept + Number(lost)], [2, count]);
    assert.ok(statSync(path).size < 5 * 1024 * 1024, `${kept} are kept`);
  });

  const refused: readonly (readonly [string, () => string, RegExp])[] = [
    ['a folder that is not there', () => join(scratch, 'none', 'a.log'), /ENOENT/],
    ['a folder', () => scratch, /EISDIR/],
    [
      'a pipe',
      () => {
        execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(scratch, 'pipe')]);
        return join(scratch, 'pipe');
      },
      /it is no file/,
    ],
  ];
  for (const [what, make, message] of refused) {
    it(`is refused with what to do: ${what}`, async () => {
      const opened = openAuditFile({ path: make(), say: assert.fail });
      await assert.rejects(opened, { code: 'AuditLogUnusable', kind: 'invalid', message, hint: /--audit-log/ });
    });
  }
});
