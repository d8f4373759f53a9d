/**
 * What a manager process works on: simulated Macs inside of it, or a Scaleway project. Either loads only what it needs, so that
 * a manager in production holds no simulator.
 */
import { Secret } from '../base/secret.ts';
import { createGitHub } from '../github/github-api.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { ConnectDeps } from '../kube/client/connect.ts';
import { readRequired } from '../kube/client/login/host-io.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { createRunnerRegistrations } from '../provider/fleet/runner-token.ts';
import type { HostLimits } from '../provider/host/host-view.ts';
import type { OrderLimits } from '../provider/host/plan-order.ts';
import type { JoinCredentials, RollSettings } from '../provider/host/ports.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { HostAccessOptions } from './host-access.ts';
import type { HostTimesProfile } from './manager-flags-values.ts';

export interface SimulatedWork {
  readonly on: 'simulated-macs';
  readonly macs: number;
  readonly speedUp: number;
  readonly projectId?: string | undefined;
  /** What Macs join with; without it each gets a token of its own. */
  readonly joinKubeconfig?: string | undefined;
}

export interface ScalewayWork extends HostAccessOptions {
  readonly on: 'scaleway';
  readonly credentialsDirectory?: string | undefined;
  readonly zones?: readonly string[] | undefined;
  readonly poolPrefix: string;
  readonly githubApiUrl: string;
  readonly hostTimes: HostTimesProfile;
}

/** What an operator allows and wants, whatever the Macs are. */
export interface FleetRules {
  /** Where the Clusters and Machines are; all namespaces without it. */
  readonly namespace: string | undefined;
  /** Where the fleets' keys are, and the account that Cluster API core comes as. */
  readonly secretsNamespace: string;
  /** That account; empty when somebody else keeps `<cluster>-kubeconfig`. */
  readonly remoteAccount: string;
  readonly limits: HostLimits;
  readonly roll: RollSettings;
  readonly poolNamespaces: ReadonlyMap<string, ReadonlySet<string>>;
  /** What may be rented. */
  readonly orders: OrderLimits;
  /** How many machines are worked on at once. */
  readonly machineWorkers: number;
  /** The Deployment whose Pods are spread over the Macs. */
  readonly spread: { readonly namespace: string; readonly name: string } | undefined;
}

export interface OpenProviderDeps extends ConnectDeps {
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly rules: FleetRules;
  /** Asked only by what has to show somebody the way to the cluster. */
  readonly access: () => Promise<ClusterAccess>;
}

export interface OpenedProvider {
  readonly ports: ProviderPorts;
  /** What keeps the outside from being worked on; undefined when nothing does. */
  notReadyBecause?(): string | undefined;
  close(): Promise<void>;
}

/** Of a token of core; it is renewed well before. */
const REMOTE_TOKEN_LIFE_MS = 86_400_000;
/** How long the set of ready Macs has to be the same before Pods are spread over it. */
const SPREAD_CALM_MS = 60_000;

export const openProvider = async (
  work: SimulatedWork | ScalewayWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> => {
  const { rules } = deps;
  // First, so that nothing is left open when it fails.
  const remote = rules.remoteAccount === '' ? {} : { remote: await toRemote(deps) };
  const opened = await (work.on === 'scaleway'
    ? openOnScaleway(work, deps, signal)
    : openSimulated(work, deps, signal));
  const { limits, roll, poolNamespaces, orders, machineWorkers, spread } = rules;
  return {
    ports: {
      ...opened.ports,
      ...remote,
      ...(spread === undefined ? {} : { spread: { ...spread, calmMs: SPREAD_CALM_MS } }),
      settings: {
        ...opened.ports.settings,
        originalsNamespace: rules.secretsNamespace,
        limits,
        roll,
        poolNamespaces,
        orders,
        machineWorkers,
      },
    },
    notReadyBecause: () => opened.notReadyBecause?.(),
    close: opened.close,
  };
};

const toRemote = async ({ rules, access }: OpenProviderDeps): Promise<NonNullable<ProviderPorts['remote']>> => {
  const { forCore: server, authority } = await access();
  const account = { namespace: rules.secretsNamespace, name: rules.remoteAccount };
  return { server, authority, account, tokenLifeMs: REMOTE_TOKEN_LIFE_MS };
};

const openOnScaleway = async (
  work: ScalewayWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> => {
  const { openScaleway } = await import('../scaleway/adapter/open-scaleway.ts');
  const { createCloudMetrics } = await import('../scaleway/adapter/cloud-metrics.ts');
  const { createKeyWatch } = await import('../scaleway/adapter/key-watch.ts');
  const { createHostSessions, createScalewayPorts, readClusterId } = await import('./scaleway-provider.ts');
  const { openHostAccess } = await import('./host-access.ts');
  const { credentialsDirectory, zones, poolPrefix } = work;
  const { clock, random, logger, host, env, client, metrics, rules } = deps;
  const access = await deps.access();
  const macs = await openHostAccess(work, clock, signal);
  const key = createKeyWatch({ clock, logger, observer: createCloudMetrics(metrics.registry) });
  const scaleway = await openScaleway(
    {
      ...{ clock, random, env, readText: host.readText, observer: key.observer },
      ...(credentialsDirectory === undefined ? {} : { credentialsDirectory }),
      ...(zones === undefined ? {} : { zones }),
    },
    signal,
  );
  const { apiUrl, projectId } = scaleway;
  logger.info('Working on a Scaleway project', { apiUrl, projectId, zones: scaleway.zones });
  const { namespace, secretsNamespace } = rules;
  const common = { client, clock, random, logger, ...(namespace === undefined ? {} : { namespace }) };
  try {
    const clusterId = await readClusterId(client, signal);
    const known = { sshKeys: scaleway.cloud, clusterId, secretsNamespace, access };
    const sessions = createHostSessions({ ...macs, client, clock, random, ...known });
    const ports = createScalewayPorts({
      ...{ ...common, scaleway, sessions, clusterId, poolPrefix, hostTimes: work.hostTimes },
    });
    const { createHttpToGitHub } = await import('../github/http-send.ts');
    const asking = key.start((until) => scaleway.cloud.listServers(scaleway.zones[0] ?? '', until));
    const toGitHub = createHttpToGitHub();
    const github = createGitHub({ send: toGitHub.send, clock, server: work.githubApiUrl });
    return {
      ports: { ...ports, runners: createRunnerRegistrations({ client, github }) },
      notReadyBecause: key.notReadyBecause,
      close: async () => {
        await asking.close();
        await toGitHub.close();
        await scaleway.close();
      },
    };
  } catch (error) {
    await scaleway.close();
    throw error;
  }
};

/** Gives every Mac the kubeconfig in the file, as it is at that time. */
const joinByFile = (path: string, { host }: Pick<ConnectDeps, 'host'>): JoinCredentials => ({
  issue: async () => new Secret(await readRequired(host, path)),
});

const openSimulated = async (
  { macs, speedUp, projectId, joinKubeconfig }: SimulatedWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> => {
  const { createNodeLogins } = await import('../kube/node/node-login.ts');
  const { createSimulatedPorts } = await import('./simulated-provider.ts');
  const { startStepLevelMacs } = await import('./step-level-macs.ts');
  const { clock, random, logger, host, client, rules } = deps;
  const { namespace } = rules;
  logger.warn('Working on simulated Macs: no real Mac and no real account is touched', { macs, speedUp });
  const common = { clock, random, logger, speedUp, macs };
  const logins = createNodeLogins({ host, clock, random, logger });
  const join = joinKubeconfig === undefined ? await issueTokens(deps) : joinByFile(joinKubeconfig, { host });
  const project = projectId === undefined ? {} : { projectId };
  const simulation = startStepLevelMacs({ ...common, ...project, clientForNode: logins.clientForNode }, signal);
  await simulation.deliver();
  const chosen = { join, ...(namespace === undefined ? {} : { namespace }) };
  const ports = await createSimulatedPorts({ ...common, ...chosen, client }, simulation, signal);
  return {
    ports: { ...ports, runners: SIMULATED_GITHUB },
    close: async () => {
      await simulation.stop();
      await logins.close();
    },
  };
};

/** Simulated builders register with nobody, so any token will do. */
const SIMULATED_GITHUB: NonNullable<ProviderPorts['runners']> = {
  registrationToken: async () => new Secret('simulated'),
};

const issueTokens = async ({ client, clock, random, access }: OpenProviderDeps): Promise<JoinCredentials> => {
  const { createJoinCredentials } = await import('../provider/identity/join-credentials.ts');
  const { forMacs: server, authority } = await access();
  return createJoinCredentials({ client, clock, random, cluster: { server, authority } });
};
