/** Which of everything that happens is a write to a server by one of our managers. */
import type { AuditEntry, WriteVerb } from '../../../sim/cloud/call-log.ts';
import { CONSOLE } from '../../../sim/cloud/call-log.ts';
import type { Happening } from '../truth.ts';

/** The write, if it took effect and was one of ours, and of these verbs if any are named. */
export const acceptedByFleet = (happening: Happening, ...verbs: readonly WriteVerb[]): AuditEntry | undefined => {
  if (happening.is !== 'cloud-write') return undefined;
  const { entry } = happening;
  if (entry.outcome !== 'accepted' || entry.principal === CONSOLE || entry.serverId === '') return undefined;
  return verbs.length === 0 || verbs.includes(entry.verb) ? entry : undefined;
};
