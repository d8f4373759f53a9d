/** The tests on the virtual clock can fail: each defect that is put back is found by the test that is there for it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { KUBELET_MUTANTS, type KubeletMutant } from './mutants.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** What the test said, and whether it passed. */
const runTest = ({ id, file, foundBy }: KubeletMutant): Promise<{ readonly code: number; readonly text: string }> =>
  new Promise((resolve) => {
    const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
    const words = ['--import', pathOf('test/kubelet/mutant-hook.ts'), '--test', '--test-isolation=none'];
    const args = [...words, `--test-name-pattern=${foundBy}`, pathOf(`src/world/${file}`)];
    const options = { env: { ...env, KUBELET_MUTANT: id }, maxBuffer: 1 << 26 };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: `${stdout}${stderr}` });
    });
  });

describe('a defect that is put back', { concurrency: 2 }, () => {
  for (const mutant of KUBELET_MUTANTS) {
    it(`is found: ${mutant.id}, ${mutant.story}`, async () => {
      const { code, text } = await runTest(mutant);
      assert.doesNotMatch(text, /MutantDoesNotApply/);
      assert.notEqual(code, 0, `${mutant.id} lives\n${text.slice(-2_000)}`);
      assert.match(text, new RegExp(`✖ .*${mutant.foundBy}`), 'by the test that is there for it');
    });
  }
});
