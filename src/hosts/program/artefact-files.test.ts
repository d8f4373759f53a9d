import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { openArtefact } from './artefact-files.ts';

test('I-15 a file becomes an artefact that is read in pieces, again and again, and is never in memory as a whole', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-artefact-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const content = Buffer.alloc(300_000, 'tart');
  writeFileSync(join(dir, 'tart'), content);
  const artefact = await openArtefact('tart', join(dir, 'tart'), neverAborted());
  assert.deepEqual([artefact.name, artefact.sizeBytes], ['tart', content.length]);
  assert.equal(artefact.sha256, createHash('sha256').update(content).digest('hex'));
  for (const _ of [1, 2]) {
    const pieces: Uint8Array[] = [];
    for await (const piece of artefact.open()) pieces.push(piece);
    assert.ok(Buffer.concat(pieces).equals(content));
    assert.ok(pieces.every(({ length }) => length <= content.length / 2));
  }
  await assert.rejects(openArtefact('node', join(dir, 'none'), neverAborted()), {
    ...{ code: 'ArtefactUnreadable', kind: 'invalid', message: /the file node for Macs cannot be read: ENOENT/ },
  });
});
