/**
 * What a fleet did to a simulated project, judged on what really arrived there: by the promises of check-audit.ts, whoever wrote. The same
 * judge sits over our managers and over the model of the original's order of effects. Pure.
 */
import { parseServerName } from '../../kinds/names.ts';
import type { AuditEntry } from '../../sim/cloud/call-log.ts';
import { type Breach, createAuditChecker } from '../../sim/cloud/check-audit.ts';
import type { SimServer } from '../../sim/cloud/sim-server.ts';
import { POOL_PREFIX } from '../simulated-provider.ts';

export interface ChaosCounts {
  /** Wipes that the fleet asked for. */
  readonly wipes: number;
  /** A Mac was wiped while a machine had it. */
  readonly wrongWipes: number;
  /** A Mac went from one machine straight to another. */
  readonly doubleClaims: number;
  /** A Mac was taken from the pool with the disk of the last machine that had it. */
  readonly dirtyHandovers: number;
  /** Any other promise about the cloud. */
  readonly otherBreaches: number;
}

export interface ChaosJudgement extends ChaosCounts {
  /** One sentence for each breach, with when it happened. */
  readonly findings: readonly Finding[];
}

export interface Finding {
  readonly atMs: number;
  readonly message: string;
}

const kindOf = (name: string) => parseServerName(name, [POOL_PREFIX])?.kind ?? 'machine';

export interface LiveWipe extends Finding {
  /** Of the call. */
  readonly number: number;
}

export interface WipeWitness {
  /** To be told of every write in the moment that it happens. */
  hear(entry: AuditEntry): void;
  found(): readonly LiveWipe[];
}

/** Sees wipes of Macs that some machine has, whatever the Mac is called. */
export const createWipeWitness = (liveOwnerOf: (serverId: string) => string | undefined): WipeWitness => {
  const found: LiveWipe[] = [];
  return {
    hear: ({ verb, outcome, serverId, number, atMs }) => {
      if (verb !== 'reinstall' || outcome !== 'accepted') return;
      const owner = liveOwnerOf(serverId);
      if (owner !== undefined) found.push({ number, atMs, message: `${serverId} is wiped while ${owner} has it` });
    },
    found: () => found,
  };
};

export interface ChaosRules {
  /** Whose writes are judged. */
  readonly isFleet: (caller: string) => boolean;
  /** What a witness saw besides; the audit alone does not tell who has what. */
  readonly liveWipes?: readonly LiveWipe[];
}

export const judgeAudit = (audit: readonly AuditEntry[], { isFleet, liveWipes = [] }: ChaosRules): ChaosJudgement => {
  const check = createAuditChecker({
    ...{ poolPrefix: POOL_PREFIX, isFleet, mayTerminate: () => false },
    isWipeable: (name) => kindOf(name) === 'releasing',
  });
  const breaches = check(audit);
  const of = (...promises: readonly string[]) => breaches.filter(({ promise }) => promises.includes(promise));
  const double = findDoubleClaims(audit, isFleet);
  const told = of('S2').concat(of('S11').filter(({ entry }) => entry.verb === 'reinstall'));
  const wrong = told.filter(({ entry }) => !liveWipes.some(({ number }) => number === entry.number));
  const dirty = findDirtyHandovers(audit, isFleet);
  // A rename of what another machine has is told once, as a double claim.
  const isTold = ({ entry }: Breach): boolean => double.some(({ number }) => number === entry.number);
  const rest = breaches.filter((breach) => !told.includes(breach) && !isTold(breach));
  const wipes = audit.filter(
    ({ verb, outcome, caller }) => verb === 'reinstall' && outcome === 'accepted' && isFleet(caller),
  );
  return {
    ...{ wipes: wipes.length, wrongWipes: wrong.length + liveWipes.length, doubleClaims: double.length },
    ...{ dirtyHandovers: dirty.length, otherBreaches: rest.length },
    findings: [
      ...[...wrong, ...rest].map(({ entry, message }) => ({ atMs: entry.atMs, message })),
      ...[...double, ...dirty, ...liveWipes].map(({ atMs, message }) => ({ atMs, message })),
    ].toSorted((left, right) => left.atMs - right.atMs),
  };
};

interface DoubleClaim extends Finding {
  readonly number: number;
}

/** Renames that take a server from one machine and give it to another, without a release in between. */
const findDoubleClaims = (audit: readonly AuditEntry[], isFleet: (caller: string) => boolean): readonly DoubleClaim[] =>
  audit.flatMap(({ verb, outcome, caller, before, argument, serverId, atMs, number }) => {
    if (verb !== 'rename' || outcome !== 'accepted' || !isFleet(caller) || before === undefined) return [];
    const [was, becomes] = [kindOf(before.name), kindOf(argument)];
    const isTaken = was === 'machine' && (becomes === 'machine' || becomes === 'claim-pending');
    if (!isTaken || before.name === argument) return [];
    const message = `${serverId} is taken by "${argument}" while "${before.name}" has it`;
    return [{ atMs, number, message }];
  });

const wipesOf = ({ wipes, fakedWipes }: SimServer): number => wipes + fakedWipes;

/** A pool name alone is no promise: what counts is whether the next machine finds the disk of the last. */
const findDirtyHandovers = (audit: readonly AuditEntry[], isFleet: (caller: string) => boolean): readonly Finding[] => {
  const usedAtWipes = new Map<string, number>();
  return audit.flatMap(({ verb, outcome, caller, before, argument, serverId, atMs }) => {
    if (verb !== 'rename' || outcome !== 'accepted' || !isFleet(caller) || before === undefined) return [];
    const isTaken = kindOf(before.name) === 'pool' && kindOf(argument) !== 'pool';
    const isDirty = isTaken && usedAtWipes.get(serverId) === wipesOf(before);
    if (kindOf(argument) === 'machine') usedAtWipes.set(serverId, wipesOf(before));
    return isDirty ? [{ atMs, message: `${serverId} is taken with the disk of the last machine that had it` }] : [];
  });
};
