/**
 * The upstream end-to-end suite on a control plane with scripted Nodes: the cases that apply, several processes of the suite at
 * once, those that want the cluster for themselves last.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { createHostIo } from '../../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../../src/kube/client/login/load-cluster.ts';
import { type ClusterBinaries, findBinaries } from '../../cluster/binaries.ts';
import { startApiFront } from './api-front.ts';
import { EXCLUSIONS, SUITES } from './cases.ts';
import { type PlaneName, startPlane } from './planes.ts';
import { createProgress } from './progress.ts';
import { startScriptedNodes } from './scripted-nodes.ts';
import { parseListedCases, type Selection, selectCases, shareOut } from './select-cases.ts';
import { runSuite, type SuiteTarget } from './suite-process.ts';
import type { CaseResult } from './suite-report.ts';

export interface UpstreamOptions {
  readonly on: PlaneName;
  /** Only cases whose name matches, excluded ones too. */
  readonly only?: RegExp;
  /** How many processes of the suite run at once. */
  readonly processes: number;
  readonly keep: 'files' | 'nothing';
  readonly print: (text: string) => void;
}

export interface UpstreamRun {
  readonly results: readonly CaseResult[];
  readonly excluded: Selection['excluded'];
}

const NODES = 3;
const NEEDED = {
  embedded: ['e2e.test', 'kubectl'],
  real: ['e2e.test', 'kubectl', 'etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
} as const;

/** Rejects with `unavailable` when the suite is not built. */
export const runUpstream = async (options: UpstreamOptions, signal: AbortSignal): Promise<UpstreamRun> => {
  const binaries = await findBinaries(process.env, { need: NEEDED[options.on] });
  const { run, excluded } = await select(binaries, options);
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-soak-'));
  try {
    return { results: await runCases({ binaries, cases: run, dir }, options, signal), excluded };
  } finally {
    if (options.keep === 'nothing') rmSync(dir, { recursive: true, force: true });
    else options.print(`kept ${dir}\n`);
  }
};

const LISTING_BYTES_MAX = 2 ** 24;

const select = async (
  binaries: ClusterBinaries,
  { only, print }: UpstreamOptions,
): Promise<Pick<Selection, 'run' | 'excluded'>> => {
  const { stdout } = await promisify(execFile)(binaries.path('e2e.test'), ['--list-tests'], {
    maxBuffer: LISTING_BYTES_MAX,
  });
  const listed = parseListedCases(stdout);
  if (only !== undefined) return { run: listed.filter((name) => only.test(name)), excluded: [] };
  const selection = selectCases(listed, { suites: SUITES, exclusions: EXCLUSIONS });
  for (const { cases, why } of selection.idle) print(`no case is excluded by ${cases} any more (${why})\n`);
  return selection;
};

interface Work {
  readonly binaries: ClusterBinaries;
  readonly cases: readonly string[];
  readonly dir: string;
}

/** What was opened is closed in reverse, whatever happens. */
const runCases = async (
  { binaries, cases, dir }: Work,
  { on, processes, print }: UpstreamOptions,
  signal: AbortSignal,
): Promise<readonly CaseResult[]> => {
  const clock = createSystemClock();
  const logger = createLogger({ clock, level: 'error', destination: { write: (line) => process.stderr.write(line) } });
  const deps = { clock, logger, random: createSystemRandom(), host: createHostIo() };
  await using opened = new AsyncDisposableStack();
  const plane = await startPlane(on, dir);
  opened.defer(() => plane.stop());
  const config = await loadKubeconfig({ path: plane.kubeconfig }, deps.host);
  const front = await startApiFront(config);
  opened.defer(() => front.close());
  const nodes = await startScriptedNodes(config, NODES, deps);
  opened.defer(() => nodes.stop());
  const target: SuiteTarget = {
    ...{ program: binaries.path('e2e.test'), kubectl: binaries.path('kubectl') },
    ...{ kubeconfig: writeKubeconfig(dir, front.url), nodes: NODES },
  };
  const follow = createProgress(cases.length, print);
  return await runShares({ cases, processes }, (name, share) =>
    runSuite(target, { cases: share, dir: join(dir, name), onLine: follow() }, signal),
  );
};

const runShares = async (
  { cases, processes }: { readonly cases: readonly string[]; readonly processes: number },
  run: (name: string, cases: readonly string[]) => Promise<readonly CaseResult[]>,
): Promise<readonly CaseResult[]> => {
  const { atOnce, alone } = shareOut(cases, processes);
  const together = await Promise.all(atOnce.map((share, at) => run(`suite-${at}`, share)));
  const serial = alone.length === 0 ? [] : await run('serial', alone);
  return [...together.flat(), ...serial];
};

/** The front needs no login. JSON is YAML. */
const writeKubeconfig = (dir: string, server: string): string => {
  const path = join(dir, 'kubeconfig');
  const name = 'soak';
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': name },
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
};
