/** What the dispatcher tells the autoscaler of a pool. Pure, but for reading the state. */
import { splitQueue } from './claims.ts';
import { type DispatchCore, isActive, type Load } from './dispatch-core.ts';
import type { Signals } from './sim-job.ts';

export const signalsOf = (core: DispatchCore, pool: string): Signals => {
  const jobs = [...core.state.jobs.values()].filter((job) => job.pool === pool);
  const { free, withheld } = splitQueue(core, pool);
  const claimed = jobs.filter(isActive).length;
  const windowMs = core.times.windowMs * core.timeScale;
  return {
    fleet: pool,
    claimed,
    occupied: claimed + jobs.filter(({ state }) => state === 'finishing').length,
    queued: free.length,
    withheld: withheld.length,
    p95_concurrent_last_hour: p95(core.state.loads.get(pool) ?? [], { nowMs: core.clock.now(), windowMs }),
  };
};

const SHARE = 0.95;

/** The least load that was not exceeded during that share of the window. */
export const p95 = (
  loads: readonly Load[],
  { nowMs, windowMs }: { readonly nowMs: number; readonly windowMs: number },
): number => {
  const fromMs = nowMs - windowMs;
  const spans = loads
    .map(({ atMs, busy }, at) => ({ busy, ms: (loads[at + 1]?.atMs ?? nowMs) - Math.max(atMs, fromMs) }))
    .filter(({ ms }) => ms > 0)
    .toSorted((left, right) => left.busy - right.busy);
  let restMs = SHARE * windowMs - (windowMs - spans.reduce((sum, { ms }) => sum + ms, 0));
  for (const { busy, ms } of spans) {
    if (restMs <= ms) return restMs > 0 ? busy : 0;
    restMs -= ms;
  }
  return 0;
};
