/** Whether people froze the machine that has a Mac: one rule, asked of what this process has heard, or of the API itself. */
import type { MacHost } from '../../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { renderKey } from '../../kube/types/meta.ts';
import { isPaused, isPausedNow } from '../cluster/pause.ts';
import type { ProviderCaches } from './host-caches.ts';

/** Whose pause freezes it: nobody's once it is to be given back, which goes its way (001-2). */
const holderOf = ({ spec }: MacHost): MacHost['spec']['claimRef'] =>
  spec.release === undefined ? spec.claimRef : undefined;

/** A machine that is being deleted goes, paused or not. */
const isStaying = (owner: ScalewayAppleSiliconMachine | undefined): owner is ScalewayAppleSiliconMachine =>
  owner !== undefined && owner.metadata.deletionTimestamp === undefined;

/** Then nothing new is begun for it. */
export const isOwnerPaused = (
  { machines, clusters }: Pick<ProviderCaches, 'machines' | 'clusters'>,
  host: MacHost,
): boolean => {
  const holder = holderOf(host);
  const owner = holder && machines.get(renderKey(holder));
  return isStaying(owner) && isPaused(clusters, owner);
};

/** As the API has it, because a cache may hear of it too late (F75). */
export const isOwnerPausedNow = async (
  host: MacHost,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<boolean> => {
  const holder = holderOf(host);
  const owner = holder && (await readIfThere(MACHINES, holder, context));
  return isStaying(owner) && (await isPausedNow(owner, context));
};
