/** One process of the upstream suite: started with a list of cases, followed while it runs, read when it has ended. */
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { spawnGuarded } from '../../processes/guarded.ts';
import { renderFocus } from './select-cases.ts';
import { type CaseResult, completeResults, parseReport } from './suite-report.ts';

export interface SuiteTarget {
  readonly program: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly nodes: number;
}

export interface SuiteWork {
  readonly cases: readonly string[];
  /** Gets the report, and all that the process prints. */
  readonly dir: string;
  readonly onLine: (line: string) => void;
}

/** Flags that make the suite run without real machines, and against a server that answers in JSON alone. */
const FLAGS = [
  ...['--provider=skeleton', '--kube-api-content-type=application/json', '--allowed-not-ready-nodes=-1'],
  ...['--minStartupPods=0', '--system-pods-startup-timeout=0s', '--dump-logs-on-failure=false'],
  ...['--disable-log-dump', '--ginkgo.no-color', '--ginkgo.v'],
];

const NO_REPORT = 'the suite ended without a report on it: see its log (--keep)';

/** One result for each case. */
export const runSuite = async (
  target: SuiteTarget,
  { cases, dir, onLine }: SuiteWork,
  signal: AbortSignal,
): Promise<readonly CaseResult[]> => {
  mkdirSync(dir, { recursive: true });
  const report = join(dir, 'report.json');
  const { child, stop } = spawnGuarded({
    path: target.program,
    args: [
      ...FLAGS,
      ...[`--kubeconfig=${target.kubeconfig}`, `--kubectl-path=${target.kubectl}`, `--num-nodes=${target.nodes}`],
      ...[`--ginkgo.json-report=${report}`, `--ginkgo.focus=${renderFocus(cases)}`],
    ],
    env: { PATH: process.env['PATH'] ?? '', HOME: dir },
    stdin: 'ignore',
    output: 'pipe',
  });
  const output = new PassThrough();
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  output.pipe(createWriteStream(join(dir, 'log')));
  createInterface({ input: output }).on('line', onLine);
  const onAbort = (): void => void stop();
  signal.addEventListener('abort', onAbort, { once: true });
  await once(child, 'close');
  signal.removeEventListener('abort', onAbort);
  output.end();
  signal.throwIfAborted();
  const results = existsSync(report) ? parseReport(readFileSync(report, 'utf8'), cases) : [];
  return completeResults(results, cases, NO_REPORT);
};
