import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { composeProgram } from '../../../src/hosts/program/compose.ts';
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
