/**
 * What a manager process works on: simulated Macs inside of it, or a Scaleway project. Either loads only what it needs, so that
 * a manager in production holds no simulator.
 */
import type { KubeClient } from '../kube/client/client.ts';
import type { ConnectDeps } from '../kube/client/connect.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';

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

export interface OpenProviderDeps extends ConnectDeps {
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the Clusters and Machines are; all namespaces without it. */
  readonly namespace?: string | undefined;
}

export interface OpenedProvider {
  readonly ports: ProviderPorts;
  close(): Promise<void>;
}

export const openProvider = (
  work: SimulatedWork | ScalewayWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> =>
  work.on === 'scaleway' ? openOnScaleway(work, deps, signal) : openSimulated(work, deps, signal);

const openOnScaleway = async (
  { credentialsDirectory, zones, poolPrefix }: ScalewayWork,
  deps: OpenProviderDeps,
  signal: AbortSignal,
): Promise<OpenedProvider> => {
  const { openScaleway } = await import('../scaleway/adapter/open-scaleway.ts');
  const { createCloudMetrics } = await import('../scaleway/adapter/cloud-metrics.ts');
  const { createAbsentSessions, createScalewayPorts } = await import('./scaleway-provider.ts');
  const { clock, random, logger, host, env, client, metrics, namespace } = deps;
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
  const { clock, random, logger, host, client, namespace } = deps;
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
