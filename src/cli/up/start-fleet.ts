/**
 * A whole fleet in this process: the embedded control plane over HTTPS, its controllers, the provider, a simulated cloud
 * and simulated Macs whose agents join as Nodes. Simulated times are compressed, and whoever starts this says so.
 */
import { linkedController } from '../../base/abort.ts';
import { createIds } from '../../base/ids.ts';
import { Secret } from '../../base/secret.ts';
import { issueClientCertificate, issueServerCertificate } from '../../controlplane/auth/client-certificate.ts';
import { renderKubeconfig } from '../../controlplane/auth/kubeconfig.ts';
import { ADMIN, type User } from '../../controlplane/auth/user.ts';
import { createCapiControllers } from '../../controlplane/capi/capi-controllers.ts';
import { type ControlPlane, createControlPlane } from '../../controlplane/control-plane.ts';
import { createCoreControllers } from '../../controlplane/core/core-controllers.ts';
import { type HttpsServer, startHttpsServer } from '../../controlplane/https-server.ts';
import { ALL_KINDS } from '../../kinds/all-kinds.ts';
import { toCustomResourceDefinition } from '../../kinds/schema/crd.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { createKubeClient } from '../../kube/client/create-client.ts';
import { createManager as createKubeManager } from '../../kube/manager/manager.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createManager } from '../../provider/create-manager.ts';
import { createSimulatedPorts, type SimulationOptions, startSimulation } from '../../world/simulated-provider.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { createFairTransport } from './fair-transport.ts';

export interface FleetOptions extends Omit<SimulationOptions, 'clientForNode'> {
  readonly port: number;
  readonly databaseFile?: string;
  /** `elsewhere`: another process is the provider and has the Macs (bin/manager.ts). */
  readonly provider: 'here' | 'elsewhere';
}

export interface Fleet {
  readonly url: string;
  readonly kubeconfig: Secret<string>;
  readonly client: KubeClient;
  /** Settles when everything has stopped; rejects when a part failed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const CRDS: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

export const startFleet = async (options: FleetOptions, signal: AbortSignal): Promise<Fleet> => {
  const { clock, random, logger, databaseFile } = options;
  const plane = createControlPlane({
    clock,
    random,
    logger,
    ...(databaseFile === undefined ? {} : { dataFile: databaseFile }),
  });
  const https = await serve(options, plane);
  const close = async (): Promise<void> => {
    await https.close();
    plane.close();
  };
  try {
    const inside = await startInside(options, plane, signal);
    return {
      ...inside,
      url: https.url,
      kubeconfig: adminKubeconfig(options, plane, https),
      stop: async () => {
        await inside.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Everything that speaks to the API: the kinds, the controllers, the provider, and the world they work on. */
const startInside = async (
  options: FleetOptions,
  plane: ControlPlane,
  signal: AbortSignal,
): Promise<Pick<Fleet, 'client' | 'ended' | 'stop'>> => {
  const life = linkedController(signal);
  const client = clientFor(options, plane, ADMIN);
  for (const kind of ALL_KINDS) {
    await createOrIgnore(client, { resource: CRDS, object: toCustomResourceDefinition(kind) }, life.signal);
  }
  const parts = options.provider === 'here' ? await startProvider(options, { plane, client }, life.signal) : NOTHING;
  const ended = Promise.all([runControllers(options, client, life.signal), parts.ended])
    .then(() => undefined)
    .finally(() => life.abort());
  return {
    client,
    ended,
    stop: async () => {
      life.abort();
      await ended.catch(() => undefined);
      await parts.stop();
    },
  };
};

interface ProviderParts {
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const NOTHING: ProviderParts = { ended: Promise.resolve(), stop: () => Promise.resolve() };

/** The provider, and the simulated cloud and Macs that it works on. */
const startProvider = async (
  options: FleetOptions,
  { plane, client }: { readonly plane: ControlPlane; readonly client: KubeClient },
  signal: AbortSignal,
): Promise<ProviderParts> => {
  const clientForNode = (name: string): KubeClient => clientFor(options, plane, nodeUser(name));
  const simulation = startSimulation({ ...options, clientForNode }, signal);
  try {
    const manager = createManager(await createSimulatedPorts({ ...options, client }, simulation, signal));
    return { ended: manager.run(signal), stop: simulation.stop };
  } catch (error) {
    await simulation.stop();
    throw error;
  }
};

const nodeUser = (name: string): User => ({
  name: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});

const clientFor = ({ clock, random, logger }: FleetOptions, plane: ControlPlane, user: User): KubeClient =>
  createKubeClient({ transport: createFairTransport(plane.transportFor(user)), clock, random, logger });

const serve = ({ clock, random, logger, port }: FleetOptions, { api, authority }: ControlPlane): Promise<HttpsServer> =>
  startHttpsServer({
    api,
    logger,
    port,
    serving: issueServerCertificate(
      { authority, clock, random },
      { dnsNames: ['localhost', 'kubernetes'], ipAddresses: ['127.0.0.1'] },
    ),
    clientAuthority: renderCertificate(authority.certificate),
  });

const adminKubeconfig = (
  { clock, random }: FleetOptions,
  { authority }: ControlPlane,
  { url }: HttpsServer,
): Secret<string> =>
  new Secret(
    renderKubeconfig({
      server: url,
      authority: renderCertificate(authority.certificate),
      client: issueClientCertificate({ authority, clock, random }, ADMIN),
      name: 'macfleet',
    }),
  );

const runControllers = (
  { clock, random, logger }: FleetOptions,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> => {
  const deps = { client, clock, random, logger, ids: createIds(random) };
  const sets = [
    createCoreControllers({ ...deps, collected: ALL_KINDS.map(({ resource }) => resource) }),
    createCapiControllers(deps),
  ];
  const caches = sets.flatMap((set) => set.caches);
  const controllers = sets.flatMap((set) => set.controllers);
  const flush = () => Promise.all(sets.map(({ events }) => events.flush())).then(() => undefined);
  const events = { publish: () => undefined, flush };
  return createKubeManager({ name: 'controlplane', client, clock, random, logger, caches, controllers, events }).run(
    signal,
  );
};
