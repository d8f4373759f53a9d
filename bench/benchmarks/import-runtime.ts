/**
 * What a process pays before it has done anything: the time to import the runtime, and the memory it then holds. Measured
 * in processes that load nothing else, not even TypeScript support. *Warm* is a start with Node's compile cache filled by
 * earlier ones, which costs us what plain JavaScript would; *cold* is a start without that cache, where our side also
 * strips its types. Both sides get the same.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '../../src/base/json.ts';
import type { Benchmark, Sample } from '../benchmark.ts';
import { median } from '../judge.ts';

const run = promisify(execFile);

const IMPORTS_PER_ROUND = 3;
/** The first start stores stripped types, the second their compiled code. */
const STARTS_TO_WARM = 3;
const TIMEOUT_MS = 60_000;

interface ImportCost {
  readonly timeMs: number;
  readonly rssMb: number;
}

/** Imports the module in a process of its own; without one, the cost of Node itself. */
const importOnce = async (specifier: string | undefined, cacheFolder: string | undefined): Promise<ImportCost> => {
  const { NODE_COMPILE_CACHE: _inherited, ...env } = process.env;
  const code = `
    const startMs = performance.now();
    ${specifier === undefined ? '' : `await import(${JSON.stringify(specifier)});`}
    const timeMs = performance.now() - startMs;
    process.stdout.write(JSON.stringify({ timeMs, rssMb: process.memoryUsage().rss / 1e6 }));
    process.exit();
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], {
    env: cacheFolder === undefined ? env : { ...env, NODE_COMPILE_CACHE: cacheFolder },
    timeout: TIMEOUT_MS,
  });
  return parseCost(JSON.parse(stdout));
};

const parseCost = (value: unknown): ImportCost => {
  const { timeMs, rssMb } = isRecord(value) ? value : {};
  if (typeof timeMs === 'number' && typeof rssMb === 'number') return { timeMs, rssMb };
  throw new TypeError('the importing process said nothing of use');
};

const importSome = async (specifier: string | undefined, cacheFolder?: string): Promise<ImportCost> => {
  const costs: ImportCost[] = [];
  for (let times = 0; times < IMPORTS_PER_ROUND; times += 1) costs.push(await importOnce(specifier, cacheFolder));
  return { timeMs: median(costs.map(({ timeMs }) => timeMs)), rssMb: median(costs.map(({ rssMb }) => rssMb)) };
};

const measureImport = async (specifier: string): Promise<Sample> => {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'bench-compile-cache-'));
  try {
    const cold = await importSome(specifier);
    for (let times = 0; times < STARTS_TO_WARM; times += 1) await importOnce(specifier, cacheFolder);
    const warm = await importSome(specifier, cacheFolder);
    return {
      'warm time, ms': warm.timeMs,
      'warm RSS, MB': warm.rssMb,
      'cold time, ms': cold.timeMs,
      'cold RSS, MB': cold.rssMb,
    };
  } finally {
    await rm(cacheFolder, { recursive: true });
  }
};

const ours = async (): Promise<Sample> => ({
  ...(await measureImport(import.meta.resolve('../subjects/runtime.ts'))),
  'RSS of Node alone, MB': (await importSome(undefined)).rssMb,
});

const peer = (): Promise<Sample> => measureImport(import.meta.resolve('@kubernetes/client-node'));

export const importRuntime: Benchmark = {
  id: 'import',
  about: 'import everything that a controller process needs; the peer alone',
  figures: [
    { name: 'warm time, ms', goal: { of: 'ratio', is: '<=', value: 0.25 } },
    { name: 'warm RSS, MB', goal: { of: 'ratio', is: '<=', value: 0.5 } },
    { name: 'cold time, ms' },
    { name: 'cold RSS, MB' },
    { name: 'RSS of Node alone, MB' },
  ],
  ours,
  peer,
};
