/**
 * The provider's ports on a simulated cloud and simulated Macs, in real time: for `macfleet up`, and for a manager that is to
 * work on a real cluster without a single real Mac. Times are compressed by `speedUp`.
 */
import { linkedController } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import { LABELS } from '../kinds/labels.ts';
import { toClusterId } from '../kinds/names.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { NAMESPACES } from '../kube/types/core.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { DEFAULT_LIMITS, DEFAULT_ROLL, type JoinCredentials } from '../provider/host/ports.ts';
import { connectCloud } from '../scaleway/adapter/connect.ts';
import { createSimulatedCredentials } from '../scaleway/adapter/credentials.ts';
import { createSimCloud, type SimCloud } from '../sim/cloud/sim-cloud.ts';
import { createSimCloudTransport } from '../sim/cloud/transports.ts';
import type { AgentStart } from '../sim/mac/mac-agent.ts';
import { createSimMacs, type SimMacs } from '../sim/mac/sim-macs.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { runNodeAgent } from '../sim/node/node-agent.ts';
import type { ServeNode } from '../sim/node/node-server.ts';
import type { SavedSimulation } from './saved-simulation.ts';

export interface SimulationOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly macs: number;
  /** How much faster than life the simulated cloud and Macs are. */
  readonly speedUp: number;
  /** As whom the agent on a Mac speaks to the cluster; the kubeconfig is the one that its bootstrap put there. */
  readonly clientForNode: (nodeName: string, kubeconfig: Secret<string>) => KubeClient | Promise<KubeClient>;
  /** Serves the logs of a Node's Pods; without it there are none. */
  readonly serveNode?: ServeNode;
  /** The simulated Scaleway project; a manager touches no host of another (R1). */
  readonly projectId?: string;
  /** The simulation of an earlier run, to go on with. */
  readonly saved?: SavedSimulation;
  /** Called with the whole simulation after each of its changes. */
  readonly save?: (simulation: Omit<SavedSimulation, 'version'>) => void;
}

export interface Simulation {
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  /** Ends it: settles when all agents have ended. */
  stop(): Promise<void>;
}

const POOL_PREFIX = 'tuist-pool-';

/** Simulated Macs let this key in; real fleets have one each, made by the provider. */
const FLEET_KEY = new Secret('the simulated fleet key');

/** The cloud with its Macs; an agent that a bootstrap starts on a Mac is a Node agent in this process. */
export const startSimulation = (options: SimulationOptions, signal: AbortSignal): Simulation => {
  const { clock, random, logger, speedUp, saved } = options;
  const timeScale = 1 / speedUp;
  const agents: Promise<unknown>[] = [];
  const onChange = (): void => options.save?.({ cloud: cloud.save(), disks: macs.save() });
  const kept = saved === undefined ? {} : { saved: saved.cloud };
  const project = options.projectId === undefined ? {} : { projectId: options.projectId };
  const cloud = createSimCloud({ clock, random: random.stream('cloud'), timeScale, onChange, ...project, ...kept });
  const fresh = Math.max(options.macs - cloud.servers().length, 0);
  const startAgent = (start: AgentStart) => {
    const agent = linkedController(signal);
    const running = runAgent(options, start, agent.signal);
    agents.push(running.catch((error: unknown) => logger.error('Node agent ended', { node: start.nodeName, error })));
    return () => agent.abort();
  };
  const macs = createSimMacs({
    ...{ cloud, clock, random: random.stream('macs'), fleetKey: FLEET_KEY, timeScale, onChange, startAgent },
    ...(saved === undefined ? {} : { saved: saved.disks }),
  });
  for (let at = 1; at <= fresh; at += 1) cloud.addServer({ name: `${POOL_PREFIX}${at}` });
  onChange();
  return {
    cloud,
    macs,
    stop: async () => {
      macs.stop();
      cloud.stop();
      await Promise.all(agents);
    },
  };
};

const runAgent = async (
  options: SimulationOptions,
  { nodeName, providerId, fleet, kubeconfig }: AgentStart,
  signal: AbortSignal,
): Promise<void> => {
  const { clock, random, logger } = options;
  const capacity = { cpu: '8', memory: '14Gi', pods: '3' };
  const facts = { nodeName, providerId, labels: { [LABELS.fleet]: fleet }, capacity };
  const client = await options.clientForNode(nodeName, kubeconfig);
  const serving = options.serveNode === undefined ? {} : { serve: options.serveNode };
  await runNodeAgent({ client, clock, random, logger, ...facts, ...serving }, signal);
};

/** What `createManager` needs besides a lease and metrics. */
export const createSimulatedPorts = async (
  options: Pick<SimulationOptions, 'clock' | 'random' | 'logger' | 'speedUp'> & {
    readonly client: KubeClient;
    /** What Macs join with; without it something that only a simulated API takes. */
    readonly join?: JoinCredentials;
    readonly namespace?: string;
  },
  { cloud, macs }: Simulation,
  signal: AbortSignal,
): Promise<ProviderPorts> => {
  const { client, clock, random, logger, speedUp } = options;
  const kubeSystem = await client.get(NAMESPACES, { name: 'kube-system' }, { signal });
  const compressed = (lifeMs: number): number => Math.max(Math.round(lifeMs / speedUp), 100);
  return {
    ...{ client, clock, random, ids: createIds(random), logger },
    cloud: connectCloud({
      ...{ clock, random, credentials: createSimulatedCredentials(cloud.projectId) },
      transport: createSimCloudTransport(cloud, { clock, latencyMs: 2 }),
    }),
    preparer: createHostPreparer({ hosts: macs.hosts, clock, ...createStepLevelConfiguration() }),
    join: options.join ?? { issue: async (nodeName) => new Secret(`kubeconfig of ${nodeName}`) },
    fleetKeys: { privateKeyOf: async () => FLEET_KEY },
    settings: {
      projectId: cloud.projectId,
      zones: [cloud.zone],
      poolPrefix: POOL_PREFIX,
      clusterId: toClusterId(kubeSystem.metadata.uid ?? ''),
      ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
      limits: DEFAULT_LIMITS,
      roll: DEFAULT_ROLL,
      servingAddresses: ['127.0.0.1'],
      times: {
        claimHoldMs: compressed(36_000),
        quietMs: compressed(60_000),
        recordMaxAgeMs: 30_000,
        pollMs: compressed(10_000),
        inventoryMs: compressed(30_000),
        bootstrapTimeoutMs: 120_000,
        nodeWaitMs: 30_000,
        bootstrapBackoff: { initialMs: compressed(60_000), maxMs: compressed(600_000) },
      },
    },
  };
};
