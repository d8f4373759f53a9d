/** How long the embedded control plane's store takes to open a data file of a large fleet. */
import type { Benchmark, Sample } from '../benchmark.ts';

const OBJECTS = 10_000;

const ours = async (): Promise<Sample> => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const { openSqliteLog } = await import('../../src/controlplane/store/sqlite-log.ts');
  const { createStore } = await import('../../src/controlplane/store/store.ts');
  const { parseStoredObject } = await import('../../src/controlplane/store/object.ts');
  const { configMap } = await import('../control-plane/objects.ts');
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-bench-'));
  try {
    const path = join(folder, 'state.sqlite');
    const first = createStore({ log: openSqliteLog(path) });
    for (let at = 0; at < OBJECTS; at += 1) {
      first.put('/configmaps', parseStoredObject(JSON.parse(configMap(`c${at}`))));
    }
    first.close();
    const startedMs = performance.now();
    const second = createStore({ log: openSqliteLog(path) });
    const openMs = performance.now() - startedMs;
    second.close();
    return { '10,000 objects open, ms': openMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const controlPlaneOpen: Benchmark = {
  id: 'control-plane-open',
  about: "opening the embedded control plane's data file with 10,000 objects of 3 KB",
  figures: [{ name: '10,000 objects open, ms', goal: { of: 'ours', is: '<=', value: 1_000 } }],
  ours,
};
