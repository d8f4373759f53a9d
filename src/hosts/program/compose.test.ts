import assert from 'node:assert/strict';
import test from 'node:test';
import { renderBatchArgv } from '../port/batch-wire.ts';
import { renderRunLine } from '../port/remote-command.ts';
import { BUILDER_STEPS, RELEASE_STEPS } from '../step.ts';
import { composeProgram } from './compose.ts';
import { readStepFiles } from './step-files.ts';

const FILES = { lib: 'LIB', driver: 'DRIVER', steps: { 'first-look': 'LOOK', sudo: 'SUDO', tart: 'TART' } };

test('a program is the library, the steps of the batch and the driver, in this order', () => {
  const program = composeProgram(FILES, ['sudo', 'first-look']);
  assert.deepEqual(program.split('\n'), [
    'LIB',
    ...['step_sudo() (', 'SUDO', 'driver_run "$1"', ')'],
    ...['step_first_look() (', 'LOOK', 'driver_run "$1"', ')'],
    'DRIVER',
  ]);
});

test('a step that is there twice, or has no file, adds nothing', () => {
  assert.equal(composeProgram(FILES, ['sudo', 'sudo', 'constructor', 'none']), composeProgram(FILES, ['sudo']));
});

test('every step has its script', () => {
  const { steps } = readStepFiles();
  const ids = [...BUILDER_STEPS, ...RELEASE_STEPS].map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), Object.keys(steps).toSorted());
});

/** What Linux takes as one argument, where tests run; macOS takes 1 MB for all together. */
const ARGUMENT_BYTES_MAX = 131_072;

test('the survey of all steps fits into one argument of the login shell', () => {
  const ids = BUILDER_STEPS.map(({ id }) => id);
  const call = { do: 'check', inputs: { value: 'x'.repeat(1_000) }, secrets: {}, digest: '' } as const;
  const calls = ids.map((step) => ({ step, ...call }));
  const argv = renderBatchArgv(composeProgram(readStepFiles(), ids), { epoch: 1, calls });
  const line = renderRunLine({ argv, limitSeconds: 60 });
  assert.ok(Buffer.byteLength(line) < 0.9 * ARGUMENT_BYTES_MAX, `${Buffer.byteLength(line)} bytes`);
});
