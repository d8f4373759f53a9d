/** L6: a reboot that Scaleway refused for certain is not the one that a Mac gets (000-4). */
import { isRecord } from '../../../base/json.ts';
import type { StoredHappening } from '../truth.ts';
import type { Memory } from './memory.ts';

/** Answers after which nothing was done. */
const CERTAINLY_NOT = /Scaleway answered (400|401|403|423|429):/;

export const createRefusedReboots = (): Memory => {
  const refused = new Set<string>();
  /** Macs that got a reboot back, and those for which a person asked for one, which is not counted. */
  const settled = new Set<string>();
  return {
    hear: (happening) => {
      const name = happening.is === 'stored' ? refusedRebootOf(happening) : undefined;
      if (name !== undefined) refused.add(name);
      if (happening.is !== 'object' || happening.change.kind !== 'hosts') return;
      const { before, after } = happening.change;
      if (before === undefined || after === undefined) return;
      const isSameLife = after.spec.wipes === before.spec.wipes;
      const isGivenBack = isSameLife && after.spec.budgets.reboots.sinceClaim < before.spec.budgets.reboots.sinceClaim;
      if (isGivenBack || after.spec.rebootRequest !== undefined) settled.add(after.metadata.name);
    },
    judge: () =>
      [...refused.difference(settled)].map((name) => ({
        property: 'L6',
        message: `the reboot of ${name} was refused, and counts as done`,
      })),
  };
};

/** Of an Event that tells of one: the Mac. It is told of after what came of it was put on record. */
const refusedRebootOf = ({ collection, json }: StoredHappening): string | undefined => {
  if (!collection.endsWith('/events') || !json.includes('RebootForRecoveryFailed')) return undefined;
  if (!CERTAINLY_NOT.test(json)) return undefined;
  const event: unknown = JSON.parse(json);
  const about = isRecord(event) ? (event['regarding'] ?? event['involvedObject']) : undefined;
  return isRecord(about) && typeof about['name'] === 'string' ? about['name'] : undefined;
};
