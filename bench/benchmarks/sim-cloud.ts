/** How much the simulated cloud carries, in process and over HTTP, and what a server in it costs. */
import type { Benchmark, Sample } from '../benchmark.ts';
import { cpuMs, settledMemory } from '../subjects/usage.ts';

const SERVERS = 1_000;
const CALLERS = 16;
const WARM_MS = 300;
const MEASURED_MS = 1_500;

/** Reads and renames in turn, each time another server. */
const callOf = (ids: readonly string[], at: number) => {
  const target = `/apple-silicon/v1alpha1/zones/fr-par-1/servers/${ids[at % ids.length]}`;
  return at % 2 === 0
    ? { method: 'GET' as const, target, body: '' }
    : { method: 'PATCH' as const, target, body: JSON.stringify({ name: `pool-${at}` }) };
};

interface Rate {
  readonly perSecond: number;
  /** Of client and server together; moves little when other programs take the processors. */
  readonly cpuMicros: number;
}

const rateOf = async (callers: number, call: (at: number) => unknown): Promise<Rate> => {
  const startCpuMs = cpuMs();
  const countFromMs = performance.now() + WARM_MS;
  const endMs = countFromMs + MEASURED_MS;
  let [counted, at] = [0, 0];
  const callOn = async (): Promise<void> => {
    while (performance.now() < endMs) {
      at += 1;
      await call(at);
      if (performance.now() >= countFromMs) counted += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, callOn));
  return { perSecond: (counted / MEASURED_MS) * 1_000, cpuMicros: ((cpuMs() - startCpuMs) / at) * 1_000 };
};

const ours = async (): Promise<Sample> => {
  const { Pool } = await import('undici');
  const { createSystemClock } = await import('../../src/base/clock.ts');
  const { createSeededRandom } = await import('../../src/base/random.ts');
  const { serveCloud } = await import('../../src/sim/cloud/serve-cloud.ts');
  const { createSimCloud } = await import('../../src/sim/cloud/sim-cloud.ts');
  const clock = createSystemClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const { heapMb: before } = await settledMemory();
  for (let at = 0; at < SERVERS; at += 1) cloud.addServer({ name: `pool-${at}` });
  const { heapMb: after } = await settledMemory();
  const ids = cloud.servers().map(({ id }) => id);
  const inProcess = await rateOf(1, (at) => cloud.serve({ ...callOf(ids, at), headers: {}, caller: 'bench' }));
  const served = await serveCloud({ clock, cloud });
  const pool = new Pool(served.apiUrl, { connections: CALLERS });
  const overHttp = await rateOf(CALLERS, async (at) => {
    const { method, target, body } = callOf(ids, at);
    const answer = await pool.request({ method, path: target, ...(body === '' ? {} : { body }) });
    await answer.body.text();
  });
  return {
    'in process, requests/s': inProcess.perSecond,
    'in process, cpu of a request, µs': inProcess.cpuMicros,
    'over HTTP, requests/s': overHttp.perSecond,
    'over HTTP, cpu of a request, µs': overHttp.cpuMicros,
    'heap of 1,000 servers, MB': after - before,
  };
};

export const simCloud: Benchmark = {
  id: 'sim-cloud',
  about: 'the simulated cloud with 1,000 servers: GETs and renames, the client in the same process',
  figures: [
    { name: 'in process, requests/s', goal: { of: 'ours', is: '>=', value: 5_000 } },
    { name: 'in process, cpu of a request, µs' },
    { name: 'over HTTP, requests/s', goal: { of: 'ours', is: '>=', value: 2_000 } },
    { name: 'over HTTP, cpu of a request, µs' },
    { name: 'heap of 1,000 servers, MB', goal: { of: 'ours', is: '<=', value: 10 } },
  ],
  ours,
};
