/**
 * The provider's ports on a simulated cloud and simulated Macs, in real time: for `macfleet up`, and for a manager that is to
 * work on a real cluster without a single real Mac. Times are compressed by `speedUp`. The Macs are step-level
 * (step-level-macs.ts) or run real bash (real-bash-macs.ts).
 */
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import type { Secret } from '../base/secret.ts';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import { toClusterId } from '../kinds/names.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { NAMESPACES } from '../kube/types/core.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { DEFAULT_LIMITS, DEFAULT_ROLL, type FleetKeys, type JoinCredentials } from '../provider/host/ports.ts';
import { createFleetKeys } from '../provider/identity/fleet-keys.ts';
import { connectCloud } from '../scaleway/adapter/connect.ts';
import { createSimulatedCredentials } from '../scaleway/adapter/credentials.ts';
import type { SshKeys } from '../scaleway/port/cloud.ts';
import { registerSshKey } from '../scaleway/register-ssh-key.ts';
import type { SimCloud } from '../sim/cloud/sim-cloud.ts';
import { createSimCloudTransport } from '../sim/cloud/transports.ts';
import type { MacFaultSwitches } from '../sim/mac/mac-fault-list.ts';
import type { HostAccess } from './host-access.ts';
import { SECRETS_NAMESPACE } from './identities.ts';
import { SIMULATED_BUDGET, simulatedTimes } from './simulated-times.ts';

export interface SimulationOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly macs: number;
  /** How much faster than life the simulated cloud is, and step-level Macs are. */
  readonly speedUp: number;
  /** The simulated Scaleway project; a manager touches no host of another (R1). */
  readonly projectId?: string;
}

export interface Simulation {
  readonly cloud: SimCloud;
  /** What can happen to the Mac of this server. */
  readonly macOf: (serverId: string) => MacFaultSwitches;
  readonly access: HostAccess;
  /** That all Macs let in; undefined when they let in what the project knows, as real ones do. */
  readonly fleetKey: Secret<string> | undefined;
  /** Puts the Macs there. They let in the keys that the project knows by now. */
  deliver(): Promise<void>;
  /** Ends it: settles when all agents have ended. */
  stop(): Promise<void>;
}

export const POOL_PREFIX = 'tuist-pool-';

/** What `createManager` needs besides a lease and metrics. */
export const createSimulatedPorts = async (
  options: Pick<SimulationOptions, 'clock' | 'random' | 'logger' | 'speedUp' | 'macs'> & {
    readonly client: KubeClient;
    /** What Macs join with. */
    readonly join: JoinCredentials;
    readonly namespace?: string;
  },
  { cloud, access, fleetKey }: Simulation,
  signal: AbortSignal,
): Promise<ProviderPorts> => {
  const { client, clock, random, logger, speedUp, macs } = options;
  const kubeSystem = await client.get(NAMESPACES, { name: 'kube-system' }, { signal });
  const clusterId = toClusterId(kubeSystem.metadata.uid ?? '');
  const port = connectCloud({
    ...{ clock, random, credentials: createSimulatedCredentials(cloud.projectId) },
    transport: createSimCloudTransport(cloud, { clock, latencyMs: 2 }),
    requests: SIMULATED_BUDGET,
  });
  return {
    ...{ client, clock, random, ids: createIds(random), logger, cloud: port },
    preparer: createHostPreparer({ ...access, clock }),
    join: options.join,
    fleetKeys:
      fleetKey === undefined
        ? keepFleetKeys({ client, clock, random, clusterId }, port)
        : { privateKeyOf: async () => fleetKey, knownSince: async () => undefined },
    settings: {
      projectId: cloud.projectId,
      zones: [cloud.zone],
      poolPrefix: POOL_PREFIX,
      clusterId,
      ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
      limits: DEFAULT_LIMITS,
      roll: DEFAULT_ROLL,
      servingAddresses: ['127.0.0.1'],
      times: simulatedTimes({ speedUp, macs }),
    },
  };
};

interface KeyDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly clusterId: string;
}

const keepFleetKeys = ({ client, clock, random, clusterId }: KeyDeps, keys: SshKeys): FleetKeys =>
  createFleetKeys({
    ...{ client, clock, random, namespace: SECRETS_NAMESPACE },
    register: (key, signal) => registerSshKey(keys, { ...key, clusterId }, signal),
  });
