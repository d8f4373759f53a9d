/**
 * One cluster of a simulated world: its API server, its controllers, its managers with the provider, and how people and
 * Macs get in. Several may share a cloud; none knows of another.
 */
import { neverAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { collectionOf } from '../controlplane/api/kinds/served-kind.ts';
import type { AnsweredRequest } from '../controlplane/auth/audit.ts';
import { CONTROLLER_MANAGER, controllerUser } from '../controlplane/auth/bootstrap/roles-for-controllers.ts';
import { ADMIN, type User } from '../controlplane/auth/user.ts';
import { createEmbeddedControllers } from '../controlplane/embedded-controllers.ts';
import { createNodeLogs } from '../controlplane/node-logs.ts';
import { keyFor, type Store } from '../controlplane/store/store.ts';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import type { HostPreparer } from '../hosts/port.ts';
import { ALL_KINDS } from '../kinds/all-kinds.ts';
import { LEASE_NAMES } from '../kinds/names.ts';
import { toCustomResourceDefinition } from '../kinds/schema/crd.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { parseKubeconfig } from '../kube/client/login/parse-kubeconfig.ts';
import { selectContext } from '../kube/client/login/select-context.ts';
import { createLeaderLease } from '../kube/manager/leader-lease.ts';
import { createManager as createKubeManager } from '../kube/manager/manager.ts';
import { type Authority, createAuthority } from '../pki/authority.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { createKeyPair } from '../pki/key.ts';
import { createManager, type ProviderPorts } from '../provider/create-manager.ts';
import { DEFAULT_LIMITS, DEFAULT_ROLL } from '../provider/host/ports.ts';
import { createJoinCredentials } from '../provider/identity/join-credentials.ts';
import { connectCloud } from '../scaleway/adapter/connect.ts';
import { createSimulatedCredentials } from '../scaleway/adapter/credentials.ts';
import type { SimCloud } from '../sim/cloud/sim-cloud.ts';
import { createKernelCloudTransport } from '../sim/cloud/transports.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import type { Kernel } from '../sim/kernel/kernel.ts';
import type { SimMacs } from '../sim/mac/sim-macs.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { type AgentsInProcess, createAgentsInProcess } from './agents-in-process.ts';
import { type ApiTrouble, createApiEdge, type EdgeObserver } from './api-edge.ts';
import type { FleetPace } from './fleet-pace.ts';
import { POLICIES, PROVIDER, REMOTE_ACCOUNT, renderRights } from './identities.ts';
import { createOperator, type Operator } from './operator.ts';
import { type Backup, createPlane, type Plane } from './plane.ts';
import { createWorldLogin, type LogIn, openWorldClient, showAlways } from './world-login.ts';

/** What clusters of one world share. */
export interface ClusterGround {
  readonly kernel: Kernel;
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  readonly pace: FleetPace;
}

export interface ClusterOptions {
  /** Ends the names of its actors; the first cluster has none. */
  readonly suffix: string;
  readonly clusterId: string;
  readonly managers: readonly string[];
  readonly namespace: string;
  readonly adjust: (ports: ProviderPorts) => ProviderPorts;
  readonly keeps?: 'log';
  readonly settled?: SettledCluster;
  readonly observer: ClusterObserver;
}

/** A cluster in which everything that people and controllers do at first is done; it knows of no fleet. */
export interface SettledCluster {
  readonly backup: Backup;
  readonly authority: Authority;
}

/** What a manager configures Macs with. */
export interface HostConfiguration {
  /** What it is recorded under on a MacHost. */
  readonly digest: string;
  /** Checksum of the agent's program in it. */
  readonly bundle: string;
}

/** None may throw. */
export interface ClusterObserver extends EdgeObserver {
  readonly onRequest?: (request: AnsweredRequest) => void;
  readonly onConfiguration?: (configuration: HostConfiguration) => void;
}

export interface FleetCluster {
  /** Where kubeconfigs find it. */
  readonly server: string;
  /** The truth that the API serves; of the present life of the API server. */
  readonly store: Store;
  readonly authority: Authority;
  readonly plane: Plane;
  readonly apiTrouble: ApiTrouble;
  readonly managers: readonly string[];
  readonly namespace: string;
  /** A person with kubectl: reads the truth, writes at once. */
  readonly operator: Operator;
  /** The same over the network of this world. */
  adminClient(actor: Actor): KubeClient;
  /** A process of this world, as whom it logs in. */
  clientAs(actor: Actor, user: User): KubeClient;
  /** Requests that somebody made without the right to; a write that was refused for its content is none. */
  readonly forbidden: readonly AnsweredRequest[];
  /** The managers start anew, with another host configuration. */
  upgrade(release: string): void;
  readonly logIn: LogIn;
  readonly agents: AgentsInProcess;
}

export const POOL_PREFIX = 'tuist-pool-';
export const FLEET_KEY = new Secret('the simulated fleet key');

export const createFleetCluster = (ground: ClusterGround, options: ClusterOptions): FleetCluster => {
  const { kernel, pace } = ground;
  const { suffix, namespace, managers, observer } = options;
  const world = kernel.actor(`world${suffix}`);
  const { clock, random } = world;
  const agents = createAgentsInProcess();
  const forbidden: AnsweredRequest[] = [];
  const onRequest = (request: AnsweredRequest): void => {
    observer.onRequest?.(request);
    if (request.code === 403 && !plane.authorize(request.attempt).isAllowed) forbidden.push(request);
  };
  const plane = createPlane({
    ...{ clock, random: random.stream('api'), logger: world.logger, onRequest },
    openNodeLog: createNodeLogs(agents.connectAs(world)),
    ...(pace.bookmarkEveryMs !== undefined && { bookmarkEveryMs: pace.bookmarkEveryMs }),
    ...(options.keeps && { keeps: options.keeps }),
    ...(options.settled && { initial: options.settled.backup }),
  });
  const edge = createApiEdge({
    ...{ handle: plane.api.handle, observer, revision: () => plane.store.revision },
    versionOf: ({ group, resource, namespace: within, name }) =>
      plane.store.get(collectionOf({ group, plural: resource }), keyFor(within, name))?.object.metadata.resourceVersion,
    schedule: (delayMs, run) => void kernel.schedule(delayMs, 'a late event', run),
  });
  plane.onReopened(() => edge.trouble.watches.breakAll('the API server was killed'));
  const server = `https://kubernetes${suffix}.world`;
  const authority = options.settled?.authority ?? createWorldAuthority(clock, random.stream('authority'));
  const logIn = createWorldLogin({ plane, edge, authority, clock, pace });
  const clientOf = (actor: Actor, user: User): KubeClient => {
    const handle = edge.handleFor(actor.name);
    return openWorldClient(actor, pace, { server: (request) => handle({ ...request, user }) });
  };
  const operator = createOperator(plane.api, namespace);
  if (options.settled === undefined) furnish(operator, namespace);
  kernel.boot(`controllers${suffix}`, (actor) =>
    runControllers(actor, { clientFor: (user) => clientOf(actor, user), authority, logIn, pace }),
  );
  let release = '1';
  for (const name of managers) {
    const common = { ...ground, ...options, server, authority: renderCertificate(authority.certificate) };
    const parts = (actor: Actor) => ({ ...common, client: clientOf(actor, PROVIDER), release });
    kernel.boot(name, (actor) => runManager(actor, parts(actor)));
  }
  return {
    ...{ server, authority, plane, operator, forbidden, managers, namespace, logIn, agents, apiTrouble: edge.trouble },
    get store() {
      return plane.store;
    },
    adminClient: (actor) => clientOf(actor, ADMIN),
    clientAs: clientOf,
    upgrade: (to) => {
      release = to;
      for (const name of managers) kernel.restart(name, 1_000);
    },
  };
};

/** What `helm install` brings. */
const furnish = (operator: Operator, namespace: string): void => {
  if (namespace !== 'default') operator.create('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const kind of ALL_KINDS) operator.create(CRD_PATH, toCustomResourceDefinition(kind));
  for (const guard of [...renderRights(namespace), ...POLICIES]) operator.apply(guard);
};

const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DAY_MS = 86_400_000;

/** Its signatures are not salted: the same seed gives the same bytes. */
const createWorldAuthority = (clock: Clock, random: Random): Authority =>
  createAuthority({
    ...{ subject: { commonName: 'the authority of this world' }, random, keyPair: createKeyPair(random, 'ed25519') },
    ...{ notBeforeMs: clock.now() - DAY_MS, notAfterMs: clock.now() + 3_650 * DAY_MS },
  });

interface ControllerParts {
  readonly clientFor: (user: User) => KubeClient;
  readonly authority: Authority;
  readonly logIn: LogIn;
  readonly pace: FleetPace;
}

/** The controllers of the control plane, for the life of their actor. */
const runControllers = async (actor: Actor, parts: ControllerParts): Promise<void> => {
  const { clientFor, authority, logIn, pace } = parts;
  const { clock, random, logger, ids } = actor;
  const deps = { client: clientFor(CONTROLLER_MANAGER), clock, random, logger, ids };
  const set = createEmbeddedControllers({
    ...{ ...deps, authority },
    clientFor: (account) => clientFor(controllerUser(account)),
    ...(pace.controllers && { pace: pace.controllers }),
    openRemote: async (kubeconfig, path) => {
      const { token } = selectContext(parseKubeconfig([{ path, text: kubeconfig.reveal() }])).login;
      return logIn(actor, showAlways(token === undefined ? {} : { token }));
    },
  });
  await createKubeManager({ ...deps, name: 'controllers', ...set }).run(neverAborted());
};

interface ManagerParts extends ClusterGround, Pick<ClusterOptions, 'adjust' | 'clusterId' | 'observer'> {
  /** Of the host configuration. */
  readonly release: string;
  readonly client: KubeClient;
  readonly server: string;
  /** PEM of the cluster's. */
  readonly authority: string;
}

/** One life of a manager process: when it loses the lease it starts over, as a restarted container does. */
const runManager = async (actor: Actor, parts: ManagerParts): Promise<void> => {
  const { client, pace, adjust } = parts;
  const { clock, random, logger } = actor;
  for (let term = 0; ; term += 1) {
    const lease = createLeaderLease({
      ...{ client, clock, random, logger },
      lease: { namespace: 'kube-system', name: LEASE_NAMES.manager },
      identity: `${actor.name}-${actor.epoch}-${term}`,
      ...(pace.leaderLease && { times: pace.leaderLease }),
    });
    const manager = createManager(adjust({ ...portsOf(actor, parts), lease }));
    await manager.run(neverAborted()).catch((error: unknown) => logger.info('Term ended', { error: String(error) }));
  }
};

const portsOf = (actor: Actor, parts: ManagerParts): ProviderPorts => {
  const { client, cloud, server, authority, pace, clusterId } = parts;
  const { clock, random, ids, logger } = actor;
  const cluster = { server, authority };
  return {
    ...{ client, clock, random, ids, logger },
    cloud: connectCloud({
      ...{ clock, random, credentials: createSimulatedCredentials(cloud.projectId) },
      transport: createKernelCloudTransport(cloud, actor),
      ...(pace.cloudRequests && { requests: pace.cloudRequests }),
    }),
    preparer: createWatchedPreparer(actor, parts),
    join: createJoinCredentials({ client, clock, random, cluster }),
    remote: { ...cluster, account: REMOTE_ACCOUNT, tokenLifeMs: DAY_MS },
    fleetKeys: { privateKeyOf: async () => FLEET_KEY, knownSince: async () => undefined },
    settings: {
      projectId: cloud.projectId,
      zones: [cloud.zone],
      poolPrefix: POOL_PREFIX,
      clusterId,
      times: pace.hosts,
      limits: DEFAULT_LIMITS,
      roll: DEFAULT_ROLL,
    },
  };
};

/** Tells of each configuration that it is asked about. */
const createWatchedPreparer = (actor: Actor, { macs, release, observer }: ManagerParts): HostPreparer => {
  const configuration = createStepLevelConfiguration(release);
  const preparer = createHostPreparer({ hosts: macs.kernelHosts(actor), clock: actor.clock, ...configuration });
  const told = new Set<string>();
  return {
    ...preparer,
    digestOf: (asked) => {
      const digest = preparer.digestOf(asked);
      if (told.has(digest)) return digest;
      told.add(digest);
      observer.onConfiguration?.({ digest, bundle: configuration.artefacts['agent']?.sha256 ?? '' });
      return digest;
    },
  };
};
