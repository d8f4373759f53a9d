import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { CASES } from '../conformance/cases.ts';
import { type CaseResult, runSuite } from '../conformance/run-suite.ts';
import { startReal } from '../conformance/servers/real.ts';

describe('the cases of test/conformance are what the real kube-apiserver does', () => {
  let results: readonly CaseResult[] = [];

  before(async () => {
    results = await runSuite(startReal, CASES);
  });

  for (const { id, clause } of CASES) {
    test(`${clause}: ${id}`, () => {
      assert.deepEqual(results.find(({ row }) => row.id === id)?.findings, []);
    });
  }
});
