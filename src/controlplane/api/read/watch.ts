/**
 * GET with watch: every change of the selected objects from a version on, as lines of JSON. An event is encoded once
 * however many watch; only who selects by labels or fields, or wants a table, may get an encoding of its own.
 */
import { apiVersionOf } from '../../../kube/types/resource.ts';
import { encodeStored } from '../../store/change.ts';
import type { Fields, StoredObject } from '../../store/object.ts';
import type { Change, Entry } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor } from '../call.ts';
import type { ApiResponse, ByteSink } from '../http.ts';
import { expired, renderStatus } from '../refusal.ts';
import { isShownAsStored, renderObject } from '../show/format.ts';
import { formatOf, metaVersionOf } from '../show/negotiate.ts';
import { isTrue, readOptionsOf } from './options.ts';
import { selectionOf } from './select.ts';

const TIMEOUT_SECONDS = 1_800;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

type EventType = Change['type'];

interface Watch {
  readonly call: Call;
  readonly isSelected: (entry: Entry) => boolean;
  /** From which version on; undefined means: first everything there is, then what changes. */
  readonly from: number | undefined;
  readonly initialEvents: 'send' | 'skip' | undefined;
  readonly timeoutMs: number;
}

export const watchObjects = (deps: ApiDeps, call: Call): ApiResponse => {
  formatOf(call);
  const watch = readWatch(deps, call);
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: (sink) => openWhenSettled(deps, watch, sink),
  };
};

/** A watch starts from facts: what is being written must be durable, or taken back, first. */
const openWhenSettled = (deps: ApiDeps, watch: Watch, sink: ByteSink): (() => void) => {
  let stop = (): void => undefined;
  let isStopped = false;
  const open = (): void => {
    if (!isStopped) stop = openWatch(deps, watch, sink);
  };
  deps.store.whenSettled(open);
  return () => {
    isStopped = true;
    stop();
  };
};

const readWatch = ({ store }: ApiDeps, call: Call): Watch => {
  const { version = 0, initialEvents, timeoutSeconds } = readOptionsOf(call, 'watch');
  const timeoutMs = (timeoutSeconds > 0 ? timeoutSeconds : TIMEOUT_SECONDS) * 1_000;
  const start = initialEvents === 'send' ? undefined : version === 0 ? undefined : version;
  const from = initialEvents === 'skip' ? (start ?? store.revision) : start;
  return { call, isSelected: selectionOf(call), from, initialEvents, timeoutMs };
};

const tooOld = (from: number, { store }: ApiDeps) => expired(`too old resource version: ${from} (${store.revision})`);

const openWatch = (deps: ApiDeps, watch: Watch, sink: ByteSink): (() => void) => {
  const { store } = deps;
  const { from } = watch;
  // A version that is yet to come is waited for, as a real API server does.
  const past = from === undefined || from > store.revision ? [] : store.since(from);
  if (past === undefined) {
    sink.push(encodeLine('ERROR', renderStatus(tooOld(from ?? 0, deps))));
    sink.end();
    return () => undefined;
  }
  const open = new OpenWatch(deps, watch, sink);
  open.start(past);
  return () => open.stop();
};

/** A fleet has thousands of them, of which most are never told anything but how far they are. */
class OpenWatch {
  readonly #deps: ApiDeps;
  readonly #watch: Watch;
  readonly #sink: ByteSink;
  readonly #render: (object: StoredObject) => Fields;
  readonly #encode: Encode;
  #unsubscribe = nothing;
  #cancelBookmark = nothing;
  #cancelEnd = nothing;

  constructor(deps: ApiDeps, watch: Watch, sink: ByteSink) {
    this.#deps = deps;
    this.#watch = watch;
    this.#sink = sink;
    this.#render = createRenderer(deps, watch.call);
    this.#encode = createEncoder(watch, this.#render);
  }

  /** First what there is, or happened since; then what happens. */
  start(past: readonly Change[]): void {
    const { store, clock, watches } = this.#deps;
    const { call, from, timeoutMs } = this.#watch;
    if (from === undefined)
      for (const line of initialLines(this.#deps, this.#watch, this.#render)) this.#sink.push(line);
    const collection = collectionFor(call);
    for (const change of past) if (change.entry.collection === collection) this.#see(change);
    if (this.#wantsBookmarks()) this.#scheduleBookmark();
    this.#unsubscribe = store.subscribe(collection, (change) => this.#see(change));
    this.#cancelEnd = clock.schedule(timeoutMs, this.#end);
    watches.add(this.#end);
  }

  stop(): void {
    this.#unsubscribe();
    this.#cancelBookmark();
    this.#cancelEnd();
    this.#deps.watches.delete(this.#end);
  }

  #see(change: Change): void {
    const { from } = this.#watch;
    const line = from !== undefined && change.revision <= from ? undefined : this.#encode(change);
    if (line !== undefined) this.#sink.push(line);
  }

  #wantsBookmarks(): boolean {
    return isTrue(this.#watch.call.query.get('allowWatchBookmarks'));
  }

  #scheduleBookmark(): void {
    const { clock, store, bookmarkEveryMs } = this.#deps;
    this.#cancelBookmark = clock.schedule(bookmarkEveryMs, () => {
      store.whenSettled(() => this.#bookmark());
      this.#scheduleBookmark();
    });
  }

  #bookmark(): void {
    if (!this.#wantsBookmarks()) return;
    const resourceVersion = String(this.#deps.store.revision);
    this.#sink.push(encodeLine('BOOKMARK', renderBookmark(this.#watch.call, { resourceVersion })));
  }

  /** A bookmark says that everything up to it was sent, so it waits for what is undecided. */
  readonly #end = (): void =>
    this.#deps.store.whenSettled(() => {
      this.stop();
      this.#bookmark();
      this.#sink.end();
    });
}

const nothing = (): void => undefined;

type Encode = (change: Change) => Uint8Array | undefined;

/** An object that comes to be selected is added, one that ceases to be is deleted, whatever happened to it. */
const createEncoder = ({ call, isSelected }: Watch, render: (object: StoredObject) => Fields): Encode => {
  const isPlain = formatOf(call) === 'object';
  return (change) => {
    const { type, entry, previous } = change;
    const isIn = type !== 'DELETED' && isSelected(entry);
    const wasIn = previous !== undefined && isSelected(previous);
    if (!isIn && !wasIn) return undefined;
    const seen: EventType = !isIn ? 'DELETED' : wasIn ? 'MODIFIED' : 'ADDED';
    const isAsStored = isPlain && seen === type && isShownAsStored(call.kind, entry);
    return isAsStored ? change.line() : encodeLine(seen, render(isIn ? entry.object : lastSelected(entry, previous)));
  };
};

/** Of an object that is no longer selected, the last state that was, under the revision at which it ceased to be. */
const lastSelected = ({ object }: Entry, previous: Entry | undefined): StoredObject => {
  const { resourceVersion } = object.metadata;
  if (previous === undefined || resourceVersion === undefined) return object;
  return { ...previous.object, metadata: { ...previous.object.metadata, resourceVersion } };
};

/** Columns are described with the first table of a watch, and not again. */
const createRenderer = (deps: ApiDeps, call: Call): ((object: StoredObject) => Fields) => {
  if (formatOf(call) !== 'table') return (object) => renderObject(deps, call, object);
  let isFirst = true;
  return (object) => {
    const table = renderObject(deps, call, object);
    const shown = isFirst ? table : { ...table, columnDefinitions: null };
    isFirst = false;
    return shown;
  };
};

/** Everything there is, as if it had just been added. */
const initialLines = (
  { store }: ApiDeps,
  { call, isSelected, initialEvents }: Watch,
  render: (object: StoredObject) => Fields,
): readonly Uint8Array[] => {
  const selected = store.list(collectionFor(call)).filter(isSelected);
  const isPlain = formatOf(call) === 'object';
  const added = selected.map((entry) => {
    const isAsStored = isPlain && isShownAsStored(call.kind, entry);
    return isAsStored ? encodeStored('ADDED', entry) : encodeLine('ADDED', render(entry.object));
  });
  if (initialEvents !== 'send' || !isTrue(call.query.get('allowWatchBookmarks'))) return added;
  const metadata = { resourceVersion: String(store.revision), annotations: { [INITIAL_EVENTS_END]: 'true' } };
  return [...added, encodeLine('BOOKMARK', renderBookmark(call, metadata))];
};

const renderBookmark = (call: Call, metadata: BookmarkMetadata): Fields => {
  const { resource } = call.kind;
  const apiVersion = metaVersionOf(call);
  const partial = { kind: 'PartialObjectMetadata', apiVersion, metadata };
  switch (formatOf(call)) {
    case 'table':
      return { kind: 'Table', apiVersion, metadata, columnDefinitions: [], rows: [{ cells: [], object: partial }] };
    case 'metadata':
      return partial;
    default:
      return { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
  }
};

interface BookmarkMetadata {
  readonly resourceVersion: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const encodeLine = (type: EventType | 'BOOKMARK' | 'ERROR', object: Fields): Uint8Array =>
  Buffer.from(`${JSON.stringify({ type, object })}\n`);
