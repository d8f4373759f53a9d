/**
 * The whole system on the virtual clock: embedded control plane, its controllers, managers with the provider, a simulated
 * cloud and Macs whose agents join. Everything that happens follows from the seed; actors can be killed and frozen.
 */
import { LABELS } from '../kinds/labels.ts';
import { type NodeLogin, readConfig } from '../kube/node/node-login.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import type { AuditEntry } from '../sim/cloud/call-log.ts';
import { createSimCloud, type SimCloud } from '../sim/cloud/sim-cloud.ts';
import { createKernel, type Kernel, type KernelOptions } from '../sim/kernel/kernel.ts';
import type { AgentStart } from '../sim/mac/mac-agent.ts';
import { type BatchNote, createSimMacs, type SimMacs } from '../sim/mac/sim-macs.ts';
import { runNodeAgent } from '../sim/node/node-agent.ts';
import {
  type ClusterObserver,
  createFleetCluster,
  FLEET_KEY,
  type FleetCluster,
  POOL_PREFIX,
  type SettledCluster,
} from './fleet-cluster.ts';
import { createFleetKubelets, type FleetKubelets } from './fleet-kubelets.ts';
import { type FleetPace, TRUE_PACE } from './fleet-pace.ts';
import { logInAsNode } from './world-login.ts';

export interface FleetWorldOptions extends KernelOptions {
  readonly macs: number;
  readonly managers?: readonly string[];
  /** Where the fleet's objects are; `default` unless given. */
  readonly namespace?: string;
  /** What the managers work with, where a test wants it otherwise. */
  readonly adjust?: (ports: ProviderPorts) => ProviderPorts;
  /** How many of the cloud's calls that are no writes are kept for `cloud.otherCalls`. */
  readonly callsKept?: number;
  /** As in production unless given. */
  readonly pace?: FleetPace;
  /** Macs run the real agent, with VMs of a simulated Tart; scripted ones unless given, which cost less. */
  readonly agents?: 'tart-kubelet';
  /** Is told of everything that happens to the truth, in the moment it happens. */
  readonly observer?: FleetObserver;
  /** What the API server acknowledges is in a log, from which it comes back after its death. */
  readonly keeps?: 'log';
  /** Its clusters begin as these were left (settle-cluster.ts). */
  readonly settled?: SettledClusters;
}

export interface SettledClusters {
  readonly first: SettledCluster;
  readonly second: SettledCluster;
}

/** The agent of a Mac, at its start or its end. */
export interface AgentEvent {
  readonly kind: 'started' | 'stopped';
  readonly nodeName: string;
  readonly providerId: string;
  /** The cluster it works for, by its address. */
  readonly server: string;
}

/** None may throw. */
export interface FleetObserver extends ClusterObserver {
  readonly onCloudWrite?: (entry: AuditEntry) => void;
  readonly onAgent?: (event: AgentEvent) => void;
  /** After every change of the disk of some Mac. */
  readonly onDisk?: () => void;
  /** After every batch of changes that a manager has had carried out on a Mac. */
  readonly onBatch?: (batch: BatchNote) => void;
  /** A further cluster is made: who is told of it? */
  readonly onCluster?: () => ClusterObserver & { readonly onReady: (cluster: FleetCluster) => void };
}

export interface FleetWorld extends FleetCluster {
  readonly kernel: Kernel;
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  /** Where Macs run the real agent. */
  readonly kubelets?: FleetKubelets;
  /** Another cluster in the same Scaleway project, with the same pool: a manager of its own, and no fleet. Made once. */
  secondCluster(): FleetCluster;
  /** What waits for its moment to do harm looks here first. */
  readonly trouble: { isOver: boolean };
  /** The second one, if it was made. */
  readonly second: FleetCluster | undefined;
  /** Called after every write of an actor that took effect, to the API or to a server. Returns how to stop. */
  onWrite(listener: (write: WriteNote) => void): () => void;
}

export interface WriteNote {
  /** `kube` or `cloud`. */
  readonly to: 'kube' | 'cloud';
  /** Plural of a kind; at Scaleway the verb. */
  readonly what: string;
}

const FIRST = { suffix: '', clusterId: '0a1b2c3d' };
/** Another cluster in the same project. */
export const SECOND = { suffix: '-2', clusterId: '0b2c3d4e', managers: ['manager-2'] };

/** What clusters of this world are known by in names that they give. */
export const CLUSTER_IDS: readonly string[] = [FIRST.clusterId, SECOND.clusterId];

export const createFleetWorld = (options: FleetWorldOptions): FleetWorld => {
  const kernel = createKernel(options);
  const { clock, random } = kernel.actor('world');
  const { observer = {}, pace = TRUE_PACE, namespace = 'default', callsKept, managers = ['manager'] } = options;
  const { adjust = (ports) => ports } = options;
  const bells = new Set<(write: WriteNote) => void>();
  const ring = (what: string): void => {
    for (const bell of bells) bell({ to: 'kube', what });
  };
  const onCloudWrite = (entry: AuditEntry): void => {
    observer.onCloudWrite?.(entry);
    if (entry.outcome === 'accepted') for (const bell of bells) bell({ to: 'cloud', what: entry.verb });
  };
  const cloud = createSimCloud({
    ...{ clock, random: random.stream('cloud'), onWrite: onCloudWrite },
    ...(callsKept === undefined ? {} : { callsKept }),
  });
  for (let at = 1; at <= options.macs; at += 1) cloud.addServer({ name: `${POOL_PREFIX}${at}` });
  const clusters: FleetCluster[] = [];
  const kubelets = options.agents === undefined ? undefined : createFleetKubelets(kernel);
  const macs = createMacs(cloud, { kernel, clusters, observer, pace, kubelets });
  const ground = { kernel, cloud, macs, pace, ...(kubelets && { kubelets }) };
  const shared = { namespace, adjust, ...(options.keeps && { keeps: options.keeps }) };
  const { settled } = options;
  const first = createFleetCluster(ground, {
    ...shared,
    ...FIRST,
    ...(settled && { settled: settled.first }),
    managers,
    observer: { ...observer, onWrite: ring },
  });
  clusters.push(first);
  let second: FleetCluster | undefined;
  const secondCluster = (): FleetCluster => {
    if (second !== undefined) return second;
    const its = observer.onCluster?.();
    second = createFleetCluster(ground, {
      ...shared,
      ...SECOND,
      ...(settled && { settled: settled.second }),
      observer: { ...its, onWrite: ring },
    });
    clusters.push(second);
    its?.onReady(second);
    return second;
  };
  const onWrite = (listener: (write: WriteNote) => void) => {
    bells.add(listener);
    return () => void bells.delete(listener);
  };
  // Both may be others later on, so they are asked for each time.
  const later = { store: { get: () => first.store }, second: { get: () => second } };
  return Object.defineProperties(
    { ...ground, secondCluster, onWrite, second, trouble: { isOver: false }, ...first },
    later,
  );
};

interface AgentParts {
  readonly kernel: Kernel;
  readonly clusters: readonly FleetCluster[];
  readonly pace: FleetPace;
  readonly observer: FleetObserver;
  readonly kubelets: FleetKubelets | undefined;
}

const createMacs = (cloud: SimCloud, parts: AgentParts): SimMacs => {
  const { clock, random } = parts.kernel.actor('world');
  const { onDisk, onBatch } = parts.observer;
  const onDown = parts.kubelets?.onDown;
  const { lookMs } = parts.pace;
  return createSimMacs({
    ...{ cloud, clock, random: random.stream('macs'), fleetKey: FLEET_KEY },
    startAgent: (start, disk) => startAgent(parts, { ...start, disk }),
    ...(onDisk && { onChange: onDisk }),
    ...(onBatch && { onBatch }),
    ...(onDown && { onDown }),
    ...(lookMs !== undefined && { lookMs }),
  });
};

const startAgent = (parts: AgentParts, start: AgentStart & NodeLogin): (() => void) => {
  const { clusters, observer, kubelets, pace } = parts;
  const { nodeName, providerId } = start;
  const { server } = readConfig(start);
  const cluster = clusters.find((candidate) => candidate.server === server);
  if (cluster === undefined) return () => undefined;
  const { logIn } = cluster;
  const pacing = pace.nodeRenewEveryMs === undefined ? {} : { renewEveryMs: pace.nodeRenewEveryMs };
  const { vmLookEveryMs } = pace;
  const looks = vmLookEveryMs === undefined ? {} : { vmLookEveryMs };
  const stop =
    kubelets?.start({ start, logIn, pace: { ...pacing, ...looks } }) ??
    startScripted(parts, { start, cluster, pacing });
  observer.onAgent?.({ kind: 'started', nodeName, providerId, server });
  return () => {
    observer.onAgent?.({ kind: 'stopped', nodeName, providerId, server });
    stop();
  };
};

interface ScriptedAgent {
  readonly start: AgentStart & NodeLogin;
  readonly cluster: FleetCluster;
  readonly pacing: { readonly renewEveryMs?: number };
}

const startScripted = ({ kernel }: AgentParts, { start, cluster, pacing }: ScriptedAgent): (() => void) => {
  const { nodeName, providerId, fleet } = start;
  const stop = new AbortController();
  const actor = kernel.actor(`node ${nodeName} ${providerId}`);
  const { clock, random, logger } = actor;
  const capacity = { cpu: '8', memory: '14Gi', pods: '3' };
  const facts = { nodeName, providerId, labels: { [LABELS.fleet]: fleet }, capacity };
  const { client, keepIdentity } = logInAsNode(actor, cluster.logIn, start);
  const options = { ...{ client, clock, random, logger, ...facts }, serve: cluster.agents.serve, ...pacing };
  actor.daemon('agent', () => runNodeAgent(options, stop.signal));
  actor.daemon('identity', () => keepIdentity(stop.signal));
  return () => stop.abort();
};
