/** `npm run bench`: measures, judges and prints. Composition only; the parts are pure or in processes/. */
import { cpus, loadavg } from 'node:os';
import { ERROR_BEHAVIOUR, toFleetError } from '../src/base/errors.ts';
import { renderError } from '../src/cli/render-error.ts';
import { startApiServer } from './api-server/start.ts';
import type { Benchmark } from './benchmark.ts';
import { BENCHMARKS } from './benchmarks.ts';
import { type FigureResult, judge } from './judge.ts';
import { measure } from './measure.ts';
import { type BenchOptions, HELP, parseOptions } from './options.ts';
import { runSideInProcess } from './processes/run-side.ts';
import { renderJsonLine, renderList, renderTable } from './render.ts';

const UNMET = 1;

const print = (text: string): void => void process.stdout.write(text);
const report = (line: string): void => void process.stderr.write(`${line}\n`);

/** Says on stderr what went wrong, and gives the exit code for it. */
const reportFailure = (thrown: unknown): number => {
  const error = toFleetError(thrown);
  process.stderr.write(renderError(error, { detail: 'short' }));
  return ERROR_BEHAVIOUR[error.kind].exitCode;
};

const runBenchmark = async (benchmark: Benchmark, rounds: number): Promise<readonly FigureResult[]> => {
  const { id, load } = benchmark;
  const api = load && (await startApiServer(load));
  try {
    const runSide = (side: 'ours' | 'peer') => runSideInProcess({ id, side, api: api?.address });
    return judge(benchmark, await measure(benchmark, { rounds, runSide, report }));
  } finally {
    await api?.stop();
  }
};

/** One benchmark that cannot be measured does not keep the others from it; the exit code tells. */
const measureAll = async ({ ids, rounds, format, unmet }: BenchOptions): Promise<number> => {
  const [cpu] = cpus();
  report(`node ${process.version}, ${cpus().length} x ${cpu?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}`);
  const results: FigureResult[] = [];
  let exitCode = 0;
  for (const benchmark of BENCHMARKS.filter(({ id }) => ids.includes(id))) {
    try {
      const measured = await runBenchmark(benchmark, rounds);
      results.push(...measured);
      if (format === 'json') for (const result of measured) print(renderJsonLine(result));
    } catch (error) {
      exitCode = reportFailure(error);
    }
  }
  if (format === 'table') print(renderTable(results));
  if (exitCode !== 0) return exitCode;
  return unmet === 'fails' && results.some(({ met }) => met === false) ? UNMET : 0;
};

const main = async (args: readonly string[]): Promise<number> => {
  const options = parseOptions(
    args,
    BENCHMARKS.map(({ id }) => id),
  );
  switch (options.do) {
    case 'help':
      print(HELP);
      return 0;
    case 'list':
      print(renderList(BENCHMARKS));
      return 0;
    case 'measure':
      return measureAll(options);
  }
};

process.exitCode = await main(process.argv.slice(2)).catch(reportFailure);
