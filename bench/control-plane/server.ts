/**
 * The two servers that are compared, each in processes of its own on the loopback and each durable: ours with all its
 * controllers, and kube-apiserver with an etcd that syncs its disk, with those that the comparison is about.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FleetError } from '../../src/base/errors.ts';
import type { ClusterParts } from '../../test/cluster/bench/cluster.ts';
import type { SideName } from '../benchmark.ts';

export interface MeasuredServer {
  readonly kubeconfigFile: string;
  /** From nothing to the first request that it can answer. */
  readonly startMs: number;
  /** Of all its processes together. */
  rssMb(): number;
  stop(): Promise<void>;
}

/** As people start it: the launcher becomes the process of the program. */
const PROGRAM = fileURLToPath(new URL('../../macfleet', import.meta.url));

/** The peer has the controllers that `parts` names, without limits on how fast they ask; ours has all of its own always. */
export const startServer = (side: SideName, parts: ClusterParts = 'api'): Promise<MeasuredServer> =>
  side === 'ours' ? startOurs() : startPeer(parts);

const startOurs = async (): Promise<MeasuredServer> => {
  const data = mkdtempSync(join(tmpdir(), 'macfleet-bench-'));
  const startedMs = performance.now();
  const child = spawn(PROGRAM, ['control-plane', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(data, { recursive: true, force: true });
  };
  process.once('exit', () => child.kill('SIGKILL'));
  await untilReady(child.stdout);
  const startMs = performance.now() - startedMs;
  return { kubeconfigFile: join(data, 'kubeconfig'), startMs, rssMb: () => rssMbOf(Number(child.pid)), stop };
};

const untilReady = async (output: AsyncIterable<unknown>): Promise<void> => {
  let said = '';
  for await (const chunk of output) {
    said += String(chunk);
    if (said.includes('kubeconfig: ')) return;
  }
  throw new FleetError('unavailable', { code: 'BenchServerFailed', message: `the control plane ended: ${said}` });
};

const startPeer = async (parts: ClusterParts): Promise<MeasuredServer> => {
  const { startCluster } = await import('../../test/cluster/bench.ts');
  const startedMs = performance.now();
  const cluster = await startCluster({ parts, disk: 'synced', clientLimits: 'lifted' }, { print: () => undefined });
  const startMs = performance.now() - startedMs;
  const rssMb = (): number => pidsNaming(cluster.dir).reduce((sum, pid) => sum + rssMbOf(pid), 0);
  return { kubeconfigFile: cluster.kubeconfig, startMs, rssMb, stop: cluster.stop };
};

/** The cluster's processes: those whose arguments name its folder. */
const pidsNaming = (folder: string): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readProc(pid, 'cmdline').includes(`=${folder}`));

export const rssMbOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1_000;

const readProc = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended meanwhile: it uses nothing.
    return '';
  }
};
