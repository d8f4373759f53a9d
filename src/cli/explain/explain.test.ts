import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explain } from './explain.ts';

const CODES = [
  { code: 'NoKubeconfig', cases: [{ kind: 'invalid', message: 'no kubeconfig at …', hint: 'Name one.' }] },
] as const;

describe('macfleet explain', () => {
  it('tells of an error what happened, what to do, and what its kind means', () => {
    assert.equal(
      explain('nokubeconfig', CODES),
      'NoKubeconfig\n  what happened: no kubeconfig at …\n  what to do: Name one.\n' +
        '  kind invalid: What was asked for cannot be so: a flag, a field or a file is wrong. Nothing helps but a change.\n  exit code 2',
    );
  });
  it('tells of a finding why it matters', () => assert.match(explain('StuckPods', CODES), /why it matters: They keep/));
  it('tells of a kind what it means', () => assert.match(explain('throttled', CODES), /asks to wait/));
  it('suggests what may have been meant', () => {
    assert.throws(() => explain('kubeconfig', CODES), { code: 'UnknownCode', hint: /Did you mean NoKubeconfig\?/ });
    assert.throws(() => explain('xyz', CODES), { code: 'UnknownCode', hint: /^docs\/errors\.md/ });
  });
});
