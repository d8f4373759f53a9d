/** Sets the stage for the attempts: objects of the Mac, of a neighbour and of nobody, in a namespace of their own. */
import { neverAborted } from '../../../src/base/abort.ts';
import { isKind } from '../../../src/base/errors.ts';
import { LABELS } from '../../../src/kinds/labels.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { LEASES } from '../../../src/kube/types/coordination.ts';
import { NODES, PODS, SECRETS } from '../../../src/kube/types/core.ts';
import type { Cluster } from '../bench/cluster.ts';
import { installKinds } from '../bench.ts';
import { newId } from '../kinds/kinds-scene.ts';
import { eventually } from '../kube/scene.ts';
import type { Stage } from './attempt.ts';
import { renderStage } from './stage-objects.ts';

export interface NodeIdentity {
  readonly nodeName: string;
  /** Path of a kubeconfig with the certificate of `system:node:<nodeName>`. */
  readonly kubeconfig: string;
}

interface SetStage extends Stage {
  /** Takes everything away again. */
  strike(): Promise<void>;
}

/** The Node of the identity must have been registered. */
export const setStage = async (cluster: Cluster, { nodeName, kubeconfig }: NodeIdentity): Promise<SetStage> => {
  const [admin, self] = [await cluster.client(), await cluster.client(kubeconfig)];
  const id = newId().slice(0, 8);
  const namespace = `node-identity-${id}`;
  const names = { node: nodeName, neighbour: `neighbour-${id}`, namespace, host: newId(), request: namespace };
  const signal = neverAborted();
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: renderStage(names) });

  await installKinds(cluster);
  await kubectl(cluster, ['create', '-f', '-'], input);
  const label = { metadata: { labels: { [LABELS.restrictedFleet]: 'stage' } } };
  const ownNode = await admin.patch(NODES, { name: nodeName }, { type: 'merge', body: label }, { signal });
  await ensureLease(self, nodeName, signal);
  await untilRelated(self, namespace, signal);
  return {
    ...names,
    ownNode,
    ownPod: await admin.get(PODS, { namespace, name: 'mine' }, { signal }),
    neighboursPod: await admin.get(PODS, { namespace, name: 'theirs' }, { signal }),
    strike: async () => {
      const bare = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
      await admin.patch(PODS, { namespace, name: 'mine' }, bare, { signal });
      await kubectl(cluster, ['delete', '--wait=false', '--force', '--ignore-not-found', '-f', '-'], input);
    },
  };
};

const kubectl = async (cluster: Cluster, args: readonly string[], input: string): Promise<void> => {
  const { code, stderr } = await cluster.kubectl(args, { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
};

/** The first heartbeat, unless the agent had it already. */
const ensureLease = async (self: KubeClient, nodeName: string, signal: AbortSignal): Promise<void> => {
  const lease = { metadata: { name: nodeName, namespace: 'kube-node-lease' }, spec: { holderIdentity: nodeName } };
  await self.create(LEASES, lease, { signal }).catch((error: unknown) => {
    if (!isKind(error, 'exists')) throw error;
  });
};

/** The server learns some time after a Pod was bound what its Node may read for it. */
const untilRelated = (self: KubeClient, namespace: string, signal: AbortSignal): Promise<unknown> =>
  eventually('the server knows what the Node may read for its Pod', () =>
    self.get(SECRETS, { namespace, name: 'mine' }, { signal }).then(
      () => true,
      (error: unknown) => {
        if (!isKind(error, 'denied')) throw error;
        return false;
      },
    ),
  );
