/**
 * What a manager process works on: simulated Macs inside of it, or a Scaleway project. Either loads only what it needs, so that
 * a manager in production holds no simulator.
 */
import type { KubeClient } from '../kube/client/client.ts';
import type { ConnectDeps } from '../kube/client/connect.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import type { HostLimits } from '../provider/host/host-view.ts';
import type { RollSettings } from '../provider/host/ports.ts';
import type { ClusterAccess } from './cluster-access.ts';

export interface SimulatedWork {
  readonly on: 'simulated-macs';
  readonly macs: number;
  readonly speedUp: number;
  readonly projectId?: string | undefined;
  /** What Macs join with; without it they speak as the manager does. */
  readonly joinKubeconfig?: string | undefined;
}

export interface ScalewayWork {
  readonly on: 'scaleway';
  readonly credentialsDirectory?: string | undefined;
  readonly zones?: readonly string[] | undefined;
  readonly poolPrefix: string;
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
  const { limits, roll, poolNamespaces, spread } = rules;
  return {
    ports: {
      ...opened.ports,
      ...remote,
      ...(spread === undefined ? {} : { spread: { ...spread, calmMs: SPREAD_CALM_MS } }),
      settings: { ...opened.ports.settings, limits, roll, poolNamespaces },
    },
    close: opened.close,
  };
};

const toRemote = async ({ rules, access }: OpenProviderDeps): Promise<NonNullable<ProviderPorts['remote']>> => {
  const { forCore: server, authority } = await access();
  const account = { namespace: rules.secretsNamespace, name: rules.remoteAccount };
  return { server, authority, account, tokenLifeMs: REMOTE_TOKEN_LIFE_MS };
};

const openOnScaleway = async (
  { credentialsDirectory, zones, poolPrefix }: ScalewayWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> => {
  const { openScaleway } = await import('../scaleway/adapter/open-scaleway.ts');
  const { createCloudMetrics } = await import('../scaleway/adapter/cloud-metrics.ts');
  const { createAbsentSessions, createScalewayPorts } = await import('./scaleway-provider.ts');
  const { clock, random, logger, host, env, client, metrics, rules } = deps;
  const scaleway = await openScaleway(
    {
      ...{ clock, random, env, readText: host.readText, observer: createCloudMetrics(metrics.registry) },
      ...(credentialsDirectory === undefined ? {} : { credentialsDirectory }),
      ...(zones === undefined ? {} : { zones }),
    },
    signal,
  );
  const { apiUrl, projectId } = scaleway;
  logger.info('Working on a Scaleway project', { apiUrl, projectId, zones: scaleway.zones });
  logger.warn('No sessions on Macs yet: they are put on record and claimed, and none is prepared');
  const sessions = createAbsentSessions();
  const { namespace } = rules;
  const common = { client, clock, random, logger, ...(namespace === undefined ? {} : { namespace }) };
  try {
    const ports = await createScalewayPorts({ ...common, scaleway, sessions, poolPrefix }, signal);
    return { ports, close: scaleway.close };
  } catch (error) {
    await scaleway.close();
    throw error;
  }
};

const openSimulated = async (
  { macs, speedUp, projectId, joinKubeconfig }: SimulatedWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> => {
  const { createNodeLogins } = await import('./node-login.ts');
  const { createSimulatedPorts, startSimulation } = await import('./simulated-provider.ts');
  const { clock, random, logger, host, client, rules } = deps;
  const { namespace } = rules;
  logger.warn('Working on simulated Macs: no real Mac and no real account is touched', { macs, speedUp });
  const common = { clock, random, logger, speedUp };
  const logins =
    joinKubeconfig === undefined ? undefined : createNodeLogins(joinKubeconfig, { host, clock, random, logger });
  const clientForNode = logins?.clientForNode ?? (() => client);
  const project = projectId === undefined ? {} : { projectId };
  const simulation = startSimulation({ ...common, macs, clientForNode, ...project }, signal);
  const chosen = { ...(logins && { join: logins.join }), ...(namespace === undefined ? {} : { namespace }) };
  return {
    ports: await createSimulatedPorts({ ...common, ...chosen, client }, simulation, signal),
    close: async () => {
      await simulation.stop();
      await logins?.close();
    },
  };
};
