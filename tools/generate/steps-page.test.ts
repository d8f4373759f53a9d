import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { BUILDER_STEPS, RELEASE_STEPS } from '../../src/hosts/step.ts';
import { parseHeading, renderStepsPage, STEPS_FOLDER, STEPS_PAGE } from './steps-page.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const texts = new Map(
  readdirSync(join(ROOT, STEPS_FOLDER)).map((name): [string, string] => [
    `${STEPS_FOLDER}/${name}`,
    readFileSync(join(ROOT, STEPS_FOLDER, name), 'utf8'),
  ]),
);
const ids = [...BUILDER_STEPS, ...RELEASE_STEPS].map(({ id }) => id);

test('the page "What we do to your Mac" is current', () => {
  assert.equal(readFileSync(join(ROOT, STEPS_PAGE), 'utf8'), renderStepsPage(texts), 'run "npm run generate"');
});

test('every step is a script, and every script but the two shared ones is a step', () => {
  const names = [...texts.keys()].map((path) => path.slice(STEPS_FOLDER.length + 1, -'.sh'.length));
  assert.deepEqual(names.sort(), [...ids, 'driver', 'lib'].sort());
});

test('every file that a script writes stands on the page', () => {
  const written =
    /(?:put_file|put_daemon|root (?:touch|chown|mv|mkdir)).*?(\/(?:etc|usr\/local|Library|var|opt)\/[\w./-]+)/g;
  for (const id of ids) {
    const path = `${STEPS_FOLDER}/${id}.sh`;
    const text = texts.get(path) ?? '';
    const { files } = parseHeading(path, text);
    for (const [, file = ''] of text.matchAll(written))
      assert.ok(
        files.split(/, */).some((known) => file.startsWith(known.replace(/\/$/, ''))),
        `${path} writes ${file}`,
      );
  }
});

const heading = '# title: T\n# what: a\n#   b\n# why: c\n# files: /x\n# undo: d\n';

test('a heading goes on where its lines are indented, and ends with the comment', () => {
  assert.deepEqual(parseHeading('a.sh', `# shellcheck shell=bash\n${heading}#   e\n\n# why: no\n`), {
    ...{ title: 'T', what: 'a b', why: 'c', files: '/x', undo: 'd e' },
  });
});

test('a heading that leaves something out is refused with its file and line', () => {
  assert.throws(() => parseHeading('a.sh', heading.replace('# undo: d\n', '')), /^Error: a\.sh: .*undo/);
});
