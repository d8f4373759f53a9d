/**
 * `npm run conformance`: the cases of test/conformance on the embedded control plane, and on the real kube-apiserver where
 * its binaries are. Prints what is not as expected; with --json only the counts. --write puts the list of differences into
 * docs/control-plane.md and runs nothing. Exits 1 when a case fails that is not on that list.
 */
import '../bin/require-node.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { toFleetError } from '../src/base/errors.ts';
import { CASES } from '../test/conformance/cases.ts';
import { DIFFERENCES } from '../test/conformance/differences.ts';
import { type Judgement, judgeEmbedded, renderDifferences, withDifferences } from '../test/conformance/judge.ts';
import { type CaseResult, runSuite } from '../test/conformance/run-suite.ts';
import { startEmbedded } from '../test/conformance/servers/embedded.ts';
import { startReal } from '../test/conformance/servers/real.ts';
import { findBinaries } from './cluster/binaries.ts';

const PAGE = join(import.meta.dirname, '../docs/control-plane.md');

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const countOf = (results: readonly CaseResult[]): Counts => {
  const failed = results.filter(({ findings }) => findings.length > 0).length;
  return { passed: results.length - failed, failed };
};

const hasBinaries = async (): Promise<boolean> => {
  try {
    await findBinaries(process.env, { need: ['etcd', 'kube-apiserver', 'kubectl'] });
    return true;
  } catch (thrown) {
    process.stderr.write(`the real one is not run: ${toFleetError(thrown).message}\n`);
    return false;
  }
};

const print = (where: string, judgements: readonly Judgement[]): void => {
  for (const { id, findings } of judgements) {
    if (findings.length > 0) process.stdout.write(`${where}: ${id}\n  ${findings.join('\n  ')}\n`);
  }
};

const run = async (show: 'all' | 'counts'): Promise<void> => {
  const embedded = await runSuite(startEmbedded, CASES);
  const real = (await hasBinaries()) ? await runSuite(startReal, CASES) : undefined;
  const judged = judgeEmbedded(embedded, DIFFERENCES);
  const told = real?.map(({ row: { id }, findings }) => ({ id, findings })) ?? [];
  if (show === 'all') {
    print('embedded', judged);
    print('real', told);
  }
  const counts = { embedded: countOf(embedded), real: real === undefined ? 'not run' : countOf(real) };
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  process.exitCode = [...judged, ...told].some(({ findings }) => findings.length > 0) ? 1 : 0;
};

interface Flags {
  readonly json?: true;
  readonly write?: true;
}

const { json, write } = new Command('npm run conformance --')
  .description('the cases of test/conformance on the embedded API server, and on the real one where its binaries are')
  .option('--json', 'print only the counts')
  .option('--write', 'put the list of differences into docs/control-plane.md, and run nothing')
  .parse()
  .opts<Flags>();
if (write) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, withDifferences(page, renderDifferences(CASES, DIFFERENCES)));
} else {
  await run(json === true ? 'counts' : 'all');
}
