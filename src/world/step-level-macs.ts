/**
 * Step-level Macs in real time, with a simulated cloud: each answers our steps from a small model, and an agent that a
 * bootstrap starts on one is a Node agent in this process. They can be kept, and gone on with.
 */
import { linkedController } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { LABELS } from '../kinds/labels.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { NodeLogin } from '../kube/node/node-login.ts';
import type { AuditEntry } from '../sim/cloud/call-log.ts';
import { createSimCloud } from '../sim/cloud/sim-cloud.ts';
import type { AgentStart, StartAgent } from '../sim/mac/mac-agent.ts';
import type { DiskFate } from '../sim/mac/sim-mac.ts';
import { createSimMacs, type SimMacs } from '../sim/mac/sim-macs.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { switchesOfStepLevel } from '../sim/mac/step-level-faults.ts';
import { runNodeAgent } from '../sim/node/node-agent.ts';
import type { ServeNode } from '../sim/node/node-server.ts';
import type { SavedSimulation } from './saved-simulation.ts';
import { POOL_PREFIX, type Simulation, type SimulationOptions } from './simulated-provider.ts';

export interface StepLevelOptions extends SimulationOptions {
  /** As whom the agent on a Mac speaks to the cluster, by what lies on the Mac. */
  readonly clientForNode: (login: NodeLogin) => KubeClient | Promise<KubeClient>;
  /** Serves the logs of a Node's Pods; without it there are none. */
  readonly serveNode?: ServeNode;
  /** Runs in place of the scripted Node agent. */
  readonly runNode?: RunNode;
  /** Called when nothing runs on a Mac any more, at the end of its power and at a wipe. */
  readonly onDown?: (serverId: string, disk: DiskFate) => void;
  /** The simulation of an earlier run, to go on with. */
  readonly saved?: SavedSimulation;
  /** That all Macs let in; one that opens nothing but simulated Macs unless given. */
  readonly fleetKey?: Secret<string>;
  /** Told of every write that reaches the cloud, in the moment that it does. */
  readonly onCloudWrite?: (entry: AuditEntry) => void;
  /** Where the Mac of this number (from 1) answers; nowhere that anybody but this process reaches unless given. */
  readonly addressOf?: (at: number) => string;
  /** Called with the whole simulation after each of its changes. */
  readonly save?: (simulation: Omit<SavedSimulation, 'version'>) => void;
}

export interface StartedNode extends Pick<AgentStart, 'nodeName' | 'providerId' | 'fleet'> {
  readonly client: KubeClient;
  /** Fresh: no agent was ever on it, or it was wiped. */
  readonly disk: 'fresh' | 'used';
}

/** A Node from its start to its end. */
export type RunNode = (node: StartedNode, signal: AbortSignal) => Promise<void>;

/** They let this key in; real fleets have one each, made by the provider. */
const FLEET_KEY = new Secret('the simulated fleet key');

export interface StepLevelSimulation extends Simulation {
  readonly macs: SimMacs;
  readonly fleetKey: Secret<string>;
}

export const startStepLevelMacs = (options: StepLevelOptions, signal: AbortSignal): StepLevelSimulation => {
  const { clock, random, logger, speedUp, saved, addressOf, fleetKey = FLEET_KEY } = options;
  const timeScale = 1 / speedUp;
  const agents: Promise<unknown>[] = [];
  const onChange = (): void => options.save?.({ cloud: cloud.save(), disks: macs.save() });
  const before = saved === undefined ? {} : { saved: saved.cloud };
  const heard = options.onCloudWrite === undefined ? {} : { onWrite: options.onCloudWrite };
  const project = options.projectId === undefined ? {} : { projectId: options.projectId };
  const cloud = createSimCloud({
    clock,
    random: random.stream('cloud'),
    timeScale,
    onChange,
    ...project,
    ...before,
    ...heard,
  });
  const kept = cloud.servers().length;
  const startAgent: StartAgent = (start, memory) => {
    const agent = linkedController(signal);
    const running = runAgent(options, { ...start, disk: memory }, agent.signal);
    agents.push(running.catch((error: unknown) => logger.error('Node agent ended', { node: start.nodeName, error })));
    return () => agent.abort();
  };
  const macs = createSimMacs({
    ...{ cloud, clock, random: random.stream('macs'), fleetKey, timeScale, onChange, startAgent },
    ...(saved === undefined ? {} : { saved: saved.disks }),
    ...(options.onDown === undefined ? {} : { onDown: options.onDown }),
  });
  const addServer = (at: number): void => {
    cloud.addServer({ name: `${POOL_PREFIX}${at}`, ...(addressOf !== undefined && { address: addressOf(at) }) });
  };
  return {
    ...{ cloud, macs, fleetKey },
    macOf: (serverId) => switchesOfStepLevel(macs.mac(serverId)),
    access: { hosts: macs.hosts, ...createStepLevelConfiguration() },
    deliver: async () => {
      // Numbered behind those that an earlier run left.
      for (let at = kept + 1; at <= options.macs; at += 1) addServer(at);
      onChange();
    },
    stop: async () => {
      macs.stop();
      cloud.stop();
      await Promise.all(agents);
    },
  };
};

const runAgent = async (
  options: StepLevelOptions,
  { nodeName, providerId, fleet, kubeconfig, disk }: AgentStart & Pick<NodeLogin, 'disk'>,
  signal: AbortSignal,
): Promise<void> => {
  const { clock, random, logger } = options;
  const capacity = { cpu: '8', memory: '14Gi', pods: '3' };
  const facts = { nodeName, providerId, labels: { [LABELS.fleet]: fleet }, capacity };
  // Whoever logs in leaves an identity there.
  const isFresh = (await disk.read()) === undefined;
  const client = await options.clientForNode({ nodeName, kubeconfig, disk });
  if (options.runNode !== undefined) {
    await options.runNode({ client, nodeName, providerId, fleet, disk: isFresh ? 'fresh' : 'used' }, signal);
    return;
  }
  const serving = options.serveNode === undefined ? {} : { serve: options.serveNode };
  await runNodeAgent({ client, clock, random, logger, ...facts, ...serving }, signal);
};
