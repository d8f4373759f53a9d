import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { MUTANTS } from '../../test/mutants/mutants.ts';
import { PROPERTIES_FOLDER, renderCorrectnessPage } from './correctness-page.ts';
import { QUIET_PROMISES } from './quiet-promises.ts';

const FOLDER = join(import.meta.dirname, '..', '..', PROPERTIES_FOLDER);
const files = new Map(
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [`${PROPERTIES_FOLDER}/${name}`, readFileSync(join(FOLDER, name), 'utf8')]),
);

const cellsOf = (page: string, id: string): readonly string[] =>
  page
    .split('\n')
    .find((line) => line.startsWith(`| ${id} |`))
    ?.split(' | ') ?? [];

describe('the page about correctness', () => {
  const kill = { id: 'N1', property: 'S13', seed: 40, schedules: 41 };
  const page = renderCorrectnessPage(new Map([...files, ['test/mutants/kills.json', JSON.stringify([kill])]]));

  it('says of every promise in which file it is judged', () => {
    for (const line of page.split('\n').filter((text) => /^\| [SL]\d+ \|/.test(text))) {
      assert.match(line, /\]\(\.\.\/src\/(?:world\/simulate\/properties\/.+|sim\/dispatch\/check-record)\.ts\)/);
    }
  });

  it('has every promise that is judged when trouble is over', () => {
    const judged = [...files].filter(([path]) => !path.includes('.test.')).flatMap(([, text]) => text.match(/'L\d+'/g));
    const known = QUIET_PROMISES.map(({ id }) => `'${id}'`);
    assert.deepEqual(
      judged.filter((id) => id !== null && !known.includes(id)),
      [],
    );
  });

  it('has every mutant, and what is on record about it', () => {
    for (const { id } of MUTANTS) assert.ok(cellsOf(page, id).length > 0, id);
    assert.deepEqual(cellsOf(page, 'N1').slice(2, 5), ['S13', '40', '41']);
    assert.match(cellsOf(page, 'S13').at(-1) ?? '', /N1/);
    assert.ok(cellsOf(page, 'N2').includes('not on record'));
  });

  it('has the mutants of the agent, by what finds them', () => {
    for (const id of ['M23', 'M24', 'M29-not-set', 'M29-overwritten', 'N9', 'N15', 'S27'])
      assert.match(cellsOf(page, `agent ${id}`).at(-1) ?? '', /src\/world\/kubelet-/, id);
  });

  it('says so when no soak is on record', () => assert.match(page, /No soak is on record/));
});
