/** What happens to processes: they die, freeze, and have clocks that are wrong. */
import type { Disturbance, Strike } from './disturbance.ts';

const victimOf = ({ managers, choose }: Strike): string => managers[choose(managers.length)] ?? 'manager';

const DOWN_MS = [5_000, 1_000, 60_000, 900_000] as const;
const FROZEN_MS = [10_000, 30_000, 120_000, 1_200_000] as const;
const SKEW_MS = [0, 7_200_000, -7_200_000, 60_000, -60_000] as const;

const pickMs = ({ choose }: Strike, times: readonly number[]): number => times[choose(times.length)] ?? 0;

export const PROCESS_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'kill-manager',
    strike: (strike) => {
      const [name, downMs] = [victimOf(strike), pickMs(strike, DOWN_MS)];
      strike.world.kernel.restart(name, downMs);
      return `${name} dies and is back after ${downMs / 1_000} s`;
    },
  },
  {
    id: 'freeze-manager',
    strike: (strike) => {
      const [name, frozenMs] = [victimOf(strike), pickMs(strike, FROZEN_MS)];
      strike.world.kernel.pause(name, frozenMs);
      return `${name} freezes for ${frozenMs / 1_000} s`;
    },
  },
  {
    id: 'skew-manager',
    strike: (strike) => {
      const [name, skewMs] = [victimOf(strike), pickMs(strike, SKEW_MS)];
      strike.world.kernel.setSkew(name, skewMs);
      return `the clock of ${name} is ${skewMs / 1_000} s ahead`;
    },
  },
  {
    id: 'restart-controllers',
    strike: (strike) => {
      const downMs = pickMs(strike, DOWN_MS);
      strike.world.kernel.restart('controllers', downMs);
      return `Cluster API dies and is back after ${downMs / 1_000} s`;
    },
  },
];

const DEATHS = [3, 8] as const;
const ALIVE_MS = [15_000, 2_000, 90_000] as const;

/** Kept apart, because rows are added at the end. */
export const MORE_PROCESS_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'crash-loop',
    strike: (strike) => {
      const { kernel } = strike.world;
      const [name, deaths] = [victimOf(strike), pickMs(strike, DEATHS)];
      const aliveMs = pickMs(strike, ALIVE_MS);
      for (let death = 0; death < deaths; death += 1)
        kernel.schedule(death * (aliveMs + 1_000), 'crash loop', () => kernel.restart(name, 1_000));
      return `${name} dies ${deaths} times, ${aliveMs / 1_000} s after each start`;
    },
  },
];
