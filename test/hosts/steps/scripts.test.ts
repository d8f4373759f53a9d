import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { composeProgram } from '../../../src/hosts/program/compose.ts';
import { BUILDER_STEPS, RELEASE_STEPS } from '../../../src/hosts/step.ts';
import { STEP_FILES } from './steps-stage.ts';

const texts = { lib: STEP_FILES.lib, driver: STEP_FILES.driver, ...STEP_FILES.steps };

for (const [name, text] of Object.entries(texts)) {
  test(`shellcheck has nothing to say about ${name}.sh`, () => {
    const said = execFileSync('shellcheck', ['--shell=bash', '-'], { input: text, encoding: 'utf8' });
    assert.equal(said, '');
  });
}

test('a whole program is one that bash and zsh can at least read', () => {
  const program = composeProgram(STEP_FILES, Object.keys(STEP_FILES.steps));
  for (const shell of ['bash', 'zsh']) execFileSync(shell, ['-n'], { input: program });
});

test('T-84, T-85: scripts read exactly the values that their steps declare', () => {
  for (const { id, inputs, secretInputs, artefacts } of [...BUILDER_STEPS, ...RELEASE_STEPS]) {
    const text = STEP_FILES.steps[id] ?? '';
    const read = (prefix: string): readonly string[] =>
      [...new Set([...text.matchAll(new RegExp(`\\b${prefix}_(\\w+)`, 'g'))].map(([, name = '']) => name))].sort();
    const declared = [...Object.keys(inputs), ...artefacts.map((name) => `artefact_${name}`)];
    assert.deepEqual(read('in'), declared.sort(), id);
    assert.deepEqual(read('secret'), [...secretInputs].sort(), id);
  }
});

test('003-3: no script sends a hang-up to loginwindow, and none loads all of pf.conf', () => {
  for (const [name, text] of Object.entries(texts)) {
    assert.doesNotMatch(text, /killall/, name);
    assert.doesNotMatch(text, /pf(ctl)? -f \/etc\/pf\.conf/, name);
  }
});
