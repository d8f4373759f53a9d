/** The flags of bin/manager.ts, read: what it works on, where, and how far it may go. Their names are in manager-flags-table.ts. */
import { Command, type CommanderError, Option } from 'commander';
import { FleetError, toFleetError } from '../base/errors.ts';
import { isEqualJson } from '../base/json.ts';
import type { LeaseTimes } from '../kube/manager/leader-lease.ts';
import { DEFAULT_ROLL } from '../provider/host/ports.ts';
import type { Flag } from './manager-flags-flag.ts';
import { FLAG_GROUPS } from './manager-flags-table.ts';
import type { BindAddress, HostTimesProfile, OrderRule, PoolRule } from './manager-flags-values.ts';
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
  readonly sshPort: number;
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

type Env = Readonly<Record<string, string | undefined>>;

/** Prints help and ends the process where the arguments ask for that. */
export const parseManagerFlags = (args: readonly string[], env: Env = {}): ManagerFlags => {
  const command = createManagerCommand();
  const said = command.parse([...argsFrom(env), ...args], { from: 'user' }).opts<Said>();
  return {
    kubeconfig: said.kubeconfig,
    apiServerUrl: said.apiServerUrl,
    lease: said.leaderElect ? { namespace: said.leaseNamespace, ...said.leaseProfile } : undefined,
    metrics: said.metricsBindAddress,
    probes: said.healthProbeBindAddress,
    fleet: toRules(said),
    work: chooseWork(command, said),
    notes: judgeOthers(command),
  };
};

export const createManagerCommand = (): Command => {
  const command = new Command('manager')
    .description('the Cluster API provider for Mac fleets')
    .configureOutput({ outputError: () => undefined })
    // Help goes on to end the process.
    .exitOverride((error) => {
      if (error.exitCode !== 0) throw toUsageError(error);
    });
  for (const { title, flags } of FLAG_GROUPS) {
    for (const flag of flags) command.addOption(toOption(flag).helpGroup(title));
  }
  return command;
};

const toUsageError = ({ message }: CommanderError): FleetError =>
  new FleetError('invalid', {
    code: 'BadUsage',
    message: message.replace(/^error: /, '').replaceAll('\n', ' '),
    hint: 'Run it with --help for all flags.',
  });

const SIMULATION_ONLY = ['simulatedMacs', 'simulatedProject', 'joinKubeconfig'];

const toOption = ({ flag, is, standard, env, parse = (text) => text, repeats }: Flag): Option => {
  const option = new Option(flag, env === undefined ? is : `${is} (variable ${env})`);
  if (option.isBoolean()) return option.conflicts(SIMULATION_ONLY);
  const read = (text: string): unknown => namingFlag(option, () => parse(text));
  if (repeats === 'yes') {
    return option.default([], 'none').argParser((text, before: readonly unknown[]) => [...before, read(text)]);
  }
  option.argParser(read);
  return standard === undefined ? option : option.default(parse(standard), standard || 'none');
};

const namingFlag = <T>(option: Option, parse: () => T): T => {
  try {
    return parse();
  } catch (thrown) {
    const { kind, code, message, hint = '' } = toFleetError(thrown);
    throw new FleetError(kind, { code, message: `${option.long}: ${message}`, hint, cause: thrown });
  }
};

/** Variables count as flags that were given first, so that flags win. An empty one says nothing. */
const argsFrom = (env: Env): readonly string[] =>
  FLAG_GROUPS.flatMap(({ flags }) => flags).flatMap(({ flag, env: name }) => {
    const value = name === undefined ? '' : (env[name] ?? '');
    return value === '' ? [] : [`${flag.split(' ')[0]}=${value}`];
  });

/** Refuses what asks for something that is not here; returns sentences about what has no effect. */
const judgeOthers = (command: Command): readonly string[] =>
  FLAG_GROUPS.flatMap(({ flags }) => flags).flatMap((flag) => {
    const { otherwise, standard = '', parse = (text: string) => text } = flag;
    const { long, value } = readFlag(command, flag);
    if (otherwise === undefined || isEqualJson(value, parse(standard))) return [];
    if (otherwise.do === 'note') return [`${long} has no effect: ${otherwise.why}`];
    throw new FleetError('invalid', {
      code: 'FlagNotSupported',
      message: `${long} is set, but ${otherwise.why}`,
      hint: `Leave it out${flag.env === undefined ? '' : `, and the variable ${flag.env}`}; docs/compatibility.md says what else is not here.`,
    });
  });

const readFlag = (command: Command, { flag }: Flag): { readonly long: string; readonly value: unknown } => {
  const option = new Option(flag);
  const value: unknown = command.getOptionValue(option.attributeName());
  return { long: option.long ?? flag, value };
};

const toRules = (said: Said): FleetRules => {
  const { fleetSpreadDeployment: name, fleetSpreadNamespace, secretsNamespace, capiRemoteAccount } = said;
  return {
    namespace: said.namespace,
    secretsNamespace,
    remoteAccount: capiRemoteAccount ?? (said.scaleway === true ? 'capi-remote' : ''),
    limits: {
      rebootAfter: said.bootstrapRebootAfter,
      releaseAfter: said.bootstrapMaxAttempts,
      reinstallsPerHour: said.maxReinstallsPerHour,
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
