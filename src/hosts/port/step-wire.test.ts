import assert from 'node:assert/strict';
import test from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { StepCall } from '../port.ts';
import { notFenced, notWiped, staleEpoch } from './session-errors.ts';
import { parseRefusal, parseStepCall, renderRefusal, renderSecrets, renderStepArgv } from './step-wire.ts';

const call: StepCall = {
  ...{ step: 'hostname', phase: 'apply', epoch: 7, inputs: { nodeName: 'a=b c', empty: '' } },
  secrets: { kubeconfig: new Secret('canary: 1\n\nü\n'), none: new Secret('') },
};

test('a call is read back as it was', () => {
  const parsed = parseStepCall(renderStepArgv(':', call), renderSecrets(call.secrets));
  assert.ok(parsed !== undefined);
  assert.deepEqual({ ...parsed, secrets: {} }, { ...call, secrets: {} });
  const revealed = Object.entries(parsed.secrets).map(([name, secret]) => [name, secret.reveal()]);
  assert.deepEqual(Object.fromEntries(revealed), { kubeconfig: 'canary: 1\n\nü\n', none: '' });
});

test('no secret is among the arguments', () => {
  assert.doesNotMatch(renderStepArgv(':', call).join(' '), /canary|kubeconfig/);
});

for (const argv of [
  [],
  ['/bin/ls'],
  renderStepArgv(':', call).slice(0, 5),
  ['/bin/sh', '-c', ':', 'a', 'check', '1'],
]) {
  test(`the ${argv.length} words ${argv.join(' ')} are no step`, () => {
    assert.equal(parseStepCall(argv, Buffer.alloc(0)), undefined);
  });
}

for (const error of [staleEpoch(7, 9), notWiped("it has an agent's kubeconfig"), notFenced('hostname')]) {
  test(`a refusal as ${error.code} is the same error on the other end`, () => {
    const answer = renderRefusal(error);
    assert.ok(answer !== undefined);
    const parsed = parseRefusal(call, { ...answer, output: `some output\n${answer.output}` });
    assert.deepEqual(
      [parsed?.kind, parsed?.code, parsed?.message, parsed?.details],
      [error.kind, error.code, error.message, error.details],
    );
  });
}

test('another error is no refusal, and an exit code alone is an answer', () => {
  assert.equal(renderRefusal(new FleetError('bug', { code: 'InternalError', message: 'x' })), undefined);
  assert.equal(parseRefusal(call, { exitCode: 97, output: 'something else\n' }), undefined);
  assert.equal(parseRefusal(call, { exitCode: 1, output: 'macfleet-refused NotFenced\n' }), undefined);
});
