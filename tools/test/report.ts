/**
 * What a test run prints: a line per file, what failed with its reason, what was skipped with its reason, and at the end
 * the counts in the words of node:test, which people and CI know.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

type Data<T extends TestEvent['type']> = Extract<TestEvent, { readonly type: T }>['data'];
type Counts = Data<'test:summary'>['counts'];

export interface TestReport {
  /** Takes one event and returns the text to print for it, which is empty for most. */
  onEvent(event: TestEvent): string;
  /** Tests that passed or failed so far. */
  readonly testsRun: number;
  /** Paths of the files that had at least one test, or that failed. */
  readonly filesHeard: ReadonlySet<string>;
}

export const createTestReport = (root: string): TestReport => {
  /** Per file, the names of the groups and tests that started last, outermost first. */
  const started = new Map<string, string[]>();
  const printed = new Map<string, string>();
  const skipped = new Map<string, number>();
  const failures: string[] = [];
  const filesHeard = new Set<string>();
  let testsRun = 0;

  const onStart = ({ file = '', nesting, name }: Data<'test:start'>): void => {
    started.set(file, [...(started.get(file) ?? []).slice(0, nesting), name]);
  };
  const onPrint = ({ file, message }: Data<'test:stdout'>): void => {
    printed.set(file, (printed.get(file) ?? '') + message);
  };
  const onPass = ({ skip }: Data<'test:pass'>): void => {
    if (typeof skip === 'string') skipped.set(skip, (skipped.get(skip) ?? 0) + 1);
  };
  const onFailure = (data: Data<'test:fail'>): void => {
    const { file = '', nesting } = data;
    filesHeard.add(relative(root, file));
    const groups = (started.get(file) ?? []).slice(0, nesting);
    failures.push(renderFailure(data, { root, groups, printed: printed.get(file) ?? '' }));
  };
  const onFileEnd = (file: string, { success, counts, duration_ms: durationMs }: Data<'test:summary'>): string => {
    const path = relative(root, file);
    testsRun += counts.passed + failedOf(counts);
    if (counts.tests > 0) filesHeard.add(path);
    const line = `${success ? '✔' : '✖'} ${path} (${counts.tests} tests, ${Math.round(durationMs)} ms)\n`;
    return success ? line : `${line}${indent(printed.get(file) ?? '')}`;
  };
  const onEnd = ({ counts, duration_ms: durationMs }: Data<'test:summary'>): string => {
    const skips = [...skipped].map(([reason, count]) => `ℹ ${count} skipped: ${reason}\n`);
    return [...skips, ...failures, '\n', renderCounts(counts, durationMs)].join('');
  };

  const onEvent = (event: TestEvent): string => {
    if (event.type === 'test:start') onStart(event.data);
    if (event.type === 'test:stdout' || event.type === 'test:stderr') onPrint(event.data);
    if (event.type === 'test:pass') onPass(event.data);
    if (event.type === 'test:fail') onFailure(event.data);
    if (event.type !== 'test:summary') return '';
    return event.data.file === undefined ? onEnd(event.data) : onFileEnd(event.data.file, event.data);
  };

  return {
    onEvent,
    filesHeard,
    get testsRun() {
      return testsRun;
    },
  };
};

interface Surroundings {
  readonly root: string;
  readonly groups: readonly string[];
  /** What the file wrote to its output. */
  readonly printed: string;
}

/** Empty for a group that failed only because something in it did. A file that broke as a whole shows what it printed. */
const renderFailure = ({ file = '', line, name, details }: Data<'test:fail'>, around: Surroundings): string => {
  const { error } = details;
  if ('failureType' in error && error.failureType === 'subtestsFailed') return '';
  const path = relative(around.root, file);
  if (name === file) return `\n✖ ${path} broke as a whole\n${indent(around.printed)}\n`;
  const names = [...around.groups, name].join(' › ');
  return `\n✖ ${path}${line === undefined ? '' : `:${line}`} ${names}\n${indent(renderReason(error.cause ?? error))}\n`;
};

/** A failed assertion has said everything in its message; of other errors the fields matter too. */
const renderReason = (reason: unknown): string => {
  const isAssertion = reason instanceof Error && 'code' in reason && reason.code === 'ERR_ASSERTION';
  return isAssertion ? (reason.stack ?? reason.message) : inspect(reason, { depth: 6 });
};

const indent = (text: string): string => text.replace(/^(?=.)/gm, '    ');

const failedOf = ({ tests, passed, cancelled, skipped, todo }: Counts): number =>
  tests - passed - cancelled - skipped - todo;

const renderCounts = (counts: Counts, durationMs: number): string =>
  [
    `tests ${counts.tests}`,
    `suites ${counts.suites}`,
    `pass ${counts.passed}`,
    `fail ${failedOf(counts)}`,
    `cancelled ${counts.cancelled}`,
    `skipped ${counts.skipped}`,
    `todo ${counts.todo}`,
    `duration_ms ${Math.round(durationMs)}`,
  ]
    .map((line) => `ℹ ${line}\n`)
    .join('');
