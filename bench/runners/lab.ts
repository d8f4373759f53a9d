/**
 * The runners controller as a process on a real API server without any other controller: pools whose runners it makes itself, and which
 * somebody declares to run. There are no Macs and no jobs: what is measured is the controller.
 */
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { parseRunnerPool, RUNNER_POOLS, runnerPoolKind } from '../../src/kinds/runner-pool.ts';
import { toCustomResourceDefinition } from '../../src/kinds/schema/crd.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { connectCluster } from '../../src/kube/client/connect.ts';
import { createHostIo } from '../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../src/kube/client/login/load-cluster.ts';
import { NAMESPACES, PODS } from '../../src/kube/types/core.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import { rssMbOf, startServer } from '../control-plane/server.ts';
import { until } from '../control-plane/until.ts';
import { countRequests } from '../kubelet/count-requests.ts';
import { cpuMsOf } from '../kubelet/first-request.ts';
import { followPods } from '../kubelet/follow-pods.ts';
import { startController } from './controller.ts';

export interface RunnersLab {
  rssMb(): number;
  cpuMs(): number;
  /** Killed without a word, and started again; settles when the new one leads. */
  restart(): Promise<void>;
  countRequests(): Promise<ReadonlyMap<string, number>>;
  /** Settles when all of them run. */
  fill(pools: number, each: number): Promise<void>;
  /** A runner is declared over: from the answer to that to the Pod that takes its place, in milliseconds. */
  replaceOne(): Promise<number>;
  stop(): Promise<void>;
}

const NAMESPACE = 'tuist-runners';
const CALLERS = 16;
const signal = neverAborted();

export const openRunnersLab = async (): Promise<RunnersLab> => {
  const server = await startServer('peer');
  const { client, close } = await connect(server.kubeconfigFile);
  await prepare(client);
  let controller = await startController(server.kubeconfigFile);
  const life = new AbortController();
  const pods = await follow(client, life.signal);
  return {
    rssMb: () => rssMbOf(controller.pid),
    cpuMs: () => cpuMsOf(controller.pid),
    restart: async () => {
      await controller.end('SIGKILL');
      controller = await startController(server.kubeconfigFile);
    },
    countRequests: () => countRequests(client, signal),
    fill: (pools, each) => fill(client, pods, { pools, each }),
    replaceOne: () => replaceOne(client, pods),
    stop: async () => {
      life.abort();
      await controller.end('SIGKILL');
      await close();
      await server.stop();
    },
  };
};

const connect = async (path: string) => {
  const host = createHostIo();
  const deps = { host, clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };
  return connectCluster(await loadKubeconfig({ path }, host), deps);
};

const CRDS: Resource<KubeObject> = {
  ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
  ...{ plural: 'customresourcedefinitions', scope: 'Cluster' },
};

/** Settles when pools are served. */
const prepare = async (client: KubeClient): Promise<void> => {
  await client.create(CRDS, toCustomResourceDefinition(runnerPoolKind), { signal });
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } }, { signal });
  await until('pools to be served', () =>
    client.list(RUNNER_POOLS, { namespace: NAMESPACE, signal }).then(
      () => true,
      () => false,
    ),
  );
};

interface SeenPods {
  readonly names: Set<string>;
  onNew: (name: string, atMs: number) => void;
}

const follow = async (client: KubeClient, stopping: AbortSignal): Promise<SeenPods> => {
  const seen: SeenPods = { names: new Set(), onNew: () => undefined };
  const { resourceVersion } = (await client.list(PODS, { namespace: NAMESPACE, signal })).metadata;
  void followPods(client, { resourceVersion, signal: stopping }, ({ type, object }) => {
    const { name } = object.metadata;
    if (type === 'DELETED') seen.names.delete(name);
    if (type !== 'ADDED') return;
    seen.names.add(name);
    seen.onNew(name, performance.now());
  });
  return seen;
};

const fill = async (
  client: KubeClient,
  { names }: SeenPods,
  { pools, each }: { readonly pools: number; readonly each: number },
): Promise<void> => {
  for (let at = 0; at < pools; at += 1) {
    const spec = { image: 'ghcr.io/acme/runner:1', fleetSelector: 'm2', dispatchLabel: 'ci', runnerLabels: ['macOS'] };
    const metadata = { name: `pool-${at}`, namespace: NAMESPACE };
    await client.create(RUNNER_POOLS, parseRunnerPool({ metadata, spec: { ...spec, replicas: each } }), { signal });
  }
  await until('all runners to be made', async () => names.size === pools * each);
  const left = [...names];
  const declareOn = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) await declare(client, name, 'Running');
  };
  await Promise.all(Array.from({ length: CALLERS }, declareOn));
};

const declare = (client: KubeClient, name: string, phase: 'Running' | 'Succeeded'): Promise<Pod> =>
  client.patch(
    PODS,
    { namespace: NAMESPACE, name },
    { type: 'merge', body: { status: { phase } } },
    { subresource: 'status', signal },
  );

const replaceOne = async (client: KubeClient, seen: SeenPods): Promise<number> => {
  const [name = ''] = seen.names;
  const made = new Promise<{ readonly name: string; readonly atMs: number }>((resolve) => {
    seen.onNew = (fresh, atMs) => resolve({ name: fresh, atMs });
  });
  await declare(client, name, 'Succeeded');
  const overMs = performance.now();
  const fresh = await made;
  await declare(client, fresh.name, 'Running');
  return Math.max(0, fresh.atMs - overMs);
};
