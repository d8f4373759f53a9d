/** A fleet on the simulation kernel: the embedded controllers, a scripted provider, and a node agent per host. */
import assert from 'node:assert/strict';
import { neverAborted } from '../../../base/abort.ts';
import { toTimestamp } from '../../../base/clock.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { createKubeClient } from '../../../kube/client/create-client.ts';
import { collectionPath, creationPath, objectPath } from '../../../kube/client/paths.ts';
import type { TransportRequest } from '../../../kube/client/transport.ts';
import { createManager } from '../../../kube/manager/manager.ts';
import { MemoryApi } from '../../../kube/testing/memory-api.ts';
import { type KubeObject, keyOf, type ObjectKey } from '../../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../../kube/types/resource.ts';
import type { Actor } from '../../../sim/kernel/actor.ts';
import { createKernel, type Kernel, type KernelOptions } from '../../../sim/kernel/kernel.ts';
import { createSimTransport, type SimResponse } from '../../../sim/kernel/sim-transport.ts';
import { runNodeAgent } from '../../../sim/node/node-agent.ts';
import type { AnsweredRequest } from '../../auth/audit.ts';
import { CONTROLLER_MANAGER, controllerUser } from '../../auth/bootstrap/roles-for-controllers.ts';
import { ADMIN, nodeUser, type User } from '../../auth/user.ts';
import { createGuardedApi } from '../../control-plane.ts';
import type { ControllerSet, ControllerSetDeps } from '../../core/controller-set.ts';
import { createEmbeddedControllers } from '../../embedded-controllers.ts';
import { createStore } from '../../store/store.ts';
import { openTo, REMOTE } from './remote.ts';
import { createScriptedProvider, INFRASTRUCTURE_MACHINES, type ScriptedHosts } from './scripted-provider.ts';

const START_WALL_MS = Date.UTC(2026, 0, 1);

/** The API under the fleet: small and fast, or the embedded one with all its rules. */
interface WorldApi {
  readonly serve: (request: Omit<TransportRequest, 'signal'>, user: User) => SimResponse;
  /** Requests that somebody made without the right to. */
  readonly forbidden: readonly AnsweredRequest[];
  readonly objects: (resource: Resource<KubeObject>) => readonly object[];
}

const createMemoryApi = (kernel: Kernel): WorldApi => {
  const api = new MemoryApi(() => toTimestamp(START_WALL_MS + kernel.nowMs()));
  const keepBookmarks = (): void => {
    api.bookmarkAll();
    kernel.schedule(20_000, 'bookmarks', keepBookmarks);
  };
  keepBookmarks();
  return {
    serve: (request) => api.handle(request),
    objects: (resource) => api.objects(collectionPath(resource)),
    forbidden: [],
  };
};

const createEmbeddedApi = (kernel: Kernel): WorldApi => {
  const { clock, random, logger } = kernel.actor('api');
  const store = createStore();
  const forbidden: AnsweredRequest[] = [];
  const { api, authorize } = createGuardedApi({
    ...{ store, clock, random, logger },
    // Admission refuses with the same code: a Pod whose ServiceAccount is not there yet, for example.
    onRequest: (request) => {
      if (request.code === 403 && !authorize(request.attempt).isAllowed) forbidden.push(request);
    },
  });
  return {
    forbidden,
    serve: (request, user) => api.handle({ ...request, user }),
    objects: ({ group, plural }) => store.list(`${group}/${plural}`).map(({ object }) => object),
  };
};

/** A request that is not a read, and what came of it. */
interface Written {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly user: string;
}

export interface FleetWorldOptions extends KernelOptions {
  readonly api?: 'memory' | 'embedded';
  /** Stands before the API and answers in its place, or spoils its answer. */
  readonly front?: (kernel: Kernel) => Front;
}

export type Front = (request: Omit<TransportRequest, 'signal'>, user: User, serve: () => SimResponse) => SimResponse;

export const createFleetWorld = (options: FleetWorldOptions) => {
  const kernel = createKernel({ ...options, startWallMs: START_WALL_MS });
  const inner = options.api === 'embedded' ? createEmbeddedApi(kernel) : createMemoryApi(kernel);
  const front = options.front?.(kernel) ?? ((_request, _user, serve) => serve());
  const writes: Written[] = [];
  const api: WorldApi = {
    ...inner,
    serve: (request, user) =>
      front(request, user, () => {
        const response = inner.serve(request, user);
        const { method, path } = request;
        if (method !== 'GET') writes.push({ method, path, status: response.status, user: user.name });
        return response;
      }),
  };

  const power: HostPark['power'] = new Map();
  kernel.boot('controlplane', (actor) => {
    const clientFor = (user: User) => clientOf(actor, api, { user });
    return runSets(actor, clientFor(CONTROLLER_MANAGER), (deps) => [
      createEmbeddedControllers({
        ...{ ...deps, collected: [INFRASTRUCTURE_MACHINES] },
        clientFor: (account) => clientFor(controllerUser(account)),
        openRemote: openTo(clientFor(REMOTE)),
      }),
    ]);
  });
  kernel.boot('provider', (actor) =>
    runSets(actor, clientOf(actor, api, { user: ADMIN }), (deps) => [
      createScriptedProvider({ ...deps, signal: neverAborted() }, createHosts(kernel, actor, { api, power })),
    ]),
  );

  const hosts = (): readonly string[] => [...power].flatMap(([uid, state]) => (state === 'on' ? [hostOf(uid)] : []));
  /** A way in for somebody who is not part of the fleet: no fault of the network touches it. */
  const operatorClient = (actor: Actor) => clientOf(actor, api, { user: ADMIN, site: 'operator' });
  const told = { writes, forbidden: api.forbidden };
  return { kernel, ...told, ...createOperator(api), hosts, ...createPlainNodes(kernel, api), operatorClient };
};

/** Somebody with kubectl: each call is one instant, and reads are the truth. */
const createOperator = (api: WorldApi) => {
  const ask = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object = {}): void => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const { status, body: answer } = api.serve({ method, path, headers, body: JSON.stringify(body) }, ADMIN);
    assert.ok(status < 300, `${method} ${path}: ${String(answer)}`);
  };
  const create = <T extends KubeObject & { readonly status?: object }>(resource: Resource<T>, object: T): void => {
    ask('POST', creationPath(resource, keyOf(object)), {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      ...object,
    });
    const { status } = object;
    if (status !== undefined) ask('PATCH', objectPath(resource, keyOf(object), 'status'), { status });
  };
  const patch = (resource: Resource<KubeObject>, key: ObjectKey, body: object): void =>
    ask('PATCH', objectPath(resource, key), body);
  const remove = (resource: Resource<KubeObject>, key: ObjectKey): void => ask('DELETE', objectPath(resource, key));
  // The API holds JSON; what was stored under a kind is of that kind.
  const all = <T extends KubeObject>(resource: Resource<T>): readonly T[] =>
    api.objects(resource) as unknown as readonly T[];
  return { create, patch, remove, all };
};

export type FleetWorld = ReturnType<typeof createFleetWorld>;

const runSets = async (
  actor: Actor,
  client: KubeClient,
  createSets: (deps: ControllerSetDeps) => readonly ControllerSet[],
): Promise<void> => {
  const { clock, random, logger, ids } = actor;
  const sets = createSets({ client, clock, random, logger, ids });
  const manager = createManager({
    ...{ name: actor.name, client, clock, random, logger },
    caches: sets.flatMap(({ caches }) => caches),
    controllers: sets.flatMap(({ controllers }) => controllers),
  });
  await manager.run(neverAborted());
};

/** Nodes of their own, without a Machine. */
const createPlainNodes = (kernel: Kernel, api: WorldApi) => {
  const started = new Set<string>();
  const startNode = (nodeName: string): void => {
    if (started.has(nodeName)) {
      kernel.restart(nodeActor(nodeName), 0);
      return;
    }
    started.add(nodeName);
    kernel.boot(nodeActor(nodeName), (actor) => {
      const { clock, random, logger } = actor;
      const capacity = { cpu: '8', memory: '16Gi', pods: '5' };
      const facts = { nodeName, providerId: `scripted://${nodeName}`, labels: {}, capacity };
      const client = clientOf(actor, api, { user: nodeUser(nodeName) });
      return runNodeAgent({ client, clock, random, logger, ...facts }, neverAborted());
    });
  };
  /** As when its cable is pulled. */
  const stopNode = (nodeName: string): void => kernel.kill(nodeActor(nodeName));
  return { startNode, stopNode };
};

const nodeActor = (nodeName: string): string => `node ${nodeName}`;

const clientOf = (
  actor: Actor,
  api: WorldApi,
  { user, site = 'kube' }: { readonly user: User; readonly site?: string },
): KubeClient => {
  const transport = createSimTransport({ actor, server: (request) => api.serve(request, user), site });
  return createKubeClient({ transport, clock: actor.clock, random: actor.random, logger: actor.logger });
};

interface HostPark {
  readonly api: WorldApi;
  /** Whether each host that was ever switched on still is: one that was switched off stays off. */
  readonly power: Map<string, 'on' | 'off'>;
}

/** Hosts are actors of their own, switched on and off by calls to the world outside Kubernetes. */
const createHosts = (kernel: Kernel, provider: Actor, { api, power }: HostPark): ScriptedHosts => {
  const signal = neverAborted();
  return {
    switchOn: (uid, { nodeName, providerId }) =>
      provider.call({
        site: 'host:on',
        signal,
        effect: async () => {
          if (power.has(uid)) return;
          power.set(uid, 'on');
          kernel.boot(hostOf(uid), async (actor) => {
            const { clock, random, logger } = actor;
            const capacity = { cpu: '8', memory: '16Gi', pods: '2' };
            const client = clientOf(actor, api, { user: nodeUser(nodeName) });
            await runNodeAgent({ client, clock, random, logger, nodeName, providerId, labels: {}, capacity }, signal);
          });
        },
      }),
    switchOff: (uid) =>
      provider.call({
        site: 'host:off',
        signal,
        effect: async () => {
          power.set(uid, 'off');
          kernel.kill(hostOf(uid));
        },
      }),
  };
};

const hostOf = (uid: string): string => `host ${uid}`;
