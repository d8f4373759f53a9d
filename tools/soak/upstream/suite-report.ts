/** What a run of the suite came to, from the report that Ginkgo writes. */
import { FleetError } from '../../../src/base/errors.ts';
import { isRecord } from '../../../src/base/json.ts';

export interface CaseResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed, or why the suite skipped it by itself. */
  readonly message: string;
  readonly seconds: number;
}

/** The cases of which a report says something; the many that were not asked for are left out. */
export const parseReport = (text: string, asked: readonly string[]): readonly CaseResult[] => {
  const wanted = new Set(asked);
  const suites: unknown = JSON.parse(text);
  if (!Array.isArray(suites)) throw unreadable();
  return suites.flatMap((suite) =>
    recordsIn(suite, 'SpecReports')
      .map(readCase)
      .filter(({ name }) => wanted.has(name)),
  );
};

/** One result for each case that was asked for; a case without one failed with `reason`. */
export const completeResults = (
  results: readonly CaseResult[],
  asked: readonly string[],
  reason: string,
): readonly CaseResult[] => {
  const byName = new Map(results.map((result) => [result.name, result]));
  return asked.map((name) => byName.get(name) ?? { name, outcome: 'failed', message: reason, seconds: 0 });
};

const unreadable = (): FleetError =>
  new FleetError('contract', {
    code: 'SuiteReportUnreadable',
    message: 'the report of the end-to-end suite has another form than expected',
    hint: 'Look at the report that --keep leaves behind; another version of Ginkgo may write it.',
  });

const recordsIn = (value: unknown, field: string): readonly Readonly<Record<string, unknown>>[] => {
  const list = isRecord(value) ? value[field] : undefined;
  if (!Array.isArray(list)) throw unreadable();
  return list.filter(isRecord);
};

const textIn = (record: unknown, field: string): string => {
  const value = isRecord(record) ? record[field] : undefined;
  return typeof value === 'string' ? value : '';
};

const NANOSECONDS = 1e9;

const readCase = (spec: Readonly<Record<string, unknown>>): CaseResult => {
  const containers = Array.isArray(spec['ContainerHierarchyTexts']) ? spec['ContainerHierarchyTexts'] : [];
  return {
    name: [...containers, textIn(spec, 'LeafNodeText')].join(' '),
    outcome: readOutcome(textIn(spec, 'State')),
    message: textIn(spec['Failure'], 'Message'),
    seconds: Number(spec['RunTime'] ?? 0) / NANOSECONDS,
  };
};

/** Ginkgo knows several ways to fail: panicked, interrupted, timedout. */
const readOutcome = (state: string): CaseResult['outcome'] =>
  state === 'passed' || state === 'skipped' ? state : 'failed';

const MESSAGE_MAX = 300;

/** One line per failure, and the counts. */
export const renderResults = (results: readonly CaseResult[]): string => {
  const count = (outcome: CaseResult['outcome']): number => results.filter((one) => one.outcome === outcome).length;
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const lines = failed.map(({ name, message }) => `failed: ${name}\n  ${message.slice(0, MESSAGE_MAX).trim()}\n`);
  return `${lines.join('')}${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped by the suite\n`;
};
