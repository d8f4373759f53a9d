/** S13 once more, by the records: a Mac that a manager says is free was wiped after whoever worked on it last. */
import type { MacHost } from '../../../kinds/mac-host.ts';
import { parseServerName } from '../../../kinds/names.ts';
import type { SimServer } from '../../../sim/cloud/sim-server.ts';
import type { Happening, Truth } from '../truth.ts';

const POOLS = ['tuist-pool-'];

const isOnOffer = (host: MacHost | undefined): boolean =>
  host !== undefined &&
  host.metadata.deletionTimestamp === undefined &&
  [host.spec.claimRef, host.spec.release, host.spec.hold, host.spec.quarantine].every((part) => part === undefined);

/** A wipe that Scaleway only told of is not our lie: the next to use the Mac has to notice (R9). */
const toldWipes = ({ wipes, fakedWipes }: SimServer): number => wipes + fakedWipes;

/** The Mac that somebody just worked on: a manager by a batch, or an agent by its start, unless it is that of a disk that was kept (F23). */
const workedOn = (happening: Happening, truth: Truth): SimServer | undefined => {
  if (happening.is === 'batch') return truth.server(happening.batch.serverId);
  if (happening.is !== 'agent' || happening.agent.kind !== 'started') return undefined;
  const server = truth.server(happening.agent.providerId.split('/').at(-1) ?? '');
  return server?.fakedWipes === 0 ? server : undefined;
};

/** Whose pool name it has, a cluster cannot tell by it: what another one left half-way is noticed by its marks (R9). */
const isOfOthers = (truth: Truth, serverId: string): boolean =>
  truth.others().some((other) => {
    const { claimRef, release } = other.find('hosts', serverId)?.spec ?? {};
    const isNamed = other.list('machines').some(({ status }) => status?.serverID === serverId);
    return isNamed || claimRef !== undefined || release !== undefined;
  });

export const judgeOffers = (): ((happening: Happening, truth: Truth) => string | undefined) => {
  /** How often a Mac had been wiped when it was last worked on. */
  const usedAt = new Map<string, number>();
  return (happening, truth) => {
    const used = workedOn(happening, truth);
    if (used !== undefined) usedAt.set(used.id, toldWipes(used));
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { before, after } = happening.change;
    if (!isOnOffer(after) || isOnOffer(before)) return undefined;
    const server = truth.server(after?.metadata.name ?? '');
    if (server === undefined || parseServerName(server.name, POOLS)?.kind !== 'pool') return undefined;
    const isDirty = toldWipes(server) <= (usedAt.get(server.id) ?? -1);
    return isDirty && !isOfOthers(truth, server.id)
      ? `${server.id} is free by its record, and was not wiped since it was worked on`
      : undefined;
  };
};
