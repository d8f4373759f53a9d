import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { macHostSpec } from '../mac-host-spec.ts';
import { refusals } from '../testing/cel-rules.ts';
import { hostWith } from '../testing/hosts.ts';
import { GUARDED_REQUESTS } from '../testing/policy-requests.ts';
import { macHostGuard } from './mac-host-guard.ts';

describe('the guard of MacHosts (R2)', () => {
  for (const { story, refusal, ...request } of GUARDED_REQUESTS) {
    it(`${refusal === undefined ? 'lets through' : 'refuses'}: ${story}`, () => {
      const messages = refusals(macHostGuard, request);
      if (refusal === undefined) assert.deepEqual(messages, []);
      else assert.match(messages.join('\n'), refusal);
    });
  }

  it('closes every field of the spec to a person who only may update', () => {
    const open = Object.keys(macHostSpec.shape).filter((field) => {
      const [oldObject, object] = [hostWith({ [field]: 'before' }), hostWith({ [field]: 'after' })];
      return refusals(macHostGuard, { operation: 'UPDATE', object, oldObject }).length === 0;
    });
    assert.deepEqual(open, []);
  });
});
