/**
 * A whole fleet in this process: the embedded control plane over HTTPS, its controllers, the provider, a simulated cloud
 * and simulated Macs whose agents join as Nodes. Simulated times are compressed, and whoever starts this says so.
 */
import { linkedController } from '../../base/abort.ts';
import type { Secret } from '../../base/secret.ts';
import { ADMIN, nodeUser } from '../../controlplane/auth/user.ts';
import { KUBELET_CLIENT } from '../../controlplane/node-connection.ts';
import { type ServedControlPlane, serveControlPlane } from '../../controlplane/serve-control-plane.ts';
import { ALL_KINDS } from '../../kinds/all-kinds.ts';
import { toCustomResourceDefinition } from '../../kinds/schema/crd.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { createManager } from '../../provider/create-manager.ts';
import { createServeNode } from '../../sim/node/node-server.ts';
import { CAPI_REMOTE, POLICIES, PROVIDER, PROVIDER_RIGHTS } from '../../world/identities.ts';
import { createSimulatedPorts, type SimulationOptions, startSimulation } from '../../world/simulated-provider.ts';
import { createOrIgnore } from './create-or-ignore.ts';

export interface FleetOptions extends Omit<SimulationOptions, 'clientForNode' | 'serveNode'> {
  readonly port: number;
  readonly databaseFile?: string;
  /** `elsewhere`: another process is the provider and has the Macs (bin/manager.ts). */
  readonly provider: 'here' | 'elsewhere';
}

export interface Fleet {
  readonly url: string;
  readonly kubeconfig: Secret<string>;
  /** For Cluster API, on the cluster that the Macs join: this one. */
  readonly remoteKubeconfig: Secret<string>;
  readonly client: KubeClient;
  /** Settles when everything has stopped; rejects when a part failed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const CRDS: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

export const startFleet = async (options: FleetOptions, signal: AbortSignal): Promise<Fleet> => {
  const plane = await serveControlPlane(options);
  const { url, kubeconfig } = plane;
  try {
    const inside = await startInside(options, plane, signal);
    return {
      ...{ ...inside, url, kubeconfig, remoteKubeconfig: plane.kubeconfigFor(CAPI_REMOTE) },
      stop: async () => {
        await inside.stop();
        await plane.close();
      },
    };
  } catch (error) {
    await plane.close();
    throw error;
  }
};

/** Everything that speaks to the API: the kinds, the controllers, the provider, and the world they work on. */
const startInside = async (
  options: FleetOptions,
  plane: ServedControlPlane,
  signal: AbortSignal,
): Promise<Pick<Fleet, 'client' | 'ended' | 'stop'>> => {
  const life = linkedController(signal);
  const client = plane.clientFor(ADMIN);
  for (const kind of ALL_KINDS) {
    await createOrIgnore(client, { resource: CRDS, object: toCustomResourceDefinition(kind) }, life.signal);
  }
  for (const guard of [...PROVIDER_RIGHTS, ...POLICIES]) await createOrIgnore(client, guard, life.signal);
  const parts = options.provider === 'here' ? await startProvider(options, plane, life.signal) : NOTHING;
  const controllers = plane.runControllers(life.signal);
  const ended = Promise.all([controllers, parts.ended])
    .then(() => undefined)
    .finally(() => life.abort());
  return {
    client,
    ended,
    stop: async () => {
      life.abort();
      await ended.catch(() => undefined);
      await parts.stop();
    },
  };
};

interface ProviderParts {
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const NOTHING: ProviderParts = { ended: Promise.resolve(), stop: () => Promise.resolve() };

/** The provider, and the simulated cloud and Macs that it works on. */
const startProvider = async (
  options: FleetOptions,
  plane: ServedControlPlane,
  signal: AbortSignal,
): Promise<ProviderParts> => {
  const client = plane.clientFor(PROVIDER);
  const clientForNode = (name: string): KubeClient => plane.clientFor(nodeUser(name));
  const serveNode = createServeNode({
    ...{ host: '127.0.0.1', clientAuthority: plane.authority, caller: KUBELET_CLIENT.name },
  });
  const simulation = startSimulation({ ...options, clientForNode, serveNode }, signal);
  try {
    const manager = createManager(await createSimulatedPorts({ ...options, client }, simulation, signal));
    return { ended: manager.run(signal), stop: simulation.stop };
  } catch (error) {
    await simulation.stop();
    throw error;
  }
};
