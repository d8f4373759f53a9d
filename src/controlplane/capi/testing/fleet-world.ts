/** A fleet on the simulation kernel: the embedded controllers, a scripted provider, and a node agent per host. */
import assert from 'node:assert/strict';
import { neverAborted } from '../../../base/abort.ts';
import { toTimestamp } from '../../../base/clock.ts';
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
import { createApiServer } from '../../api/api-server.ts';
import { ADMIN } from '../../auth/user.ts';
import type { ControllerSet, ControllerSetDeps } from '../../core/controller-set.ts';
import { createEmbeddedControllers } from '../../embedded-controllers.ts';
import { createStore } from '../../store/store.ts';
import { createScriptedProvider, INFRASTRUCTURE_MACHINES, type ScriptedHosts } from './scripted-provider.ts';

const START_WALL_MS = Date.UTC(2026, 0, 1);

/** The API under the fleet: small and fast, or the embedded one with all its rules. */
interface WorldApi {
  readonly serve: (request: Omit<TransportRequest, 'signal'>) => SimResponse;
  readonly objects: (resource: Resource<KubeObject>) => readonly object[];
}

const createMemoryApi = (kernel: Kernel): WorldApi => {
  const api = new MemoryApi(() => toTimestamp(START_WALL_MS + kernel.nowMs()));
  const keepBookmarks = (): void => {
    api.bookmarkAll();
    kernel.schedule(20_000, 'bookmarks', keepBookmarks);
  };
  keepBookmarks();
  return { serve: (request) => api.handle(request), objects: (resource) => api.objects(collectionPath(resource)) };
};

const createEmbeddedApi = (kernel: Kernel): WorldApi => {
  const { clock, ids, logger } = kernel.actor('api');
  const store = createStore();
  const api = createApiServer({ store, clock, ids, logger });
  return {
    serve: (request) => api.handle({ ...request, user: ADMIN }),
    objects: ({ group, plural }) => store.list(`${group}/${plural}`).map(({ object }) => object),
  };
};

export interface FleetWorldOptions extends KernelOptions {
  readonly api?: 'memory' | 'embedded';
}

export const createFleetWorld = (options: FleetWorldOptions) => {
  const kernel = createKernel({ ...options, startWallMs: START_WALL_MS });
  const inner = options.api === 'embedded' ? createEmbeddedApi(kernel) : createMemoryApi(kernel);
  const writes: { readonly method: string; readonly path: string; readonly status: number }[] = [];
  const api: WorldApi = {
    ...inner,
    serve: (request) => {
      const response = inner.serve(request);
      const { method, path } = request;
      if (method !== 'GET') writes.push({ method, path, status: response.status });
      return response;
    },
  };

  const power: HostPark['power'] = new Map();
  kernel.boot('controlplane', (actor) =>
    runSets(actor, api, (deps) => [createEmbeddedControllers({ ...deps, collected: [INFRASTRUCTURE_MACHINES] })]),
  );
  kernel.boot('provider', (actor) =>
    runSets(actor, api, (deps) => [
      createScriptedProvider({ ...deps, signal: neverAborted() }, createHosts(kernel, actor, { api, power })),
    ]),
  );

  const ask = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object = {}): void => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const { status, body: answer } = api.serve({ method, path, headers, body: JSON.stringify(body) });
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
  const hosts = (): readonly string[] => [...power].flatMap(([uid, state]) => (state === 'on' ? [hostOf(uid)] : []));
  /** A way in for somebody who is not part of the fleet: no fault of the network touches it. */
  const operatorClient = (actor: Actor) => clientOf(actor, api, 'operator');
  return { kernel, writes, create, patch, remove, all, hosts, ...createPlainNodes(kernel, api), operatorClient };
};

export type FleetWorld = ReturnType<typeof createFleetWorld>;

const runSets = async (
  actor: Actor,
  api: WorldApi,
  createSets: (deps: ControllerSetDeps) => readonly ControllerSet[],
): Promise<void> => {
  const { clock, random, logger, ids } = actor;
  const client = clientOf(actor, api);
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
      return runNodeAgent({ client: clientOf(actor, api), clock, random, logger, ...facts }, neverAborted());
    });
  };
  /** As when its cable is pulled. */
  const stopNode = (nodeName: string): void => kernel.kill(nodeActor(nodeName));
  return { startNode, stopNode };
};

const nodeActor = (nodeName: string): string => `node ${nodeName}`;

const clientOf = (actor: Actor, api: WorldApi, site = 'kube') => {
  const transport = createSimTransport({ actor, server: api.serve, site });
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
            const client = clientOf(actor, api);
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
