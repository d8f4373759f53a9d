import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { type ArtefactName, openHostAccess } from './host-access.ts';

const folder = mkdtempSync(join(tmpdir(), 'macfleet-host-access-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const there = join(folder, 'there');
writeFileSync(there, 'a file');
const ALL: Readonly<Record<ArtefactName, string>> = { tart: there, node: there, agent: there };

const open = (artefactPaths: Readonly<Record<ArtefactName, string>>) =>
  openHostAccess({ artefactPaths, sshPort: 22, stepInputs: { maxPods: '2' } }, createSystemClock(), neverAborted());

describe('what is put on Macs', () => {
  test('is summed once, and comes with the scripts and what is the same for every Mac', async () => {
    const { artefacts, files, inputs } = await open(ALL);
    assert.deepEqual(Object.keys(artefacts), ['tart', 'node', 'agent']);
    assert.equal(artefacts['node']?.sizeBytes, 6);
    assert.ok('first-look' in files.steps);
    assert.deepEqual(inputs, { maxPods: '2' });
  });

  const flags: Readonly<Record<ArtefactName, RegExp>> = {
    tart: /--tart-tarball-path/,
    node: /--tartkubelet-runtime-path/,
    agent: /--tartkubelet-bundle-path/,
  };
  for (const name of ['tart', 'node', 'agent'] as const) {
    test(`is missed at the start: ${name}, with the flag that names it`, () =>
      assert.rejects(open({ ...ALL, [name]: join(folder, 'missing') }), {
        ...{ kind: 'invalid', code: 'ArtefactUnreadable', hint: flags[name] },
        message: new RegExp(`the file ${name} for Macs cannot be read: ENOENT`),
      }));
  }
});
