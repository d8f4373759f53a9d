/**
 * GET with watch: every change of the selected objects from a version on, as lines of JSON. An event is encoded once
 * however many watch; only who selects by labels or fields, or wants a table, may get an encoding of its own.
 */
import { apiVersionOf } from '../../../kube/types/resource.ts';
import type { Fields } from '../../store/object.ts';
import type { Change, Entry } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor } from '../call.ts';
import type { ApiResponse, ByteSink } from '../http.ts';
import { badRequest, expired, renderStatus } from '../refusal.ts';
import { formatOf, renderMetadata, renderTable } from '../show/format.ts';
import { selectionOf } from './select.ts';

const BOOKMARK_EVERY_MS = 12_000;
const TIMEOUT_SECONDS = 1_800;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

type EventType = Change['type'];

interface Watch {
  readonly call: Call;
  readonly isSelected: (entry: Entry) => boolean;
  /** From which version on; undefined means: first everything there is, then what changes. */
  readonly from: number | undefined;
}

export const watchObjects = (deps: ApiDeps, call: Call): ApiResponse => {
  const watch: Watch = { call, isSelected: selectionOf(call), from: readStart(call) };
  if (watch.from !== undefined && deps.store.since(watch.from) === undefined) throw tooOld(watch.from, deps);
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: (sink) => openWatch(deps, watch, sink),
  };
};

const readStart = ({ query }: Call): number | undefined => {
  const version = query.get('resourceVersion') ?? '';
  if (version === '' || version === '0' || query.get('sendInitialEvents') === 'true') return undefined;
  if (!/^\d+$/.test(version)) throw badRequest(`Invalid value: ${JSON.stringify(version)}: not a resource version`);
  return Number(version);
};

/** A version that is yet to come is of a store that was lost: the client must list again, as after one too old. */
const tooOld = (from: number, { store }: ApiDeps) => expired(`too old resource version: ${from} (${store.revision})`);

const openWatch = (deps: ApiDeps, watch: Watch, sink: ByteSink): (() => void) => {
  const { store, clock, watches } = deps;
  const { call, from } = watch;
  const encode = createEncoder(deps, watch);
  const past = from === undefined ? [] : store.since(from);
  if (past === undefined) {
    sink.push(encodeLine('ERROR', renderStatus(tooOld(from ?? 0, deps))));
    sink.end();
    return () => undefined;
  }
  if (from === undefined) pushAll(deps, watch, sink);
  const collection = collectionFor(call);
  const see = (change: Change): void => {
    const line = encode(change);
    if (line !== undefined) sink.push(line);
  };
  for (const change of past) if (change.entry.collection === collection) see(change);

  const wantsBookmarks = call.query.get('allowWatchBookmarks') === 'true';
  const bookmark = (): void => {
    if (wantsBookmarks) sink.push(encodeLine('BOOKMARK', renderBookmark(call, store.revision)));
  };
  let cancelBookmark = (): void => undefined;
  const schedule = (): void => {
    cancelBookmark = clock.schedule(BOOKMARK_EVERY_MS, () => {
      bookmark();
      schedule();
    });
  };
  if (wantsBookmarks) schedule();
  const unsubscribe = store.subscribe(collection, see);
  const stop = (): void => {
    unsubscribe();
    cancelBookmark();
    cancelEnd();
    watches.delete(end);
  };
  const end = (): void => {
    stop();
    bookmark();
    sink.end();
  };
  const cancelEnd = clock.schedule(timeoutMs(call), end);
  watches.add(end);
  return stop;
};

const timeoutMs = ({ query }: Call): number => (Number(query.get('timeoutSeconds') ?? 0) || TIMEOUT_SECONDS) * 1_000;

type Encode = (change: Pick<Change, 'type' | 'entry' | 'previous' | 'line'>) => Uint8Array | undefined;

/** An object that comes to be selected is added, one that ceases to be is deleted, whatever happened to it. */
const createEncoder = (deps: ApiDeps, { call, isSelected }: Watch): Encode => {
  const format = formatOf(call);
  const render = createRenderer(deps, call);
  return ({ type, entry, previous, line }) => {
    const isIn = type !== 'DELETED' && isSelected(entry);
    const wasIn = previous !== undefined && isSelected(previous);
    if (!isIn && !wasIn) return undefined;
    const seen: EventType = !isIn ? 'DELETED' : wasIn ? 'MODIFIED' : 'ADDED';
    return seen === type && format === 'object' ? line() : encodeLine(seen, render(entry));
  };
};

const createRenderer = ({ clock }: ApiDeps, call: Call): ((entry: Entry) => Fields) => {
  switch (formatOf(call)) {
    case 'table':
      return (entry) => {
        const { resourceVersion } = entry.object.metadata;
        return renderTable([entry], { call, nowMs: clock.now(), listMetadata: { resourceVersion } });
      };
    case 'metadata':
      return renderMetadata;
    default:
      return ({ object }) => object;
  }
};

/** Everything there is, as if it had just been added. */
const pushAll = (deps: ApiDeps, { call, isSelected }: Watch, sink: ByteSink): void => {
  const { store } = deps;
  const render = createRenderer(deps, call);
  for (const entry of store.list(collectionFor(call))) {
    if (isSelected(entry)) sink.push(encodeLine('ADDED', render(entry)));
  }
  if (call.query.get('sendInitialEvents') !== 'true') return;
  const metadata = { resourceVersion: String(store.revision), annotations: { [INITIAL_EVENTS_END]: 'true' } };
  sink.push(encodeLine('BOOKMARK', { ...renderBookmark(call, store.revision), metadata }));
};

const renderBookmark = ({ kind: { resource } }: Call, revision: number): Fields => ({
  kind: resource.kind,
  apiVersion: apiVersionOf(resource),
  metadata: { resourceVersion: String(revision), creationTimestamp: null },
});

const encodeLine = (type: EventType | 'BOOKMARK' | 'ERROR', object: Fields): Uint8Array =>
  Buffer.from(`${JSON.stringify({ type, object })}\n`);
