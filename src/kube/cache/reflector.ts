/**
 * Keeps a sink in step with the API server for ever: list, then watch, then watch again from where the last one ended.
 * No answer of the server ends it; only its signal does. Every trouble costs a jittered backoff, and only progress
 * (an event, a bookmark, a watch that lived its time) resets that.
 *
 * A watch that broke may have done so because the server is another one since, with an older etcd. Such a server lets us
 * watch from a version that it has yet to give, and says nothing until it gives it: what we hold would stay for ever, also
 * what does not exist there. So it is asked where it is before a watch goes on after trouble.
 */
import { linkedController } from '../../base/abort.ts';
import { type BackoffPolicy, backoffDelayMs } from '../../base/backoff.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { FleetError, toFleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { KubeClient, WatchEvent } from '../client/client.ts';
import { collectionPath, withQuery } from '../client/paths.ts';
import type { KubeList, KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import { revisionOf } from './object-store.ts';

export interface ReflectorSink<T extends KubeObject> {
  replaced(list: KubeList<T>): void;
  happened(event: WatchEvent<T>): void;
}

/** Why the whole list is read (again). */
export type RelistCause = 'start' | 'expired' | 'silent' | 'went-back';

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly resource: Resource<T>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly transform?: (object: T) => T;
  readonly onRelist?: (cause: RelistCause) => void;
}

/**
 * A server ends our watches after 45 to 55 s; one that has not ended 5 s later is dead, so that a silent connection
 * is noticed within 60 s (L15). The resume costs one request and, thanks to bookmarks, replays nothing.
 */
const WATCH_SECONDS = { least: 45, spread: 10 };
const WATCH_GRACE_MS = 5_000;

/** A watch that ends sooner without a word counts as a failure, or an odd proxy would make us spin. */
const SHORTEST_HEALTHY_WATCH_MS = 1_000;

/** A server that ends a watch so much before its time is going away. */
const EARLY_END_MS = 2_000;

/** So many watches in a row without event or bookmark are no quiet server but a position that it does not know. */
const SILENT_WATCHES_MAX = 2;

const RETRY: Omit<BackoffPolicy, 'maxMs'> = { initialMs: 800, factor: 2, minMs: 100 };
const RETRY_MOST_SECONDS = 30;

export const runReflector = async <T extends KubeObject>(
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
): Promise<void> => {
  const state: ReflectorState = {
    ...{ resumeFrom: undefined, cause: 'start', failures: 0, heard: 0, silentWatches: 0 },
    isInDoubt: false,
  };
  while (!signal.aborted) {
    try {
      if (state.isInDoubt) await askWhereItIs(options, state, signal);
      if (state.resumeFrom === undefined) await relist(options, state, { sink, signal });
      else await watchOnce(options, state, { sink, signal });
    } catch (thrown) {
      if (signal.aborted) return;
      await recover(options, state, { error: toFleetError(thrown), signal });
    }
  }
};

interface ReflectorState {
  /** The version to watch from; undefined when the list must be read first. */
  resumeFrom: string | undefined;
  cause: RelistCause;
  failures: number;
  /** Events and bookmarks of the watch under way. */
  heard: number;
  silentWatches: number;
  /** The last watch broke, or ended before its time: the server may be another one since. */
  isInDoubt: boolean;
}

interface Run<T extends KubeObject> {
  readonly sink: ReflectorSink<T>;
  readonly signal: AbortSignal;
}

const scopeOf = <T extends KubeObject>({ namespace, labelSelector, fieldSelector }: ReflectorOptions<T>) => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(labelSelector === undefined ? {} : { labelSelector }),
  ...(fieldSelector === undefined ? {} : { fieldSelector }),
});

const relist = async <T extends KubeObject>(
  options: ReflectorOptions<T>,
  state: ReflectorState,
  { sink, signal }: Run<T>,
): Promise<void> => {
  options.onRelist?.(state.cause);
  const { client, resource, transform } = options;
  const list = await client.list(resource, { ...scopeOf(options), ...(transform ? { transform } : {}), signal });
  sink.replaced(list);
  state.resumeFrom = list.metadata.resourceVersion;
  state.silentWatches = 0;
};

/** Where the server is in its history takes no more than one object of the list, which tells the version of all. */
const askWhereItIs = async <T extends KubeObject>(
  options: ReflectorOptions<T>,
  state: ReflectorState,
  signal: AbortSignal,
): Promise<void> => {
  const { client, resource, namespace, labelSelector, fieldSelector } = options;
  const path = withQuery(collectionPath(resource, namespace), { limit: 1, labelSelector, fieldSelector });
  const page = await client.getRaw(path, { signal });
  state.isInDoubt = false;
  const revision = revisionOf(parseListVersion(page));
  if (revision > 0 && revision < revisionOf(state.resumeFrom)) startOver(state, 'went-back');
};

const parseListVersion = (page: unknown): string | undefined => {
  const metadata = isRecord(page) ? page['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
};

/** One watch from its start to its end by the server; throws when it ends in any other way. */
const watchOnce = async <T extends KubeObject>(
  options: ReflectorOptions<T>,
  state: ReflectorState,
  { sink, signal }: Run<T>,
): Promise<void> => {
  const { client, clock, random, resource } = options;
  const { least, spread } = client.watchSeconds ?? WATCH_SECONDS;
  const timeoutSeconds = least + random.integer(spread + 1);
  const startedMs = clock.elapsed();
  const resourceVersion = state.resumeFrom ?? '';
  const linked = linkedController(signal);
  const cancelWatchdog = clock.schedule(timeoutSeconds * 1_000 + WATCH_GRACE_MS, () => linked.abort(stalled()));
  state.heard = 0;
  try {
    const scope = { ...scopeOf(options), resourceVersion, timeoutSeconds, signal: linked.signal };
    for await (const event of client.watch(resource, scope)) {
      if (wentBack(event, resourceVersion)) return startOver(state, 'went-back');
      state.heard += 1;
      state.failures = 0;
      state.resumeFrom = versionOf(event) ?? state.resumeFrom;
      sink.happened(transformed(event, options.transform));
    }
  } finally {
    cancelWatchdog();
    linked.release();
  }
  const livedMs = clock.elapsed() - startedMs;
  if (state.heard === 0 && livedMs < SHORTEST_HEALTHY_WATCH_MS) throw endedAtOnce();
  state.isInDoubt = livedMs < timeoutSeconds * 1_000 - EARLY_END_MS;
  state.failures = 0;
  noteSilence(state);
};

/** Counts watches that lived their time without a word, and loses faith in the position after a few. */
const noteSilence = (state: ReflectorState): void => {
  state.silentWatches = state.heard > 0 ? 0 : state.silentWatches + 1;
  if (state.silentWatches >= SILENT_WATCHES_MAX) startOver(state, 'silent');
};

const startOver = (state: ReflectorState, cause: RelistCause): void => {
  state.resumeFrom = undefined;
  state.isInDoubt = false;
  state.cause = cause;
};

const recover = async <T extends KubeObject>(
  { client, clock, random, logger, resource }: ReflectorOptions<T>,
  state: ReflectorState,
  { error, signal }: { readonly error: FleetError; readonly signal: AbortSignal },
): Promise<void> => {
  state.failures += 1;
  state.isInDoubt = state.resumeFrom !== undefined;
  if (isExpired(error)) startOver(state, 'expired');
  if (error.code === STALLED) noteSilence(state);
  const maxMs = (client.watchSeconds?.retryMost ?? RETRY_MOST_SECONDS) * 1_000;
  const afterMs = Math.max(backoffDelayMs({ ...RETRY, maxMs }, state.failures, random), error.retryAfterMs ?? 0);
  logger.log(state.failures > 3 ? 'warn' : 'debug', 'Cache lost its watch, trying again', {
    resource: resource.plural,
    failures: state.failures,
    afterMs,
    error,
  });
  await pause(clock, afterMs, signal);
};

/** The server no longer knows the version that we asked to start from. */
const isExpired = ({ code }: FleetError): boolean => code === 'WatchExpired' || code === 'Expired';

const versionOf = <T extends KubeObject>(event: WatchEvent<T>): string | undefined =>
  event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;

/** A version before the one we asked to start after: the server's history is not the one we know (a restored etcd). */
const wentBack = <T extends KubeObject>(event: WatchEvent<T>, startedFrom: string): boolean => {
  const revision = revisionOf(versionOf(event));
  return revision > 0 && revision < revisionOf(startedFrom);
};

const transformed = <T extends KubeObject>(
  event: WatchEvent<T>,
  transform: ((object: T) => T) | undefined,
): WatchEvent<T> =>
  transform === undefined || event.type === 'BOOKMARK' ? event : { ...event, object: transform(event.object) };

const STALLED = 'WatchStalled';

const stalled = (): FleetError =>
  new FleetError('unavailable', { code: STALLED, message: 'the watch went silent past its own end' });

const endedAtOnce = (): FleetError =>
  new FleetError('unavailable', { code: 'WatchEndedAtOnce', message: 'the server ended the watch at once' });
