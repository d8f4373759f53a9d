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

/**
 * A Mac takes about a tenth of a second of this process until it is a Node, and a list of a thousand servers takes tens of milliseconds.
 * That is not compressed: a large fleet gets longer, or it would be given up and tried again while it only waits for its turn.
 */
const INVENTORY_PER_MAC_MS = 3;
const BOOTSTRAP_PER_MAC_MS = 600;
const NODE_PER_MAC_MS = 300;

/** An adoption is five requests, so this is also how fast Macs are admitted: about as fast as this process can make them Nodes. */
const SIMULATED_BUDGET = { burst: 100, perSecond: 50 };

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
  const compressed = (lifeMs: number): number => Math.max(Math.round(lifeMs / speedUp), 100);
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
      times: {
        claimHoldMs: compressed(36_000),
        quietMs: compressed(60_000),
        recordMaxAgeMs: 30_000,
        pollMs: compressed(10_000),
        inventoryMs: Math.max(compressed(30_000), macs * INVENTORY_PER_MAC_MS),
        bootstrapTimeoutMs: Math.max(120_000, macs * BOOTSTRAP_PER_MAC_MS),
        nodeWaitMs: Math.max(30_000, macs * NODE_PER_MAC_MS),
        bootstrapBackoff: { initialMs: compressed(60_000), maxMs: compressed(300_000) },
      },
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
