/**
 * The promises about the cloud (S2, S4, S11, S12, S13 of the invariants, and the lease), judged on what really arrived at
 * the API. It reads the audit alone, so it holds for whoever writes: our managers, one of an older version, two at once.
 */
import type { AuditEntry } from './call-log.ts';
import type { SimServer } from './sim-server.ts';

export interface AuditRules {
  /** Names that mean wiped and free. */
  readonly poolPrefix: string;
  /** Names under which a server may be wiped. */
  readonly isWipeable: (name: string) => boolean;
  /** Whose writes are judged; a person in the console may do anything. */
  readonly isFleet: (caller: string) => boolean;
  /** Names of others that it may go on with, because it took over what has them; none unless said. */
  readonly isTakenOver?: (serverId: string, name: string) => boolean;
  /** Whether somebody gave it that name so lately that a write may follow a look from before; never unless said. */
  readonly isUnseen?: (name: string, ageMs: number) => boolean;
  /** Deletions that somebody asked for; none unless said. */
  readonly mayTerminate?: (serverId: string) => boolean;
}

export interface Breach {
  readonly promise: 'S2' | 'S4' | 'S11' | 'S12' | 'S13' | 'lease' | 'R25';
  readonly message: string;
  readonly entry: AuditEntry;
}

const REBOOTS_PER_DAY_MAX = 4;
const DAY_MS = 86_400_000;

/** What the audit has told about one server so far. */
interface Known {
  /** Names that the fleet gave it. */
  readonly names: Set<string>;
  /** How often it was wiped when it last left the pool; undefined while it has not. */
  wipesWhenTaken: number | undefined;
  readonly rebootsAtMs: number[];
}

/** Call it with the growing audit, as often as you like: it judges what is new since the last time. */
export const createAuditChecker = (rules: AuditRules): ((audit: readonly AuditEntry[]) => readonly Breach[]) => {
  const servers = new Map<string, Known>();
  const ordered = new Set<string>();
  let judged = 0;
  return (audit) => {
    const breaches: Breach[] = [];
    for (; judged < audit.length; judged += 1) {
      const entry = audit[judged];
      if (entry === undefined || entry.outcome !== 'accepted' || !rules.isFleet(entry.caller)) continue;
      const known = servers.get(entry.serverId) ?? { names: new Set(), wipesWhenTaken: undefined, rebootsAtMs: [] };
      servers.set(entry.serverId, known);
      // Whoever orders a server gives it its first name, which stands for one intent.
      if (entry.verb === 'order') {
        if (ordered.has(entry.argument))
          breaches.push({ promise: 'R25', message: `${entry.argument} is ordered twice`, entry });
        ordered.add(entry.argument);
        known.names.add(entry.argument);
      }
      if (entry.before === undefined) continue;
      breaches.push(...judge(rules, known, { entry, before: entry.before }));
      remember(rules, known, { entry, before: entry.before });
    }
    return breaches;
  };
};

interface Write {
  readonly entry: AuditEntry;
  readonly before: SimServer;
}

const judge = (rules: AuditRules, known: Known, { entry, before }: Write): readonly Breach[] => {
  const { verb, argument, serverId, atMs } = entry;
  const breach = (promise: Breach['promise'], message: string): readonly Breach[] => [{ promise, message, entry }];
  const isPooled = before.name.startsWith(rules.poolPrefix);
  const isNews = rules.isUnseen?.(before.name, atMs - before.updatedAtMs) === true;
  if (!isPooled && !isNews && !known.names.has(before.name) && rules.isTakenOver?.(serverId, before.name) !== true) {
    return breach('S11', `${verb} of ${serverId}, which has the name "${before.name}" that this fleet never gave`);
  }
  if (verb === 'reinstall' && !isPooled && !rules.isWipeable(before.name)) {
    return breach('S2', `${serverId} is wiped under the name "${before.name}"`);
  }
  if (verb === 'rename' && argument.startsWith(rules.poolPrefix)) {
    if (before.status !== 'ready') return breach('S13', `${serverId} goes to the pool while ${before.status}`);
    const isWiped = toldWipes(before) > (known.wipesWhenTaken ?? 0);
    return isWiped ? [] : breach('S13', `${serverId} goes to the pool without a wipe`);
  }
  if (verb === 'terminate' && atMs < before.deletableAtMs) return breach('lease', `${serverId} is deleted too early`);
  if ((verb === 'terminate' || argument === 'delete') && rules.mayTerminate?.(serverId) !== true) {
    return breach('S4', `${serverId} is given up although nobody asked for it`);
  }
  const recent = known.rebootsAtMs.filter((rebootMs) => atMs - rebootMs < DAY_MS).length;
  if (verb === 'reboot' && recent >= REBOOTS_PER_DAY_MAX) return breach('S12', `${serverId} is rebooted too often`);
  return [];
};

/** A wipe that Scaleway only told of is not our lie: the next to use the Mac has to notice (R9). */
const toldWipes = ({ wipes, fakedWipes }: SimServer): number => wipes + fakedWipes;

const remember = ({ poolPrefix }: AuditRules, known: Known, { entry, before }: Write): void => {
  if (entry.verb === 'reboot') known.rebootsAtMs.push(entry.atMs);
  if (entry.verb !== 'rename') return;
  known.names.add(entry.argument);
  if (before.name.startsWith(poolPrefix) && !entry.argument.startsWith(poolPrefix))
    known.wipesWhenTaken = toldWipes(before);
};
