/** Completion as a shell does it: the real bash is asked what it would offer. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createProgram } from '../run-cli.ts';
import { toCommandTree } from './command-tree.ts';
import { renderCompletion, SHELLS } from './render-completion.ts';

const io = { stdout: () => undefined, stderr: () => undefined, env: {}, signal: new AbortController().signal };
const TREE = toCommandTree(createProgram({ version: '1.2.3', io }));

/** What bash offers for the last of these words. */
const offered = (...words: readonly string[]): readonly string[] => {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `${renderCompletion('bash', TREE)}
COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _macfleet; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
};

describe('completion', () => {
  it('offers commands, the options of a command, and the choices of an option', () => {
    assert.deepEqual(offered('macfleet', 'sta'), ['status']);
    assert.deepEqual(offered('macfleet', 'status', '--con'), ['--context']);
    assert.deepEqual(offered('macfleet', 'status', '-o', ''), ['table', 'wide', 'json', 'yaml', 'name']);
    assert.deepEqual(offered('macfleet', 'sim', 'cl'), ['cloud']);
    assert.deepEqual(offered('macfleet', 'sim', 'cloud', '--ser'), ['--servers']);
  });
  it('leaves a file to the shell', () => assert.deepEqual(offered('macfleet', 'status', '--kubeconfig', ''), ['']));
  for (const shell of SHELLS) {
    it(`knows every command in ${shell}`, () => {
      const text = renderCompletion(shell, TREE);
      for (const { path } of TREE.commands) assert.ok(text.includes(path.split(' ')[1] ?? '?'), path);
    });
  }
});
