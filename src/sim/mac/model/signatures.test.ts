/** Which programs macOS starts, and which it kills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignatures, renderMacProgram } from './signatures.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const PATH = '/usr/local/bin/agent';
const program = (version: string, signature: 'signed' | 'unsigned' = 'signed') =>
  renderMacProgram({ kind: 'node', version, signature });

const stage = () => {
  const files = createMemoryFiles({ [PATH]: program('1') });
  const signatures = createSignatures(files);
  const run = commandRunner(signatures.commands);
  return { files, signatures, run, starts: async () => (await run(`amfi ${PATH}`)) === '0' };
};

test('a signed program starts, an unsigned one or one that was changed does not', async () => {
  const { files, starts, run, signatures } = stage();
  assert.ok(await starts());
  files.replace(PATH, program('1', 'unsigned'));
  assert.ok(!(await starts()));
  files.replace(PATH, program('1').replace('node 1', 'node 2'));
  assert.ok(!(await starts()));
  assert.match(await run(`codesign --verify ${PATH}`), /^1 .*have been modified/);
  assert.deepEqual(signatures.killed(), [PATH, PATH]);
});

test('F49: a program written over in place is killed though its signature is right, until it has another inode', async () => {
  const { files, starts, run } = stage();
  assert.ok(await starts());
  files.write(PATH, program('2'));
  assert.equal(await run(`codesign -v ${PATH}`), '0');
  assert.ok(!(await starts()));
  assert.match(await run(`codesign --force --sign - ${PATH}`), /^0 .*replacing existing signature/);
  assert.ok(await starts());
  files.replace(PATH, program('3'));
  assert.ok(await starts());
});

test('a boot forgets what was seen', async () => {
  const { files, starts, signatures } = stage();
  assert.ok(await starts());
  files.write(PATH, program('2'));
  signatures.boot();
  assert.ok(await starts());
});

test('codesign does not sign twice unless forced, and needs a file', async () => {
  const { run } = stage();
  assert.match(await run(`codesign --sign - ${PATH}`), /^1 .*already signed/);
  assert.match(await run('codesign --sign - /none'), /^1 .*No such file/);
});
