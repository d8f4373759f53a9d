import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { renderRunLine } from '../port/remote-command.ts';
import { BUILDER_STEPS } from '../step.ts';
import { composeProgram } from './compose.ts';
import { packProgram } from './pack.ts';
import { readStepFiles } from './step-files.ts';

const program = composeProgram(
  readStepFiles(),
  BUILDER_STEPS.map(({ id }) => id),
);

test('what is packed is the program, byte by byte', () => {
  const [, packed = ''] = /'([A-Za-z0-9+/=]+)'/.exec(packProgram(program)) ?? [];
  assert.equal(gunzipSync(Buffer.from(packed, 'base64')).toString(), program);
});

/** Of the 32 KiB of one SSH packet, what the words of a batch need. */
const WORDS_BYTES = 6 * 1024;

test('all steps together are a command that fits into one SSH packet', () => {
  const line = renderRunLine({ argv: ['/bin/bash', '--norc', '-c', packProgram(program)], limitSeconds: 60 });
  assert.ok(Buffer.byteLength(line) <= 32 * 1024 - WORDS_BYTES, `${Buffer.byteLength(line)} bytes`);
});
