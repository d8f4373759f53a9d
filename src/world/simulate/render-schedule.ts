/** A schedule as a table of steps that a person can follow. */
import type { SeedResult } from './run-seed.ts';
import { type CallFaultAt, faultsOf } from './saved-schedule.ts';

const renderTime = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
};

/** Faults of single calls have no time of their own: they follow the steps. */
const renderFault = ({ actor, call, number, fault }: CallFaultAt): string =>
  `${fault} at ${call} ${number} of ${actor}`;

/** More of them are not worth reading. */
const FAULTS_MAX = 20;

const renderFaults = (faults: readonly CallFaultAt[]): readonly string[] => {
  if (faults.length === 0) return [];
  const more = faults.length - FAULTS_MAX;
  return [
    'and these calls fail, by their number among those of their kind:',
    ...faults.slice(0, FAULTS_MAX).map((fault) => `      ${renderFault(fault)}`),
    ...(more > 0 ? [`      and ${more} more`] : []),
  ];
};

export const renderSchedule = ({ seed, steps, violations, schedule }: SeedResult): string => {
  const lines = [
    ...steps.map(({ atMs, what }) => ({ atMs, what })),
    ...violations.map(({ atMs, property, message }) => ({ atMs, what: `${property} is broken: ${message}` })),
  ];
  const table = lines.map(({ atMs, what }, at) => `${String(at + 1).padStart(4)}  ${renderTime(atMs)}  ${what}`);
  return [`seed ${seed}`, 'step  time      what happens', ...table, ...renderFaults(faultsOf(schedule.choices))].join(
    '\n',
  );
};
