/** `--watch`: what is shown follows the cluster by watches, in place on a terminal, as whole pictures elsewhere. */
import { linkedController } from '../../base/abort.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { createSystemRandom } from '../../base/random.ts';
import { type Cache, createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { CliIo } from '../io.ts';
import { createRedraw } from '../redraw.ts';
import type { Output } from './cluster-flags.ts';
import type { Lists } from './list-kinds.ts';
import { createNoticeLogger } from './notice-logger.ts';

type Resources = Readonly<Record<string, Resource<KubeObject>>>;

export interface Watching<R extends Resources> {
  readonly kinds: R;
  /** What was there at the beginning; kinds that could not be listed are not watched. */
  readonly first: Lists<R>;
  readonly namespace?: string | undefined;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly output: Output;
}

/** A person reads no faster; a large fleet changes a thousand times in this. */
const LOOK_EVERY_MS = 500;

/** Until the person stops it, which is no failure. */
export const showWatching = async <R extends Resources>(
  watching: Watching<R>,
  render: (lists: Lists<R>) => Promise<string>,
  io: CliIo,
): Promise<void> => {
  const { clock } = watching;
  const life = linkedController(io.signal);
  const caches = openCaches(watching, io);
  const wake = createWake();
  for (const cache of caches.values()) cache.onProgress(wake.ring);
  const running = Promise.all(Array.from(caches.values(), (cache) => cache.run(life.signal)));
  running.catch(() => life.abort());
  const draw = watching.output === 'table' || watching.output === 'wide' ? drawWith(io) : io.stdout;
  try {
    let shown = '';
    while (!io.signal.aborted) {
      const text = await render(newestOf(watching.first, caches));
      if (text !== shown) draw(text);
      shown = text;
      await wake.rung(life.signal);
      if ((await pause(clock, LOOK_EVERY_MS, life.signal)) === 'aborted') break;
    }
  } finally {
    life.abort();
    await running;
  }
};

const drawWith = (io: CliIo): ((text: string) => void) => {
  const redraw = createRedraw(io);
  return (text) => redraw(text.trimEnd());
};

const openCaches = <R extends Resources>(
  { kinds, first, client, clock, namespace }: Watching<R>,
  io: CliIo,
): ReadonlyMap<string, Cache<KubeObject>> => {
  const deps = { client, clock, random: createSystemRandom(), logger: createNoticeLogger(io.stderr) };
  const within = (resource: Resource<KubeObject>) =>
    namespace === undefined || resource.scope === 'Cluster' ? {} : { namespace };
  return new Map(
    Object.entries(kinds)
      .filter(([key]) => first[key]?.is === 'listed')
      .map(([key, resource]) => [
        key,
        createCache({ ...deps, resource, ...within(resource), transform: dropManagedFields }),
      ]),
  );
};

/** Those whose first list is not in yet stay as they were. */
const newestOf = <R extends Resources>(first: Lists<R>, caches: ReadonlyMap<string, Cache<KubeObject>>): Lists<R> => {
  const newest = Array.from(caches)
    .filter(([, { synced }]) => synced)
    .map(([key, cache]) => [key, { is: 'listed', items: cache.list() }] as const);
  return { ...first, ...Object.fromEntries(newest) };
};

const createWake = () => {
  let bell = Promise.withResolvers<void>();
  return {
    ring: (): void => bell.resolve(),
    /** Settles with the next change, also one that came before the call; or with the end. */
    rung: async (signal: AbortSignal): Promise<void> => {
      if (signal.aborted) return;
      signal.addEventListener('abort', () => bell.resolve(), { once: true });
      await bell.promise;
      bell = Promise.withResolvers<void>();
    },
  };
};
