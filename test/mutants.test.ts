import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { describe, it, test } from 'node:test';
import { SAFETY } from '../src/world/simulate/properties/all.ts';
import { QUIET_PROMISES } from '../tools/generate/quiet-promises.ts';
import { RUNNER_PROMISES } from '../tools/generate/runner-promises.ts';
import { applyEdits } from './mutants/apply.ts';
import { KILLS_FILE, parseKills } from './mutants/kills.ts';
import { DESIGNED_OUT, MUTANTS } from './mutants/mutants.ts';

const ROOT = new URL('../', import.meta.url);

/** The lists of the fleet and of runners; those of host scripts, kubelet and chart belong to these parts. */
const WANTED = [
  ...['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M7', 'M8', 'M10', 'M11', 'M12', 'M13', 'M14', 'M15', 'M16', 'M17', 'M18'],
  ...['M25', 'M27', 'M31', 'N1', 'N2', 'N3', 'N4', 'N5', 'N6', 'N7', 'N8', 'N11', 'N14', 'N16'],
  ...['R3', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10', 'R12', 'R13', 'R14', 'R15', 'R16', 'R17', 'R18', 'R19'],
  ...['R21', 'R22', 'R23'],
];

describe('each mutant', () => {
  for (const { id, edits } of MUTANTS) {
    it(`${id} still applies, once, and is a program`, async () => {
      assert.ok(edits.length > 0, 'it changes nothing');
      for (const file of new Set(edits.map((edit) => edit.file))) {
        const source = await readFile(new URL(file, ROOT), 'utf8');
        const own = edits.filter((edit) => edit.file === file);
        stripTypeScriptTypes(applyEdits(source, own));
      }
    });
  }
});

const JUDGED: readonly string[] = [...SAFETY, ...QUIET_PROMISES, ...RUNNER_PROMISES].map(({ id }) => id);

describe('what must find each mutant', () => {
  for (const { id, killedBy, budget } of MUTANTS) {
    it(`${id} is a promise that is judged, within a budget`, () => {
      assert.ok(killedBy.length > 0 && budget > 0);
      assert.deepEqual(
        killedBy.filter((property) => !JUDGED.includes(property)),
        [],
      );
    });
  }
});

test('what is on record agrees with what the mutants say', async () => {
  const kills = parseKills(await readFile(new URL(KILLS_FILE, ROOT), 'utf8'));
  for (const { id, property, schedules } of kills) {
    const mutant = MUTANTS.find((one) => one.id === id);
    assert.ok(mutant !== undefined, id);
    assert.ok(mutant.killedBy.includes(property), `${id} by ${property}`);
    assert.ok(schedules <= mutant.budget, `${id} within ${schedules}`);
  }
});

test('every defect of the list is a mutant, or has no place in our code', () => {
  const known = [...MUTANTS, ...DESIGNED_OUT].map(({ id }) => id);
  assert.deepEqual(
    WANTED.filter((id) => !known.includes(id)),
    [],
  );
  assert.equal(new Set(known).size, known.length);
});

test('an edit that does not apply, or applies twice, is an error that names the file', () => {
  const edit = { file: 'a.ts', from: 'x', to: 'y' };
  assert.throws(() => applyEdits('z', [edit]), /stands 0 times in a.ts/);
  assert.throws(() => applyEdits('xx', [edit]), /stands 2 times in a.ts/);
  assert.equal(applyEdits('x $& x2'.replace('x2', ''), [{ ...edit, to: '$&' }]), '$& $& ');
});
