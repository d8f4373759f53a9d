/** The flags of bin/manager.ts, read: what it works on, where, and how far it may go. Their names are in manager-flags-table.ts. */
import type { Command } from 'commander';
import { FleetError } from '../base/errors.ts';
import { argsFromEnv, createFlagCommand, type Env, judgeOthers } from '../base/flags/flag-command.ts';
import type { BindAddress } from '../base/flags/flag-values.ts';
import type { LeaseTimes } from '../kube/manager/leader-lease.ts';
import { DEFAULT_ROLL } from '../provider/host/ports.ts';
import { FLAG_GROUPS } from './manager-flags-table.ts';
import type { HostTimesProfile, OrderRule, PoolRule } from './manager-flags-values.ts';
import type { FleetRules, ScalewayWork, SimulatedWork } from './manager-ports.ts';

export interface ManagerFlags {
  readonly kubeconfig: string | undefined;
  /** The API server as Macs reach it. */
  readonly apiServerUrl: string | undefined;
  /** Undefined: this process acts as if it were alone. */
  readonly lease: LeaseFlags | undefined;
  readonly metrics: BindAddress | 'off';
  readonly probes: BindAddress | 'off';
  readonly fleet: FleetRules;
  readonly work: ScalewayWork | SimulatedWork;
  /** What was said to no effect, as sentences for the log. */
  readonly notes: readonly string[];
}

export interface LeaseFlags {
  readonly namespace: string | undefined;
  readonly times: LeaseTimes | undefined;
}

/** By commander's names. */
interface Said {
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly secretsNamespace: string;
  readonly apiServerUrl?: string;
  readonly capiRemoteAccount?: string;
  readonly leaderElect: boolean;
  readonly leaseNamespace?: string;
  readonly leaseProfile: { readonly times: LeaseTimes | undefined };
  readonly scaleway?: true;
  readonly scalewayCredentials?: string;
  readonly zones?: readonly string[];
  readonly orphanReclaimZones: readonly string[];
  readonly orphanReclaimClaimNamePrefix: string;
  readonly orphanReclaimInterval: number;
  readonly sshPort: number;
  readonly githubApiUrl: string;
  readonly hostTimes: HostTimesProfile;
  readonly defaultAdoptPoolPrefix: string;
  readonly poolNamespaces: readonly PoolRule[];
  readonly maxOrderedHosts: number;
  readonly maxOrdersPerDay: number;
  readonly orderNamespaces: readonly OrderRule[];
  readonly machineMaxConcurrentReconciles: number;
  readonly fleetSpreadDeployment: string;
  readonly fleetSpreadNamespace: string;
  readonly bootstrapRebootAfter: number;
  readonly bootstrapMaxAttempts: number;
  readonly maxReinstallsPerHour: number;
  readonly tartTarballPath: string;
  readonly tartkubeletRuntimePath: string;
  readonly tartkubeletBundlePath: string;
  readonly tartkubeletHostCpu: number;
  readonly tartkubeletHostMemoryMb: number;
  readonly tartkubeletMaxPods: number;
  readonly tartkubeletMaxUpdateAttempts: number;
  readonly tartkubeletTerminalRetryAfter: number;
  readonly metricsBindAddress: BindAddress | 'off';
  readonly healthProbeBindAddress: BindAddress | 'off';
  readonly simulatedMacs?: number;
  readonly simulatedProject?: string;
  readonly joinKubeconfig?: string;
  readonly speedUp: number;
}

/** Prints help and ends the process where the arguments ask for that. */
export const parseManagerFlags = (args: readonly string[], env: Env = {}): ManagerFlags => {
  const command = createManagerCommand();
  const said = command.parse([...argsFromEnv(FLAG_GROUPS, env), ...args], { from: 'user' }).opts<Said>();
  return {
    kubeconfig: said.kubeconfig,
    apiServerUrl: said.apiServerUrl,
    lease: said.leaderElect ? { namespace: said.leaseNamespace, ...said.leaseProfile } : undefined,
    metrics: said.metricsBindAddress,
    probes: said.healthProbeBindAddress,
    fleet: toRules(said),
    work: chooseWork(command, said),
    notes: judgeOthers(command, FLAG_GROUPS),
  };
};

export const createManagerCommand = (): Command =>
  createFlagCommand({ name: 'manager', is: 'the Cluster API provider for Mac fleets', groups: FLAG_GROUPS });

const toRules = (said: Said): FleetRules => {
  const { fleetSpreadDeployment: name, fleetSpreadNamespace, secretsNamespace, capiRemoteAccount } = said;
  const { orphanReclaimClaimNamePrefix: claimPrefix } = said;
  return {
    namespace: said.namespace,
    secretsNamespace,
    remoteAccount: capiRemoteAccount ?? (said.scaleway === true ? 'capi-remote' : ''),
    limits: {
      rebootAfter: said.bootstrapRebootAfter,
      releaseAfter: said.bootstrapMaxAttempts,
      reinstallsPerHour: said.maxReinstallsPerHour,
      ...(claimPrefix && { reclaim: { claimPrefix, afterMs: said.orphanReclaimInterval } }),
    },
    roll: {
      ...DEFAULT_ROLL,
      cap: said.tartkubeletMaxUpdateAttempts,
      retryAfterMs: said.tartkubeletTerminalRetryAfter,
    },
    poolNamespaces: toPoolNamespaces(said.poolNamespaces),
    orders: {
      maxHosts: said.maxOrderedHosts,
      maxPerDay: said.maxOrdersPerDay,
      namespaces: new Map(said.orderNamespaces.map(({ namespace, most }) => [namespace, most])),
    },
    machineWorkers: said.machineMaxConcurrentReconciles,
    spread: name === '' ? undefined : { name, namespace: fleetSpreadNamespace || secretsNamespace },
  };
};

/** Several rules for one pool add up. */
const toPoolNamespaces = (rules: readonly PoolRule[]): FleetRules['poolNamespaces'] => {
  const allowed = new Map<string, Set<string>>();
  for (const { prefix, namespaces } of rules) {
    allowed.set(prefix, new Set([...(allowed.get(prefix) ?? []), ...namespaces]));
  }
  return allowed;
};

const chooseWork = (command: Command, said: Said): ScalewayWork | SimulatedWork => {
  const { simulatedMacs: macs, speedUp, simulatedProject: projectId, joinKubeconfig } = said;
  if (said.scaleway === true) return toScalewayWork(command, said);
  if (macs !== undefined) return { on: 'simulated-macs', macs, speedUp, projectId, joinKubeconfig };
  throw new FleetError('invalid', {
    code: 'NothingToWorkOn',
    message: 'there is nothing to work on',
    hint: 'Say --scaleway, or --simulated-macs and how many.',
  });
};

const toScalewayWork = (command: Command, said: Said): ScalewayWork => {
  const { scalewayCredentials: credentialsDirectory, defaultAdoptPoolPrefix: poolPrefix, sshPort } = said;
  const given = command.getOptionValueSource('orphanReclaimZones') === 'cli' ? said.orphanReclaimZones : undefined;
  return {
    ...{
      on: 'scaleway',
      credentialsDirectory,
      zones: said.zones ?? given,
      poolPrefix,
      sshPort,
      githubApiUrl: said.githubApiUrl,
      hostTimes: said.hostTimes,
    },
    artefactPaths: {
      tart: said.tartTarballPath,
      node: said.tartkubeletRuntimePath,
      agent: said.tartkubeletBundlePath,
    },
    stepInputs: {
      hostCpu: String(said.tartkubeletHostCpu),
      hostMemoryMb: String(said.tartkubeletHostMemoryMb),
      maxPods: String(said.tartkubeletMaxPods),
    },
  };
};
