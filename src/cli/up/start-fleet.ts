/**
 * A whole fleet in this process: the embedded control plane over HTTPS, its controllers, the provider, a simulated cloud
 * and simulated Macs whose agents join as Nodes. Simulated times are compressed, and whoever starts this says so.
 */
import { linkedController } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { createIds } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { issueClientCertificate, issueServerCertificate } from '../../controlplane/auth/client-certificate.ts';
import { renderKubeconfig } from '../../controlplane/auth/kubeconfig.ts';
import { ADMIN, type User } from '../../controlplane/auth/user.ts';
import { createCapiControllers } from '../../controlplane/capi/capi-controllers.ts';
import { type ControlPlane, createControlPlane } from '../../controlplane/control-plane.ts';
import { createCoreControllers } from '../../controlplane/core/core-controllers.ts';
import { type HttpsServer, startHttpsServer } from '../../controlplane/https-server.ts';
import { createHostPreparer } from '../../hosts/host-preparer.ts';
import { ALL_KINDS } from '../../kinds/all-kinds.ts';
import { LABELS } from '../../kinds/labels.ts';
import { toClusterId } from '../../kinds/names.ts';
import { toCustomResourceDefinition } from '../../kinds/schema/crd.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { createKubeClient } from '../../kube/client/create-client.ts';
import { createManager as createKubeManager, type Manager } from '../../kube/manager/manager.ts';
import { NAMESPACES } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createManager } from '../../provider/create-manager.ts';
import { createSimCloudPort } from '../../sim/cloud/cloud-ports.ts';
import { createSimCloud, type SimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createSimMacs, type SimMacs } from '../../sim/mac/sim-macs.ts';
import { runNodeAgent } from '../../sim/node/node-agent.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { createFairTransport } from './fair-transport.ts';
import type { SavedSimulation } from './saved-simulation.ts';

export interface FleetOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly macs: number;
  readonly port: number;
  readonly databaseFile?: string;
  /** The simulation of an earlier run, to go on with. */
  readonly saved?: SavedSimulation;
  /** Called with the whole simulation after each of its changes. */
  readonly save: (simulation: Omit<SavedSimulation, 'version'>) => void;
  /** How much faster than life the simulated cloud and Macs are. */
  readonly speedUp: number;
}

export interface Fleet {
  readonly url: string;
  readonly kubeconfig: Secret<string>;
  readonly client: KubeClient;
  readonly cloud: SimCloud;
  /** Settles when everything has stopped; rejects when a part failed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const POOL_PREFIX = 'tuist-pool-';

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
): Promise<Pick<Fleet, 'client' | 'cloud' | 'ended' | 'stop'>> => {
  const life = linkedController(signal);
  const client = clientFor(options, plane, ADMIN);
  for (const kind of ALL_KINDS) {
    await createOrIgnore(client, { resource: CRDS, object: toCustomResourceDefinition(kind) }, life.signal);
  }
  const { cloud, macs, agentsEnded } = simulate(options, plane, life.signal);
  const provider = await createProvider(options, { client, cloud, macs }, life.signal);
  const ended = Promise.all([runControllers(options, client, life.signal), provider.run(life.signal)])
    .then(() => undefined)
    .finally(() => life.abort());
  return {
    client,
    cloud,
    ended,
    stop: async () => {
      life.abort();
      await ended.catch(() => undefined);
      macs.stop();
      cloud.stop();
      await agentsEnded();
    },
  };
};

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

interface Simulation {
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  /** Settles when all agents started so far have ended. */
  readonly agentsEnded: () => Promise<unknown>;
}

/** The cloud with its Macs; an agent that a bootstrap starts on a Mac is a Node agent in this process. */
const simulate = (options: FleetOptions, plane: ControlPlane, signal: AbortSignal): Simulation => {
  const { clock, random, logger, speedUp } = options;
  const timeScale = 1 / speedUp;
  const agents: Promise<unknown>[] = [];
  const { saved } = options;
  const onChange = (): void => options.save({ servers: cloud.save(), disks: macs.save() });
  const kept = saved === undefined ? {} : { saved: saved.servers };
  const cloud = createSimCloud({ clock, random: random.stream('cloud'), timeScale, onChange, ...kept });
  const fresh = Math.max(options.macs - cloud.servers().length, 0);
  for (let at = 1; at <= fresh; at += 1) cloud.addServer({ name: `${POOL_PREFIX}${at}` });
  const macs = createSimMacs({
    cloud,
    clock,
    random: random.stream('macs'),
    fleetKey: FLEET_KEY,
    timeScale,
    onChange,
    ...(saved === undefined ? {} : { saved: saved.disks }),
    startAgent: ({ nodeName, providerId, fleet }) => {
      const agent = linkedController(signal);
      const user = { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
      const facts = {
        nodeName,
        providerId,
        labels: { [LABELS.fleet]: fleet },
        capacity: { cpu: '8', memory: '14Gi', pods: '3' },
      };
      const running = runNodeAgent(
        { client: clientFor(options, plane, user), clock, random, logger, ...facts },
        agent.signal,
      );
      agents.push(running.catch((error: unknown) => logger.error('Node agent ended', { node: nodeName, error })));
      return () => agent.abort();
    },
  });
  onChange();
  return { cloud, macs, agentsEnded: () => Promise.all(agents) };
};

/** Simulated Macs let this key in; real fleets have one each, made by the provider. */
const FLEET_KEY = new Secret('the simulated fleet key');

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

const createProvider = async (
  options: FleetOptions,
  { client, cloud, macs }: { readonly client: KubeClient; readonly cloud: SimCloud; readonly macs: SimMacs },
  signal: AbortSignal,
): Promise<Manager> => {
  const { clock, random, logger, speedUp } = options;
  const kubeSystem = await client.get(NAMESPACES, { name: 'kube-system' }, { signal });
  const compressed = (lifeMs: number): number => Math.max(Math.round(lifeMs / speedUp), 100);
  return createManager({
    client,
    clock,
    random,
    ids: createIds(random),
    logger,
    cloud: createSimCloudPort(cloud, { clock, latencyMs: 2 }),
    preparer: createHostPreparer({ hosts: macs.hosts, clock }),
    join: { issue: async (nodeName) => new Secret(`kubeconfig of ${nodeName}`) },
    fleetKeys: { privateKeyOf: async () => FLEET_KEY },
    settings: {
      projectId: cloud.projectId,
      zones: [cloud.zone],
      poolPrefix: POOL_PREFIX,
      clusterId: toClusterId(kubeSystem.metadata.uid ?? ''),
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
  });
};
