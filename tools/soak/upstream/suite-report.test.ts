import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CaseResult, completeResults, parseReport, renderResults } from './suite-report.ts';

const spec = (text: string, state: string, failure?: string) => ({
  ContainerHierarchyTexts: ['[sig-apps] Job'],
  LeafNodeText: text,
  State: state,
  RunTime: 1_500_000_000,
  ...(failure === undefined ? {} : { Failure: { Message: failure } }),
});
const REPORT = JSON.stringify([
  {
    SpecReports: [
      spec('passes', 'passed'),
      spec('fails', 'failed', 'boom'),
      spec('panics', 'panicked', 'nil'),
      spec('does not want to', 'skipped', 'no cloud'),
      spec('was not asked for', 'skipped'),
      { LeafNodeType: 'ReportAfterSuite', State: 'passed' },
    ],
  },
]);
const ASKED = ['passes', 'fails', 'panics', 'does not want to'].map((text) => `[sig-apps] Job ${text}`);

describe('the report of the suite', () => {
  it('says of each case that was asked for how it went', () => {
    const told = parseReport(REPORT, ASKED).map(({ outcome, message, seconds }) => [outcome, message, seconds]);
    assert.deepEqual(told, [
      ['passed', '', 1.5],
      ['failed', 'boom', 1.5],
      ['failed', 'nil', 1.5],
      ['skipped', 'no cloud', 1.5],
    ]);
  });

  it('of another form is refused', () => {
    for (const text of ['{}', '[{}]']) assert.throws(() => parseReport(text, ASKED), { code: 'SuiteReportUnreadable' });
  });

  it('lets a case fail of which it says nothing', () => {
    const results = completeResults(parseReport(REPORT, ASKED), [...ASKED, 'lost'], 'it ended early');
    assert.deepEqual(results.at(-1), { name: 'lost', outcome: 'failed', message: 'it ended early', seconds: 0 });
    assert.equal(results.length, 5);
  });

  it('is shown as what failed and the counts', () => {
    const result = (name: string, outcome: CaseResult['outcome']): CaseResult => ({
      ...{ name, outcome, message: `why ${name}`, seconds: 1 },
    });
    const shown = renderResults([result('a', 'passed'), result('b', 'failed'), result('c', 'skipped')]);
    assert.equal(shown, 'failed: b\n  why b\n1 passed, 1 failed, 1 skipped by the suite\n');
  });
});
