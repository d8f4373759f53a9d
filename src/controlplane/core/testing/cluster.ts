/** A small cluster for tests of the embedded controllers: a MemoryApi, a clock that stands still, and a manager. */
import { createLoggerTo } from '../../../base/logger.ts';
import { collectionPath } from '../../../kube/client/paths.ts';
import { createManager } from '../../../kube/manager/manager.ts';
import type { RuntimeMetrics } from '../../../kube/manager/metrics.ts';
import { createHarness, type HarnessOptions } from '../../../kube/testing/harness.ts';
import type { Node } from '../../../kube/types/core.ts';
import type { KubeObject, ObjectKey } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import type { ControllerSet, ControllerSetDeps } from '../controller-set.ts';

export const startCluster = (
  createSet: (deps: ControllerSetDeps) => ControllerSet,
  options: HarnessOptions & { readonly metrics?: RuntimeMetrics } = {},
) => {
  const harness = createHarness(options);
  const { client, clock, random, ids, api, stop, advance } = harness;
  const problems: string[] = [];
  const logger = createLoggerTo((level, message, fields) => {
    if (level === 'error') problems.push(`${message} ${String(fields?.['error'])}`);
  });
  const { signal } = stop;
  const manager = createManager({
    name: 'test',
    client,
    clock,
    random,
    logger,
    ...createSet({ client, clock, random, logger, ids }),
    ...(options.metrics && { metrics: options.metrics }),
  });
  const running = manager.run(signal);

  /** Until nothing is written any more. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0, seen = -1; quiet < 6; quiet = api.writes.length === seen ? quiet + 1 : 0) {
      seen = api.writes.length;
      await advance(0);
    }
  };
  const create = async <T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> => {
    const stored = await client.create(resource, object, { signal });
    await settle();
    return stored;
  };
  const patch = async <T extends KubeObject>(resource: Resource<T>, key: ObjectKey, body: object): Promise<void> => {
    await client.patch(resource, key, { type: 'merge', body }, { signal });
    await settle();
  };
  const patchStatus = async <T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    status: object,
  ): Promise<void> => {
    await client.patch(resource, key, { type: 'merge', body: { status } }, { signal, subresource: 'status' });
    await settle();
  };
  const remove = async <T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<void> => {
    await client.delete(resource, key, { signal });
    await settle();
  };
  const all = async <T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> =>
    (await client.list(resource, { signal })).items;
  /** Writes to a kind, by whomever. */
  const writesTo = (resource: Resource<KubeObject>) =>
    api.writes.filter(
      ({ path }) => path.includes(`/${resource.plural}`) && path.startsWith(collectionPath(resource).slice(0, 5)),
    );
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { ...harness, problems, settle, create, patch, patchStatus, remove, all, writesTo, end };
};

/** A Node that takes Pods. */
export const readyNode = (name: string, node: Partial<Node> = {}): Node => ({
  metadata: { name, ...node.metadata },
  ...(node.spec === undefined ? {} : { spec: node.spec }),
  status: { allocatable: { pods: '2' }, conditions: [{ type: 'Ready', status: 'True' }], ...node.status },
});
