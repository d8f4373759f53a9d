/** What a person waits for: the help, and the state of a fleet of 1,000 machines, as processes from start to end. */
import type { Benchmark, Sample } from '../benchmark.ts';

const MACS = 1_000;
const CONNECTIONS = 16;
const RUNS = 5;

/** The median of some runs, after two that fill the cache of compiled code. */
const timeOf = async (args: readonly string[], kubeconfig: string): Promise<number> => {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const { fileURLToPath } = await import('node:url');
  const { median } = await import('../judge.ts');
  const program = fileURLToPath(new URL('../../macfleet', import.meta.url));
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const times: number[] = [];
  for (let run = -2; run < RUNS; run += 1) {
    const startedMs = performance.now();
    await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
    if (run >= 0) times.push(performance.now() - startedMs);
  }
  return median(times);
};

const measure = async (): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests } = await import('../control-plane/requests.ts');
  const { fillFleet } = await import('../control-plane/fleet.ts');
  const server = await startServer('ours');
  try {
    const requests = await createRequests(server.kubeconfigFile, CONNECTIONS);
    await fillFleet(requests, MACS);
    await requests.close();
    return {
      'help, ms': await timeOf(['--help'], server.kubeconfigFile),
      'status of 1,000 machines, ms': await timeOf(['status'], server.kubeconfigFile),
      'audit of 1,000 machines, ms': await timeOf(['audit'], server.kubeconfigFile),
    };
  } finally {
    await server.stop();
  }
};

export const commandLine: Benchmark = {
  id: 'command-line',
  about: 'the help, and the status and the audit of 1,000 machines, each from the start of the process to its end',
  figures: [
    { name: 'help, ms', goal: { of: 'ours', is: '<=', value: 150 } },
    { name: 'status of 1,000 machines, ms', goal: { of: 'ours', is: '<=', value: 400 } },
    { name: 'audit of 1,000 machines, ms' },
  ],
  ours: measure,
};
