/**
 * A Machine of core in another namespace that still names the Node a machine is about to become (R6). Its infrastructure may be gone
 * with its Mac's record, so that nothing else of ours tells of it; paused, it keeps that Node's name for as long as people like.
 */
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { ProviderCaches } from '../host/host-caches.ts';

/** The namespace of the first, as the API has it; undefined: nobody is known by that name. Where there is no Cluster there is no Machine. */
export const findNamesake = async (
  { clusters }: Pick<ProviderCaches, 'clusters'>,
  { metadata: { namespace: own, name } }: ScalewayAppleSiliconMachine,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<string | undefined> => {
  const namespaces = new Set(clusters.list().map(({ metadata }) => metadata.namespace ?? ''));
  namespaces.delete(own ?? '');
  for (const namespace of namespaces) {
    const machine = await readIfThere(CLUSTER_API_RESOURCES.machines, { namespace, name }, context);
    if (machine?.status?.nodeRef?.name === name) return namespace;
  }
  return undefined;
};
