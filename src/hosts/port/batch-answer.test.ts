import assert from 'node:assert/strict';
import test from 'node:test';
import { Secret } from '../../base/secret.ts';
import type { Batch, BatchAnswer, StepAnswer, StepCall } from '../port.ts';
import { createAnswerReader, renderAnswer } from './batch-answer.ts';

const callOf = (step: string, secrets: StepCall['secrets'] = {}): StepCall => ({
  ...{ step, do: 'check', inputs: {}, secrets, digest: '' },
});

const read = (text: string | Buffer, batch: Partial<Batch> = {}, pieces = 1) => {
  const reader = createAnswerReader({ epoch: 3, calls: [callOf('a'), callOf('b-c')], timeoutMs: 1_000, ...batch });
  const bytes = Buffer.from(text);
  for (let at = 0; at < pieces; at += 1) {
    reader.push(
      bytes.subarray(Math.floor((bytes.length * at) / pieces), Math.floor((bytes.length * (at + 1)) / pieces)),
    );
  }
  return reader.finish();
};

const ANSWER: BatchAnswer = {
  facts: { epoch: 7, lockOwner: 'anna', artefacts: ['aa', 'bb'] },
  steps: [
    {
      ...{ step: 'a', recorded: 'd1', output: `one\n${'\u00fcx'.repeat(700)}\n\nend\n` },
      phases: [
        { phase: 'check', exitCode: 1 },
        { phase: 'apply', exitCode: 70 },
      ],
    },
    { step: 'b-c', phases: [{ phase: 'check', exitCode: 0 }], recorded: undefined, output: '' },
  ],
};

for (const pieces of [1, 7, 5_000]) {
  test(`an answer is read as it was written, in ${pieces} pieces`, () => {
    assert.deepEqual(read(renderAnswer(ANSWER), {}, pieces), { answer: ANSWER, refusal: undefined });
  });
}

test('a step whose line never came has no phases', () => {
  const { answer } = read('macfleet-host epoch=- lock=- artefacts=-\na=check 0\na@-\n');
  assert.deepEqual(answer.facts, { epoch: undefined, lockOwner: undefined, artefacts: [] });
  assert.deepEqual(
    answer.steps.map(({ phases }) => phases.length),
    [1, 0],
  );
});

test('each call is told when it has ended, with all that it printed', () => {
  const told: StepAnswer[] = [];
  read('b-c|hello\nb-c=check 1\nb-c@x\na=check 0\n', { onAnswer: (answer) => told.push(answer) });
  assert.deepEqual(told, [
    { step: 'b-c', phases: [{ phase: 'check', exitCode: 1 }], recorded: 'x', output: 'hello\n' },
  ]);
});

const refusals: readonly { readonly story: string; readonly text: string; readonly code: string | undefined }[] = [
  { story: 'of the driver', text: 'macfleet-refused StaleEpoch 9\n', code: 'StaleEpoch' },
  { story: 'of a step', text: 'a|macfleet-refused NotWiped it has a claim\na=check 97\n', code: 'NotWiped' },
  { story: 'that a step only prints is none', text: 'a|macfleet-refused NotWiped x\na=check 1\n', code: undefined },
  {
    story: 'that a step prints before it ends otherwise is none',
    text: 'a|macfleet-refused NotWiped x\na|y\na=check 97\n',
    code: undefined,
  },
];

for (const { story, text, code } of refusals) {
  test(`a refusal ${story}`, () => assert.equal(read(text).refusal?.code, code));
}

test('what a step prints is never taken for a word of the driver', () => {
  const { answer } = read('a|macfleet-host epoch=9 lock=- artefacts=-\na|b-c=check 0\na|b-c@digest\na=check 1\na@-\n');
  assert.equal(answer.facts.epoch, undefined);
  assert.deepEqual(answer.steps[1]?.phases, []);
});

test('garbage, and lines without an end, cost no memory and change nothing', () => {
  const reader = createAnswerReader({ epoch: 3, calls: [callOf('a')], timeoutMs: 1_000 });
  for (let megabytes = 0; megabytes < 64; megabytes += 1) reader.push(Buffer.alloc(1_000_000, 'x'));
  reader.push(Buffer.from('\n\u0000\u0001\na|fine\na=check 0\na@-\n'));
  assert.equal(reader.finish().answer.steps[0]?.output, 'fine\n');
});

test('of a step that prints much the last lines stay', () => {
  const { answer } = read(Array.from({ length: 500 }, (_, at) => `a|line ${at}\n`).join(''));
  const lines = answer.steps[0]?.output.trimEnd().split('\n') ?? [];
  assert.deepEqual([lines.length, lines.at(-1)], [40, 'line 499']);
});

test('a secret is found in any step, across pieces, and no part of one stays where a line is cut', () => {
  const secrets = { key: new Secret('canary-in-two-pieces') };
  const calls = [callOf('a'), callOf('b-c', secrets)];
  for (let before = 375; before <= 400; before += 1) {
    const line = `${'.'.repeat(before)}canary-in-two-pieces.`;
    const { answer } = read(`a|${line.slice(0, 400)}\na|${line.slice(400)}\na=check 1\na@-\n`, { calls });
    assert.ok(!JSON.stringify(answer).includes('canary'), `after ${before} bytes`);
  }
  for (let before = 8_170; before < 8_200; before += 1) {
    const line = `${'.'.repeat(before)}canary-in-two-pieces${'.'.repeat(400)}`;
    const pieces = line.match(/.{1,400}/g) ?? [];
    const text = pieces.map((piece) => `a|${piece}\n`).join('');
    const { answer } = read(`${text}a|\na=check 1\na@-\n`, { calls });
    assert.ok(!/c?an?ar/.test(JSON.stringify(answer)), `cut after ${before} bytes`);
  }
});
