/**
 * The whole system on the virtual clock: embedded control plane, its controllers, managers with the provider, a simulated
 * cloud and Macs whose agents join. Everything that happens follows from the seed; actors can be killed and frozen.
 */
import { neverAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import type { AnsweredRequest } from '../controlplane/auth/audit.ts';
import { CONTROLLER_MANAGER, controllerUser } from '../controlplane/auth/bootstrap/roles-for-controllers.ts';
import { ADMIN, type User } from '../controlplane/auth/user.ts';
import { createGuardedApi } from '../controlplane/control-plane.ts';
import { createEmbeddedControllers } from '../controlplane/embedded-controllers.ts';
import { createNodeLogs } from '../controlplane/node-logs.ts';
import { createStore, type Store } from '../controlplane/store/store.ts';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import { ALL_KINDS } from '../kinds/all-kinds.ts';
import { LABELS } from '../kinds/labels.ts';
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
import type { AuditEntry } from '../sim/cloud/call-log.ts';
import { createSimCloud, type SimCloud } from '../sim/cloud/sim-cloud.ts';
import { createKernelCloudTransport } from '../sim/cloud/transports.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import { createKernel, type Kernel, type KernelOptions } from '../sim/kernel/kernel.ts';
import type { AgentStart } from '../sim/mac/mac-agent.ts';
import { createSimMacs, type SimMacs } from '../sim/mac/sim-macs.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { runNodeAgent } from '../sim/node/node-agent.ts';
import { type AgentsInProcess, createAgentsInProcess } from './agents-in-process.ts';
import { type FleetPace, TRUE_PACE } from './fleet-pace.ts';
import { POLICIES, PROVIDER, REMOTE_ACCOUNT, renderRights } from './identities.ts';
import type { NodeLogin } from './node-login.ts';
import { createOperator, type Operator } from './operator.ts';
import { createWorldLogin, type LogIn, logInAsNode, openWorldClient, showAlways } from './world-login.ts';

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
  /** Is told of everything that happens to the truth, in the moment it happens. */
  readonly observer?: FleetObserver;
}

/** The agent of a Mac, at its start or its end. */
export interface AgentEvent {
  readonly kind: 'started' | 'stopped';
  readonly nodeName: string;
  readonly providerId: string;
}

/** None may throw. */
export interface FleetObserver {
  readonly onRequest?: (request: AnsweredRequest) => void;
  readonly onCloudWrite?: (entry: AuditEntry) => void;
  readonly onAgent?: (event: AgentEvent) => void;
  /** After every change of the disk of some Mac. */
  readonly onDisk?: () => void;
}

export interface FleetWorld {
  readonly kernel: Kernel;
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  /** The truth that the API serves. */
  readonly store: Store;
  /** A person with kubectl: reads the truth, writes at once. */
  readonly operator: Operator;
  /** The same over the network of this world. */
  adminClient(actor: Actor): KubeClient;
  /** Requests that somebody made without the right to; a write that was refused for its content is none. */
  readonly forbidden: readonly AnsweredRequest[];
  /** The managers start anew, with another host configuration. */
  upgrade(release: string): void;
}

const POOL_PREFIX = 'tuist-pool-';
const FLEET_KEY = new Secret('the simulated fleet key');

export const createFleetWorld = (options: FleetWorldOptions): FleetWorld => {
  const kernel = createKernel(options);
  const { clock, random, logger } = kernel.actor('world');
  const { observer = {}, pace = TRUE_PACE } = options;
  const forbidden: AnsweredRequest[] = [];
  const onRequest = (request: AnsweredRequest): void => {
    observer.onRequest?.(request);
    if (request.code === 403 && !authorize(request.attempt).isAllowed) forbidden.push(request);
  };
  const agents = createAgentsInProcess();
  const store = createStore();
  const { api, tokens, authorize } = createGuardedApi({
    ...{ store, clock, random: random.stream('api'), logger, onRequest },
    openNodeLog: createNodeLogs(agents.connectAs(kernel.actor('world'))),
    ...(pace.bookmarkEveryMs !== undefined && { bookmarkEveryMs: pace.bookmarkEveryMs }),
  });
  const authority = createWorldAuthority(clock, random.stream('authority'));
  const logIn = createWorldLogin({ api, tokens, authority, clock, pace });
  const clientOf = (actor: Actor, user: User): KubeClient =>
    openWorldClient(actor, pace, { server: (request) => api.handle({ ...request, user }) });
  const { namespace = 'default', callsKept } = options;
  const { onCloudWrite: onWrite, onDisk } = observer;
  const cloud = createSimCloud({
    ...{ clock, random: random.stream('cloud'), ...(onWrite && { onWrite }) },
    ...(callsKept === undefined ? {} : { callsKept }),
  });
  for (let at = 1; at <= options.macs; at += 1) cloud.addServer({ name: `${POOL_PREFIX}${at}` });
  const macs = createSimMacs({
    cloud,
    clock,
    random: random.stream('macs'),
    fleetKey: FLEET_KEY,
    startAgent: (start, disk) => startAgent(kernel, { logIn, agents, observer, pace }, { ...start, disk }),
    ...(onDisk && { onChange: onDisk }),
  });
  const operator = createOperator(api, namespace);
  if (namespace !== 'default') operator.create('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const kind of ALL_KINDS) operator.create(CRD_PATH, toCustomResourceDefinition(kind));
  for (const guard of [...renderRights(namespace), ...POLICIES]) operator.apply(guard);
  kernel.boot('controllers', (actor) =>
    runControllers(actor, { clientFor: (user) => clientOf(actor, user), authority, logIn, pace }),
  );
  const { managers = ['manager'], adjust = (ports) => ports } = options;
  let release = '1';
  for (const name of managers) {
    const common = { cloud, macs, adjust, pace, authority: renderCertificate(authority.certificate) };
    const parts = (actor: Actor) => ({ ...common, client: clientOf(actor, PROVIDER), release });
    kernel.boot(name, (actor) => runManager(actor, parts(actor)));
  }
  const upgrade = (to: string): void => {
    release = to;
    for (const name of managers) kernel.restart(name, 1_000);
  };
  const adminClient = (actor: Actor): KubeClient => clientOf(actor, ADMIN);
  return { kernel, cloud, macs, store, operator, adminClient, forbidden, upgrade };
};

const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Where clients find the API; there is one in this world. */
const SERVER = 'https://kubernetes.world';
const DAY_MS = 86_400_000;

/** Its signatures are not salted: the same seed gives the same bytes. */
const createWorldAuthority = (clock: Clock, random: Random): Authority =>
  createAuthority({
    ...{ subject: { commonName: 'the authority of this world' }, random, keyPair: createKeyPair(random, 'ed25519') },
    ...{ notBeforeMs: clock.now() - DAY_MS, notAfterMs: clock.now() + 3_650 * DAY_MS },
  });

interface AgentParts {
  readonly logIn: LogIn;
  readonly pace: FleetPace;
  readonly agents: AgentsInProcess;
  readonly observer: FleetObserver;
}

const startAgent = (
  kernel: Kernel,
  { logIn, agents, observer, pace }: AgentParts,
  start: AgentStart & NodeLogin,
): (() => void) => {
  const { nodeName, providerId, fleet } = start;
  const stop = new AbortController();
  const actor = kernel.actor(`node ${nodeName} ${providerId}`);
  const { clock, random, logger } = actor;
  const capacity = { cpu: '8', memory: '14Gi', pods: '3' };
  const facts = { nodeName, providerId, labels: { [LABELS.fleet]: fleet }, capacity };
  actor.daemon('agent', () =>
    runNodeAgent(
      {
        ...{ client: logInAsNode(actor, logIn, start), clock, random, logger, ...facts },
        serve: agents.serve,
        ...(pace.nodeRenewEveryMs !== undefined && { renewEveryMs: pace.nodeRenewEveryMs }),
      },
      stop.signal,
    ),
  );
  observer.onAgent?.({ kind: 'started', nodeName, providerId });
  return () => {
    observer.onAgent?.({ kind: 'stopped', nodeName, providerId });
    stop.abort();
  };
};

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

interface ManagerParts {
  /** Of the host configuration. */
  readonly release: string;
  readonly client: KubeClient;
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  readonly adjust: (ports: ProviderPorts) => ProviderPorts;
  readonly pace: FleetPace;
  /** PEM of the cluster's. */
  readonly authority: string;
}

/** One life of a manager process: when it loses the lease it starts over, as a restarted container does. */
const runManager = async (actor: Actor, parts: ManagerParts): Promise<void> => {
  const { client, cloud, macs, release, adjust, authority, pace } = parts;
  const { clock, random, ids, logger } = actor;
  const cluster = { server: SERVER, authority };
  for (let term = 0; ; term += 1) {
    const lease = createLeaderLease({
      ...{ client, clock, random, logger },
      lease: { namespace: 'kube-system', name: LEASE_NAMES.manager },
      identity: `${actor.name}-${actor.epoch}-${term}`,
      ...(pace.leaderLease && { times: pace.leaderLease }),
    });
    const ports: ProviderPorts = {
      ...{ client, clock, random, ids, logger, lease },
      cloud: connectCloud({
        ...{ clock, random, credentials: createSimulatedCredentials(cloud.projectId) },
        transport: createKernelCloudTransport(cloud, actor),
      }),
      preparer: createHostPreparer({ hosts: macs.kernelHosts(actor), clock, ...createStepLevelConfiguration(release) }),
      join: createJoinCredentials({ client, clock, random, cluster }),
      remote: { ...cluster, account: REMOTE_ACCOUNT, tokenLifeMs: DAY_MS },
      fleetKeys: { privateKeyOf: async () => FLEET_KEY, knownSince: async () => undefined },
      settings: {
        projectId: cloud.projectId,
        zones: [cloud.zone],
        poolPrefix: POOL_PREFIX,
        clusterId: '0a1b2c3d',
        times: pace.hosts,
        limits: DEFAULT_LIMITS,
        roll: DEFAULT_ROLL,
      },
    };
    const manager = createManager(adjust(ports));
    await manager.run(neverAborted()).catch((error: unknown) => logger.info('Term ended', { error: String(error) }));
  }
};
