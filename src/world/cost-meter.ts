/** What a fleet costs: every write to the API by who, verb and kind, and every call to the cloud by verb. For tests and benchmarks. */
import type { OnRequest } from '../controlplane/auth/audit.ts';
import type { FleetWorld } from './fleet-world.ts';
import { PROVIDER } from './identities.ts';

/** How often, by what. */
export type Counts = Readonly<Record<string, number>>;

export interface CostMeter {
  /** For the options of a world. */
  readonly onRequest: OnRequest;
  /** Forgets what was counted so far. */
  reset(world: FleetWorld): void;
  /** Of the managers, without the renewals of their lease, and without Events: those expire, and nothing depends on them. */
  managerWrites(): Counts;
  /** The Events of the managers. */
  managerEvents(): Counts;
  /** Of everybody, without the renewals of leases. */
  allWrites(): Counts;
  /** Needs `callsKept` large enough. */
  cloudCalls(world: FleetWorld): Counts;
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

export const createCostMeter = (): CostMeter => {
  const manager = new Map<string, number>();
  const others = new Map<string, number>();
  let callsBefore = 0;
  return {
    onRequest: ({ attempt, code }) => {
      if (attempt.on === 'path' || !WRITES.has(attempt.verb) || attempt.resource === 'leases') return;
      const { verb, resource, subresource } = attempt;
      const refusal = code < 300 ? '' : `, answered ${code}`;
      const what = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${refusal}`;
      if (attempt.user.name === PROVIDER.name) count(manager, what);
      else count(others, `${groupOf(attempt.user.name)} ${what}`);
    },
    reset: (world) => {
      manager.clear();
      others.clear();
      callsBefore = callsOf(world).length;
    },
    managerWrites: () => Object.fromEntries([...manager].filter(([what]) => !isEvent(what))),
    managerEvents: () => Object.fromEntries([...manager].filter(([what]) => isEvent(what))),
    allWrites: () =>
      Object.fromEntries([...[...manager].map(([what, times]) => [`manager ${what}`, times]), ...others]),
    cloudCalls: (world) => {
      const calls = new Map<string, number>();
      for (const { verb } of callsOf(world).slice(callsBefore)) count(calls, verb);
      return Object.fromEntries(calls);
    },
  };
};

const callsOf = ({ cloud }: FleetWorld): readonly { readonly verb: string }[] =>
  [...cloud.audit(), ...cloud.otherCalls().entries].sort((one, other) => one.number - other.number);

const count = (counts: Map<string, number>, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

const isEvent = (what: string): boolean => what.split(' ')[1] === 'events';

/** All Nodes are one. */
const groupOf = (user: string): string => (user.startsWith('system:node:') ? 'node' : (user.split(':').at(-1) ?? user));

export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, times) => sum + times, 0);

/** One line per kind, the most first, each per adoption. */
export const renderCounts = (counts: Counts, adoptions: number): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([what, times]) => `${(times / adoptions).toFixed(2).padStart(8)}  ${what}`)
    .join('\n');
