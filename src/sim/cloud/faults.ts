/**
 * What may go wrong at Scaleway, as switches: each names its row F01–F33 of the fault list. Some stand in for answers, for so
 * many calls or with a probability, before or after the effect (fault-answers.ts); others change the truth (fault-changes.ts).
 */
import { FleetError } from '../../base/errors.ts';
import type { CloudCore } from './cloud-core.ts';
import { FAULT_ANSWERS } from './fault-answers.ts';
import { PROJECT_FAULTS, SERVER_FAULTS } from './fault-changes.ts';
import type { FaultAnswer, FaultScope } from './fault-switch.ts';

export const FAULT_IDS: readonly string[] = [FAULT_ANSWERS, SERVER_FAULTS, PROJECT_FAULTS]
  .flatMap((table) => Object.keys(table))
  .toSorted();

/** Switches a fault on. One that changes servers changes all of them when the scope names none. */
export const switchOn = (core: CloudCore, id: string, scope: FaultScope = {}): void => {
  const { answered, server, project } = lookUp(id);
  if (answered !== undefined) {
    const left = scope.count ?? Number.POSITIVE_INFINITY;
    core.state.faults.push({ ...answered.scope, ...scope, id, answer: answered.answer, left });
  }
  project?.on(core);
  if (server !== undefined) for (const serverId of serversOf(core, scope)) server.on(core, serverId);
};

/** Takes it back, where that is possible without a person; what it has done stays done. */
export const switchOff = (core: CloudCore, id: string, scope: FaultScope = {}): void => {
  const { answered, server, project } = lookUp(id);
  const { state } = core;
  if (answered !== undefined) {
    const kept = state.faults.filter((fault) => fault.id !== id || !isWithin(fault, scope));
    state.faults.splice(0, state.faults.length, ...kept);
  }
  project?.off?.(core);
  if (server?.off !== undefined) for (const serverId of serversOf(core, scope)) server.off(core, serverId);
};

const isWithin = (fault: FaultScope, { verb, serverId }: FaultScope): boolean =>
  (verb === undefined || fault.verb === verb) && (serverId === undefined || fault.serverId === serverId);

const lookUp = (id: string) => {
  const found = { answered: own(FAULT_ANSWERS, id), server: own(SERVER_FAULTS, id), project: own(PROJECT_FAULTS, id) };
  if (Object.values(found).some((fault) => fault !== undefined)) return found;
  throw new FleetError('invalid', {
    code: 'NoSuchFault',
    message: `there is no fault "${id}"`,
    hint: `There are: ${FAULT_IDS.join(', ')}.`,
  });
};

const serversOf = ({ state }: CloudCore, { serverId }: FaultScope): readonly string[] => {
  if (serverId === undefined) return [...state.servers.keys()];
  if (state.servers.has(serverId)) return [serverId];
  throw new FleetError('invalid', { code: 'NoSuchServer', message: `there is no simulated server ${serverId}` });
};

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** The answer of the first switch that this call meets at this moment; uses it up. */
export const drawFault = (
  { state, random }: CloudCore,
  call: { readonly verb: string; readonly serverId: string; readonly when: 'before' | 'after' },
): FaultAnswer | undefined => {
  for (const fault of state.faults) {
    const isMeant =
      fault.left > 0 &&
      (fault.when ?? 'before') === call.when &&
      (fault.verb ?? call.verb) === call.verb &&
      (fault.serverId ?? call.serverId) === call.serverId;
    if (!isMeant || (fault.probability !== undefined && random.next() >= fault.probability)) continue;
    fault.left -= 1;
    return fault.answer;
  }
  return undefined;
};
