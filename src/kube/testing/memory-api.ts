/**
 * A small API server in memory, for tests of the runtime: versions, conflicts, preconditions, finalizers, status, lists in
 * pages, field selectors, watches with history, bookmarks and compaction, Pods that are bound and deleted gracefully, and
 * a way back in time. It validates nothing: that is the business of the embedded control plane.
 */
import { isEqualJson, isRecord } from '../../base/json.ts';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
}

export interface WatchSink {
  push(chunk: Uint8Array): void;
  end(): void;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A watch opens a sink and returns what to call when the reader is gone. */
  readonly body: string | ((sink: WatchSink) => () => void);
}

type Fields = Readonly<Record<string, unknown>>;

/** The metadata this server keeps and changes; other fields pass through. */
interface StoredMeta extends Fields {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
}

export interface StoredObject extends Fields {
  readonly metadata: StoredMeta;
}

interface HistoryEntry {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly collection: string;
  readonly object: StoredObject;
}

interface Target {
  /** `/api/v1/pods`: the same for every namespace. */
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

export interface ApiSnapshot {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, StoredObject>;
}

export interface WriteRecord {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

export class MemoryApi {
  readonly #now: () => string;
  readonly #history: HistoryEntry[] = [];
  readonly #watches = new Set<{ readonly see: (entry: HistoryEntry) => void; readonly sink: WatchSink }>();
  #objects = new Map<string, StoredObject>();
  #revision = 1;
  #compactedTo = 0;
  #uids = 0;
  /** Every request that is not a read, with how it was answered. */
  readonly writes: WriteRecord[] = [];

  constructor(now: () => string = () => '2026-01-01T00:00:00Z') {
    this.#now = now;
  }

  get revision(): number {
    return this.#revision;
  }

  /** All objects of a collection, such as `/api/v1/pods`. */
  objects(collection: string): readonly StoredObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${collection} `)).map(([, object]) => object);
  }

  handle(request: ApiRequest): ApiResponse {
    const target = parseTarget(request.path);
    const body: unknown = request.body === undefined ? undefined : JSON.parse(textOf(request.body));
    const response = this.#dispatch(request.method, target, body);
    if (request.method !== 'GET') {
      this.writes.push({ method: request.method, path: request.path, status: response.status, body });
    }
    return response;
  }

  /** Forgets history before now: older watches and continue tokens are answered with 410. */
  compact(): void {
    this.#compactedTo = this.#revision;
  }

  bookmarkAll(): void {
    const line = { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.#revision) } } };
    for (const { sink } of this.#watches) sink.push(encode(line));
  }

  endWatches(): void {
    for (const { sink } of [...this.#watches]) sink.end();
    this.#watches.clear();
  }

  snapshot(): ApiSnapshot {
    return { revision: this.#revision, objects: new Map(this.#objects) };
  }

  /** As after a restored backup: older objects under older versions, and every connection gone. */
  restore({ revision, objects }: ApiSnapshot): void {
    this.#objects = new Map(objects);
    this.#revision = revision;
    this.#history.length = 0;
    this.endWatches();
  }

  #dispatch(method: string, target: Target, body: unknown): ApiResponse {
    if (method === 'POST') return this.#post(target, body);
    if (target.name === undefined) {
      return target.query.has('watch') ? this.#watch(target) : this.#list(target);
    }
    const key = keyIn(target, target.name);
    const found = this.#objects.get(key);
    if (found === undefined) {
      const isApply = method === 'PATCH' && target.query.has('force');
      return isApply ? this.#create(target, body) : refuse(404, 'NotFound', `${target.name} not found`);
    }
    switch (method) {
      case 'GET':
        return reply(200, found);
      case 'PUT':
        return this.#change(target, found, parseFields(body));
      case 'PATCH':
        return this.#change(target, found, mergeInto(found, parseFields(body)));
      case 'DELETE':
        return this.#delete(target, found, body);
      default:
        return refuse(405, 'MethodNotAllowed', method);
    }
  }

  #list(target: Target): ApiResponse {
    const all = this.#select(target);
    const [token, offset] = (target.query.get('continue') ?? '').split('.');
    if (token !== '' && Number(token) < this.#compactedTo) return refuse(410, 'Expired', 'continue token too old');
    const from = Number(offset ?? 0);
    const limit = Number(target.query.get('limit') ?? 0) || all.length;
    const isLast = from + limit >= all.length;
    const resourceVersion = String(this.#revision);
    const metadata = { resourceVersion, ...(isLast ? {} : { continue: `${resourceVersion}.${from + limit}` }) };
    return reply(200, { kind: 'List', apiVersion: 'v1', metadata, items: all.slice(from, from + limit) });
  }

  #select(target: Target): readonly StoredObject[] {
    return this.objects(target.collection).filter((object) => isSelected(target, object));
  }

  #watch(target: Target): ApiResponse {
    const from = Number(target.query.get('resourceVersion') ?? 0);
    if (from < this.#compactedTo) return refuse(410, 'Expired', `too old resource version: ${from}`);
    const concerns = ({ collection, object }: HistoryEntry): boolean =>
      collection === target.collection && isSelected(target, object);
    const open = (sink: WatchSink): (() => void) => {
      const see = (entry: HistoryEntry): void => {
        if (concerns(entry)) sink.push(encode({ type: entry.type, object: entry.object }));
      };
      for (const entry of this.#history) if (entry.revision > from) see(entry);
      const watch = { see, sink };
      this.#watches.add(watch);
      return () => this.#watches.delete(watch);
    };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: open };
  }

  #create(target: Target, body: unknown): ApiResponse {
    const fields = parseFields(body);
    const given = parseFields(fields['metadata']);
    const name = typeof given['name'] === 'string' ? given['name'] : `${given['generateName']}${this.#uids}`;
    if (this.#objects.has(keyIn(target, name))) return refuse(409, 'AlreadyExists', `${name} already exists`);
    this.#uids += 1;
    const metadata = {
      ...given,
      name,
      ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
      uid: `uid-${this.#uids}`,
      generation: 1,
      creationTimestamp: this.#now(),
      resourceVersion: '',
    };
    return reply(201, this.#store('ADDED', target, { ...fields, metadata }));
  }

  #post(target: Target, body: unknown): ApiResponse {
    if (target.subresource === 'binding') return this.#bind(target, body);
    if (target.subresource !== 'eviction') return this.#create(target, body);
    const found = this.#objects.get(keyIn(target, target.name ?? ''));
    if (found === undefined) return refuse(404, 'NotFound', `${target.name} not found`);
    return this.#delete(target, found, parseFields(body)['deleteOptions']);
  }

  /** Answers with a Status, as Kubernetes does. */
  #bind(target: Target, body: unknown): ApiResponse {
    const found = this.#objects.get(keyIn(target, target.name ?? ''));
    if (found === undefined) return refuse(404, 'NotFound', `${target.name} not found`);
    const spec = parseFields(found['spec'] ?? {});
    if (spec['nodeName'] !== undefined)
      return refuse(409, 'Conflict', `pod is already assigned to ${spec['nodeName']}`);
    const nodeName = parseFields(parseFields(body)['target'])['name'];
    this.#store('MODIFIED', target, { ...found, spec: { ...spec, nodeName } });
    return reply(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
  }

  #change(target: Target, found: StoredObject, wanted: Fields): ApiResponse {
    const meta = parseFields(wanted['metadata']);
    const { resourceVersion, uid } = found.metadata;
    if ((meta['resourceVersion'] ?? resourceVersion) !== resourceVersion) {
      return refuse(409, 'Conflict', 'the object has been modified');
    }
    if ((meta['uid'] ?? uid) !== uid) return refuse(409, 'Conflict', 'uid differs');
    const isStatus = target.subresource === 'status';
    const isSpecChanged = !isStatus && !isEqualJson(found['spec'], wanted['spec']);
    const next: StoredObject = isStatus
      ? { ...found, status: wanted['status'] }
      : {
          ...wanted,
          ...('status' in found ? { status: found['status'] } : {}),
          metadata: {
            ...found.metadata,
            ...meta,
            name: found.metadata.name,
            uid,
            resourceVersion,
            generation: found.metadata.generation + (isSpecChanged ? 1 : 0),
          },
        };
    if (isEqualJson(next, found)) return reply(200, found);
    const isHeld = (next.metadata.finalizers ?? []).length > 0 || isBoundPod(target, next);
    const isFreed = next.metadata.deletionTimestamp !== undefined && !isHeld;
    return reply(200, this.#store(isFreed ? 'DELETED' : 'MODIFIED', target, next));
  }

  #delete(target: Target, found: StoredObject, body: unknown): ApiResponse {
    const wanted = isRecord(body) ? parseFields(body['preconditions'] ?? {}) : {};
    const { uid, resourceVersion, finalizers = [], deletionTimestamp } = found.metadata;
    if ((wanted['uid'] ?? uid) !== uid || (wanted['resourceVersion'] ?? resourceVersion) !== resourceVersion) {
      return refuse(409, 'Conflict', 'precondition failed');
    }
    const isAtOnce = !isBoundPod(target, found) || (isRecord(body) && body['gracePeriodSeconds'] === 0);
    if (finalizers.length === 0 && isAtOnce) return reply(200, this.#store('DELETED', target, found));
    const grace = isAtOnce && isPod(target) ? { deletionGracePeriodSeconds: 0 } : {};
    const metadata = { ...found.metadata, deletionTimestamp: deletionTimestamp ?? this.#now(), ...grace };
    if (isEqualJson(metadata, found.metadata)) return reply(200, found);
    return reply(200, this.#store('MODIFIED', target, { ...found, metadata }));
  }

  #store(type: HistoryEntry['type'], target: Target, object: StoredObject): StoredObject {
    this.#revision += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
    const key = keyIn(target, stored.metadata.name);
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, stored);
    const entry: HistoryEntry = { type, revision: this.#revision, collection: target.collection, object: stored };
    this.#history.push(entry);
    for (const { see } of this.#watches) see(entry);
    return stored;
  }
}

const keyIn = ({ collection, namespace }: Target, name: string): string =>
  namespace === undefined ? `${collection} ${name}` : `${collection} ${namespace}/${name}`;

/** Its end is told by the agent on the Node, with a grace period of 0. */
const isBoundPod = (target: Target, { spec, metadata }: StoredObject): boolean =>
  isPod(target) && isRecord(spec) && spec['nodeName'] !== undefined && metadata['deletionGracePeriodSeconds'] !== 0;

const isPod = ({ collection }: Target): boolean => collection === '/api/v1/pods';

/** By namespace, and by a field selector made of `path.of.fields=value`. */
const isSelected = ({ namespace, query }: Target, object: StoredObject): boolean => {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  const terms = (query.get('fieldSelector') ?? '').split(',').filter((term) => term !== '');
  return terms.every((term) => {
    const [path = '', value = ''] = term.split('=');
    return (
      String(path.split('.').reduce<unknown>((at, field) => (isRecord(at) ? at[field] : undefined), object) ?? '') ===
      value
    );
  });
};

const PATH = /^(\/api|\/apis\/[^/]+)\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

const parseTarget = (pathAndQuery: string): Target => {
  const [path = '', query = ''] = pathAndQuery.split('?');
  const [, root, version, namespace, plural, name, subresource] = PATH.exec(path) ?? [];
  return {
    collection: `${root}/${version}/${plural}`,
    namespace,
    name,
    subresource,
    query: new URLSearchParams(query),
  };
};

const parseFields = (value: unknown): Fields => {
  if (!isRecord(value)) throw new TypeError(`expected an object, got ${JSON.stringify(value)}`);
  return value;
};

const mergeInto = (target: unknown, patch: Fields): Fields => {
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = isRecord(value) ? mergeInto(merged[key], value) : value;
  }
  return merged;
};

const textOf = (body: string | Uint8Array): string => (typeof body === 'string' ? body : Buffer.from(body).toString());

const encode = (line: unknown): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);

const reply = (status: number, body: unknown): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const refuse = (code: number, reason: string, message: string): ApiResponse =>
  reply(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
