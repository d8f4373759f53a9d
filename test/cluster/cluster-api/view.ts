/** Objects as their API server shows them: looked at when something changed, never by polling. */
import { createSystemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { type Cache, type CacheOptions, createCache } from '../../../src/kube/cache/cache.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { Machine } from '../../../src/kube/types/cluster-api.ts';
import type { Condition, KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';

export interface View {
  /** Settles with the first answer that is neither undefined nor false; past the deadline it tells what was there instead. */
  until<T>(fact: string, look: () => T, timeoutMs?: number): Promise<Exclude<T, undefined | false>>;
  close(): void;
}

const FACT_TIMEOUT_MS = 45_000;

/** Follows these caches; settles when all have their first list. Of others' objects nothing is told when something fails. */
export const openView = async (
  caches: readonly Cache<KubeObject>[],
  isOurs: (object: KubeObject) => boolean = () => true,
): Promise<View> => {
  const life = new AbortController();
  for (const cache of caches) void cache.run(life.signal);
  await Promise.all(caches.map((cache) => cache.whenSynced(life.signal)));
  return {
    until: (fact, look, timeoutMs = FACT_TIMEOUT_MS) => untilTrue(caches, look, { fact, timeoutMs, isOurs }),
    close: () => life.abort(),
  };
};

/** A cache of the objects in the namespace, or of all when the kind has none. */
export const cacheOf = <T extends KubeObject>(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  resource: Resource<T>,
): Cache<T> => {
  const deps = { client, clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };
  const options: CacheOptions<T> = { ...deps, resource };
  return createCache(resource.scope === 'Cluster' ? options : { ...options, namespace });
};

interface Wait {
  readonly fact: string;
  readonly timeoutMs: number;
  readonly isOurs: (object: KubeObject) => boolean;
}

const untilTrue = async <T>(
  caches: readonly Cache<KubeObject>[],
  look: () => T,
  { fact, timeoutMs, isOurs }: Wait,
): Promise<Exclude<T, undefined | false>> => {
  const { promise, resolve, reject } = Promise.withResolvers<Exclude<T, undefined | false>>();
  const check = (): void => {
    try {
      const seen = look();
      if (isFact(seen)) resolve(seen);
    } catch (error) {
      reject(error);
    }
  };
  const stops = caches.map((cache) => cache.onProgress(check));
  const cancelDeadline = createSystemClock().schedule(timeoutMs, () =>
    reject(new Error(`did not come true within ${timeoutMs} ms: ${fact}\n${describe(caches, isOurs)}`)),
  );
  check();
  try {
    return await promise;
  } finally {
    cancelDeadline();
    for (const stop of stops) stop();
  }
};

const isFact = <T>(seen: T): seen is Exclude<T, undefined | false> => seen !== undefined && seen !== false;

/** One line per object, for whoever reads a failed test. */
const describe = (caches: readonly Cache<KubeObject>[], isOurs: Wait['isOurs']): string =>
  caches
    .flatMap((cache) =>
      cache
        .list()
        .filter(isOurs)
        .map((object) => `${cache.resource.kind} ${JSON.stringify(summaryOf(object))}`),
    )
    .join('\n');

const summaryOf = ({ metadata, ...rest }: KubeObject & { readonly status?: unknown }) => ({
  name: metadata.name,
  ...(metadata.deletionTimestamp === undefined ? {} : { deleting: metadata.deletionTimestamp }),
  status: rest.status,
});

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[] | undefined;
  };
}

export const conditionOf = ({ status }: WithConditions, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (object: WithConditions, type: string): boolean => conditionOf(object, type)?.status === 'True';

/** Core stores conditions first, then the spec, then the rest of the status: a Machine is all there when it says Running. */
export const isUp = (machine: Machine): boolean => machine.status?.phase === 'Running' && isTrue(machine, 'Ready');
