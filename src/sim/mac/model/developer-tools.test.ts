/** Xcode on a simulated Mac. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeveloperTools } from './developer-tools.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const XCODE = '/Applications/Xcode.app/Contents/Developer';

test('Xcode is chosen by root where it is, its licence accepted, and a tool found', async () => {
  const files = createMemoryFiles();
  const run = commandRunner(createDeveloperTools(files));
  assert.match(await run('xcode-select -p'), /^2 /);
  assert.match(await run(`xcode-select -s ${XCODE}`), /^1 .*invalid developer directory/);
  files.write(XCODE, '');
  assert.match(await run(`m1: xcode-select -s ${XCODE}`), /^1 .*must be run as root/);
  assert.equal(await run(`xcode-select -s ${XCODE}`), '0');
  assert.equal(await run('xcode-select -p'), `0 ${XCODE}`);
  assert.match(await run('xcodebuild -license check'), /^69 /);
  assert.equal(await run('xcodebuild -license accept'), '0');
  assert.equal(await run('xcodebuild -license check'), '0');
  assert.match(await run('xcrun --find swift'), /^0 .*\/usr\/bin\/swift$/);
});
