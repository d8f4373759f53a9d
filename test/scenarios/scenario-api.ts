/** What a scenario holds in its hands, over any client: only the time, the Nodes and the patience differ. */
import { type Clock, sleep } from '../../src/base/clock.ts';
import { isKind } from '../../src/base/errors.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { readIfThere } from '../../src/kube/client/if-there.ts';
import { NODES, PODS } from '../../src/kube/types/core.ts';
import type { KubeObject, ObjectKey } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import type { ScenarioApi } from './scenario.ts';

export interface ScenarioPlace
  extends Pick<ScenarioApi, 'namespace' | 'nodeSelector' | 'startNode' | 'stopNode'>,
    Watching {
  readonly kube: KubeClient;
  readonly isOwnNode: (name: string) => boolean;
}

interface Watching {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly patience: {
    readonly limitMs: number;
    readonly lookEveryMs: number;
    /** What is reached must last so long: where news come late, the first look may show what is over. */
    readonly steadyMs?: number;
  };
}

export const createScenarioApi = (place: ScenarioPlace): ScenarioApi => {
  const { kube, signal, namespace, nodeSelector, startNode, stopNode, isOwnNode } = place;
  const isOwn = (resource: Resource<KubeObject>, { metadata }: KubeObject): boolean =>
    resource.kind !== NODES.kind || isOwnNode(metadata.name);
  return {
    ...{ namespace, nodeSelector, startNode, stopNode },
    create: (resource, object) => kube.create(resource, object, { signal }),
    patch: async (resource, key, body) => {
      await kube.patch(resource, key, { type: 'merge', body }, { signal });
    },
    delete: (resource, key) => kube.delete(resource, key, { propagationPolicy: 'Background', signal }),
    get: (resource, key) => readIfThere(resource, key, { kube, signal }),
    list: async (resource, within) => {
      const { items } = await kube.list(resource, { ...(within !== undefined && { namespace: within }), signal });
      return items.filter((item) => isOwn(resource, item));
    },
    evict: (key) => evict(kube, key, signal),
    ...watchWith(place),
  };
};

const evict = async (kube: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<'evicted' | 'refused'> => {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: key };
  try {
    await kube.createSubresource(PODS, key, { subresource: 'eviction', body, signal });
    return 'evicted';
  } catch (error) {
    if (isKind(error, 'throttled')) return 'refused';
    throw error;
  }
};

const watchWith = ({ clock, signal, patience }: Watching): Pick<ScenarioApi, 'until' | 'always'> => {
  const until: ScenarioApi['until'] = async (goal, isReached) => {
    const { limitMs, lookEveryMs, steadyMs = 0 } = patience;
    const endMs = clock.now() + limitMs;
    for (let sinceMs: number | undefined; ; ) {
      sinceMs = (await isReached()) ? (sinceMs ?? clock.now()) : undefined;
      if (sinceMs !== undefined && clock.now() >= sinceMs + steadyMs) return;
      if (clock.now() > endMs) throw new Error(`never came to: ${goal}`);
      await sleep(clock, Math.max(lookEveryMs, steadyMs / 10), signal);
    }
  };
  return {
    until,
    always: async (claim, holds, forMs) => {
      const endMs = clock.now() + forMs;
      await until(claim, async () => {
        if (!(await holds())) throw new Error(`no longer holds: ${claim}`);
        return clock.now() >= endMs;
      });
    },
  };
};
