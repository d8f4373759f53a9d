import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import type { Condition } from '../../kube/types/meta.ts';
import { conditions, normaliseConditions } from './conditions.ts';

const CREATED = '2026-05-01T00:00:00Z';
const AT = '2026-05-20T08:00:00Z';
const valid: Condition = { type: 'Ready', status: 'True', reason: 'Fine', message: '', lastTransitionTime: AT };

describe('conditions as they are stored', () => {
  const cases = [
    { story: 'a valid one stays', stored: [valid], expected: [valid] },
    {
      story: 'the generation of a valid one stays',
      stored: [{ ...valid, observedGeneration: 3 }],
      expected: [{ ...valid, observedGeneration: 3 }],
    },
    {
      story: 'an older True one gets a reason and a message',
      stored: [{ type: 'Provisioned', status: 'True', lastTransitionTime: AT }],
      expected: [{ ...valid, type: 'Provisioned', reason: 'NoReasonReported' }],
    },
    {
      story: 'an older False one keeps its reason and loses its severity',
      stored: [{ ...valid, status: 'False', severity: 'Error', reason: 'InvalidOSPin', message: 'no' }],
      expected: [{ ...valid, status: 'False', reason: 'InvalidOSPin', message: 'no' }],
    },
    {
      story: 'a reason with a space cannot be stored',
      stored: [{ ...valid, reason: 'not good' }],
      expected: [{ ...valid, reason: 'NoReasonReported' }],
    },
    {
      story: 'a status of our own making is Unknown',
      stored: [{ ...valid, status: 'Maybe' }],
      expected: [{ ...valid, status: 'Unknown' }],
    },
    {
      story: 'a null time becomes that of the creation',
      stored: [{ ...valid, lastTransitionTime: null }],
      expected: [{ ...valid, lastTransitionTime: CREATED }],
    },
    {
      story: 'a time with an offset stays',
      stored: [{ ...valid, lastTransitionTime: '2026-05-20T10:00:00+02:00' }],
      expected: [{ ...valid, lastTransitionTime: '2026-05-20T10:00:00+02:00' }],
    },
    {
      story: 'a generation that is no whole number goes',
      stored: [{ ...valid, observedGeneration: 1.5 }],
      expected: [valid],
    },
    { story: 'what is no condition goes', stored: [null, 'x', {}, { type: '' }, { type: 'a b' }], expected: [] },
    {
      story: 'of two of one type the younger stays, whatever their order',
      stored: [valid, { ...valid, status: 'False', lastTransitionTime: CREATED }],
      expected: [valid],
    },
    {
      story: 'of two of one type and age the last stays',
      stored: [valid, { ...valid, status: 'False' }],
      expected: [{ ...valid, status: 'False' }],
    },
    {
      story: 'a message past the limit is cut',
      stored: [{ ...valid, message: 'm'.repeat(40_000) }],
      expected: [{ ...valid, message: 'm'.repeat(32_768) }],
    },
  ];
  for (const { story, stored, expected } of cases) {
    it(`are made valid: ${story}`, () => {
      const normalised = normaliseConditions(stored, CREATED);
      assert.deepEqual(normalised, expected);
      assert.deepEqual(normaliseConditions(normalised, CREATED), normalised, 'a second time changes nothing');
      assert.ok(conditions.safeParse(normalised).success);
    });
  }

  it('are refused by the schema itself without a reason', () => {
    const result = z.safeParse(conditions, [{ ...valid, reason: undefined }]);
    assert.deepEqual(
      result.error?.issues.map(({ path }) => path),
      [[0, 'reason']],
    );
  });
});
