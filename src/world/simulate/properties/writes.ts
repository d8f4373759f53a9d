/** S7, S8, S11–S14: what is sent to Scaleway was put on record before, by whoever leads, about a server that is ours. */
import type { MacHostSpec } from '../../../kinds/mac-host.ts';
import { LEASE_NAMES, parseServerName } from '../../../kinds/names.ts';
import type { AuditEntry, WriteVerb } from '../../../sim/cloud/call-log.ts';
import { type Breach, createAuditChecker } from '../../../sim/cloud/check-audit.ts';
import { RENAMED_BY_PERSON } from '../../../sim/cloud/fault-changes.ts';
import type { Happening, ObjectChange, Property, Truth } from '../truth.ts';
import { createEpochWatch } from './epoch-watch.ts';
import { acceptedByFleet } from './fleet-writes.ts';
import { judgeOffers } from './on-offer.ts';
import { processOf } from './process-of.ts';
import { createRebootWatch } from './reboot-watch.ts';

/** A request may be under way for so long (the deadline of one, and what a network adds), but not longer. */
const UNDER_WAY_MS = 60_000;

const VERBS: Readonly<Partial<Record<WriteVerb, NonNullable<MacHostSpec['lastWrite']>['verb']>>> = {
  rename: 'rename',
  reinstall: 'reinstall',
  reboot: 'reboot',
  terminate: 'delete',
  schedule: 'schedule-deletion',
};

/** A look is good for five seconds (R13), and a request may take as long as a network holds it up. */
const UNSEEN_FOR_MS = 30_000;

interface Intent {
  readonly verb: string;
  readonly name: string | undefined;
  readonly untilMs: number;
}

/** What stands in the record of a host, as an intent that somebody may act on. */
const intentOf = (change: ObjectChange & { readonly kind: 'hosts' }): Omit<Intent, 'untilMs'> | undefined => {
  const { lastWrite, assignedName } = change.after?.spec ?? {};
  return lastWrite && { verb: lastWrite.verb, name: assignedName?.next };
};

export const writeAhead: Property = {
  id: 'S7',
  promise: 'every write to a server was on record before it was sent',
  judge: () => {
    const intents = new Map<string, Intent[]>();
    /** The record is good as long as it stands, and for what is under way when it is replaced. */
    const note = (change: ObjectChange & { readonly kind: 'hosts' }, nowMs: number): void => {
      const name = (change.after ?? change.before)?.metadata.name ?? '';
      const kept = (intents.get(name) ?? [])
        .map((intent) => ({ ...intent, untilMs: Math.min(intent.untilMs, nowMs + UNDER_WAY_MS) }))
        .filter(({ untilMs }) => untilMs > nowMs);
      const intent = intentOf(change);
      intents.set(name, intent ? [...kept, { ...intent, untilMs: Number.POSITIVE_INFINITY }] : kept);
    };
    return (happening, truth) => {
      if (happening.is === 'object' && happening.change.kind === 'hosts') note(happening.change, truth.nowMs());
      const entry = acceptedByFleet(happening);
      const verb = entry && VERBS[entry.verb];
      if (entry === undefined || verb === undefined) return undefined;
      const isOnRecord = intents
        .get(entry.serverId)
        ?.some((intent) => intent.verb === verb && (verb !== 'rename' || intent.name === entry.argument));
      return isOnRecord ? undefined : `${entry.verb} ${entry.argument} of ${entry.serverId} was not on record`;
    };
  },
};

export const fencedLeader: Property = {
  id: 'S8',
  promise: 'whoever lost the leadership sends nothing more, and who follows works under an epoch of its own',
  judge: () => {
    let holder = '';
    const ofEpochs = createEpochWatch();
    const lostAtMs = new Map<string, number>();
    const follow = (happening: Happening, nowMs: number): void => {
      if (happening.is !== 'object' || happening.change.kind !== 'leases') return;
      const { after } = happening.change;
      if (after?.metadata.name !== LEASE_NAMES.manager) return;
      const next = after.spec?.holderIdentity ?? '';
      if (next === holder) return;
      lostAtMs.set(processOf(holder), nowMs);
      lostAtMs.delete(processOf(next));
      holder = next;
    };
    return (happening, truth) => {
      follow(happening, truth.nowMs());
      const shared = ofEpochs(happening, truth);
      if (shared !== undefined) return shared;
      const entry = acceptedByFleet(happening);
      const sinceMs = entry === undefined ? undefined : lostAtMs.get(entry.caller);
      if (entry === undefined || sinceMs === undefined || truth.nowMs() - sinceMs <= UNDER_WAY_MS) return undefined;
      return `${entry.verb} of ${entry.serverId} by ${entry.caller}, which leads no more`;
    };
  },
};

const isPending = (name: string): boolean => parseServerName(name, [])?.kind === 'claim-pending';
const isReleasing = (name: string): boolean => parseServerName(name, [])?.kind === 'releasing';

/** The promises that the audit alone can judge, as properties of their own. */
const judgedByAudit = (promise: Breach['promise'] & `S${number}`, text: string): Property => ({
  id: promise,
  promise: text,
  judge: () => {
    let truthNow: Truth | undefined;
    const check = createAuditChecker({
      poolPrefix: 'tuist-pool-',
      isWipeable: (name) => name.startsWith('tuist-releasing-'),
      isFleet: (caller) => caller !== 'console',
      isUnseen: (name, ageMs) => name === RENAMED_BY_PERSON && ageMs < UNSEEN_FOR_MS,
      // The claim is ours, which S11 asks for, although the name was given by somebody else (R28).
      isTakenOver: (serverId, name) => {
        // Nothing was done to a Mac under a pending name: a rename that was under way may still land on another cluster's (R7).
        if (isPending(name)) return true;
        const { takenOver, claimRef, assignedName } = truthNow?.find('hosts', serverId)?.spec ?? {};
        // So may a first one on the name under which another cluster gives a Mac of the pool back.
        if (isReleasing(name) && isPending(assignedName?.next ?? '')) return true;
        return takenOver === true && claimRef?.name === name;
      },
      mayTerminate: (serverId) => truthNow?.find('hosts', serverId)?.spec.release?.policy === 'terminate',
    });
    const audit: AuditEntry[] = [];
    return (happening, truth) => {
      if (happening.is !== 'cloud-write') return undefined;
      truthNow = truth;
      audit.push(happening.entry);
      return check(audit).find((breach) => breach.promise === promise)?.message;
    };
  },
});

export const foreignUntouched = judgedByAudit('S11', 'a server under a name that we did not give it is left alone');
const rebootsOfADay = judgedByAudit(
  'S12',
  'a Mac is rebooted four times a day at most, and for failing once under one machine',
);
export const rebootBudget: Property = {
  ...rebootsOfADay,
  judge: () => {
    const [ofADay, ofABind] = [rebootsOfADay.judge(), createRebootWatch()];
    return (happening, truth) => ofADay(happening, truth) ?? ofABind(happening);
  },
};
/** Judged where people turned the tiers off, by thresholds of 0: no reboot at all, and no Mac given back for failing (000-6). */
export const tiersStayOff: Property = {
  ...rebootBudget,
  judge: () => (happening) => {
    const entry = acceptedByFleet(happening, 'reboot');
    if (entry !== undefined) return `${entry.serverId} is rebooted, and that tier is off`;
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { after } = happening.change;
    const isGivenBack = after?.spec.release?.reason === 'BootstrapExhausted';
    return isGivenBack ? `${after?.metadata.name} is given back for failing, and that tier is off` : undefined;
  },
};
const pooledReady = judgedByAudit('S13', 'a Mac goes to the pool, and is offered from it, ready and wiped');
export const poolMeansWiped: Property = {
  ...pooledReady,
  judge: () => {
    const [ofWrites, ofOffers] = [pooledReady.judge(), judgeOffers()];
    return (happening, truth) => ofWrites(happening, truth) ?? ofOffers(happening, truth);
  },
};

export const errorIsNoEmptiness: Property = {
  id: 'S14',
  promise: 'a Mac that exists is not taken for gone',
  judge: () => (happening, truth) => {
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { before, after } = happening.change;
    const name = after?.metadata.name ?? '';
    const isNews = after?.status?.server?.goneAt !== undefined && before?.status?.server?.goneAt === undefined;
    return isNews && truth.server(name) !== undefined ? `${name} is taken for gone, and is there` : undefined;
  },
};
