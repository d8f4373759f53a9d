/** GET of one object and of a collection. Pages of one list are of one moment: the token says which. */
import { apiVersionOf } from '../../../kube/types/resource.ts';
import type { Fields } from '../../store/object.ts';
import type { Entry, Store } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, findEntry } from '../call.ts';
import { type ApiResponse, reply, replyJson } from '../http.ts';
import { badRequest, expired, tooLargeVersion } from '../refusal.ts';
import { jsonOf, renderMetadata, renderObject, renderTable } from '../show/format.ts';
import { formatOf, metaVersionOf } from '../show/negotiate.ts';
import { parseToken, renderToken } from './continue-token.ts';
import { parseVersion, type ReadOptions, readOptionsOf } from './options.ts';
import { selectionOf } from './select.ts';

export const getObject = (deps: ApiDeps, call: Call): ApiResponse => {
  const version = call.query.get('resourceVersion') ?? '';
  if (version !== '') checkReached(deps.store, parseVersion(version));
  const entry = findEntry(deps, call);
  return formatOf(call) === 'object'
    ? replyJson(200, jsonOf(call, entry))
    : reply(200, renderObject(deps, call, entry.object));
};

const checkReached = ({ revision }: Store, asked: number): void => {
  if (asked > revision) throw tooLargeVersion(asked, revision);
};

interface Page {
  readonly entries: readonly Entry[];
  readonly metadata: Fields;
}

export const listObjects = (deps: ApiDeps, call: Call): ApiResponse => {
  const format = formatOf(call);
  const { entries, metadata } = readPage(deps.store, call);
  const { resource } = call.kind;
  switch (format) {
    case 'table': {
      const objects = entries.map(({ object }) => call.kind.readAs(object));
      return reply(200, renderTable(objects, { call, nowMs: deps.clock.now(), listMetadata: metadata }));
    }
    case 'metadata': {
      const items = entries.map(({ object }) => renderMetadata(call, object));
      return reply(200, { kind: 'PartialObjectMetadataList', apiVersion: metaVersionOf(call), metadata, items });
    }
    default: {
      const head = JSON.stringify({ kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata });
      const items = entries.map((entry) => itemOf(call, entry)).join(',');
      return replyJson(200, `${head.slice(0, -1)},"items":[${items}]}`);
    }
  }
};

/** Items of a list of a built-in kind leave out what the list says already. */
const itemOf = (call: Call, entry: Entry): string => {
  const json = jsonOf(call, entry);
  const { resource, origin, schema } = call.kind;
  if (origin === 'custom' || schema.typeName === undefined) return json;
  const said = `{"apiVersion":${JSON.stringify(apiVersionOf(resource))},"kind":${JSON.stringify(resource.kind)},`;
  return json.startsWith(said) ? `{${json.slice(said.length)}` : json;
};

const readPage = (store: Store, call: Call): Page => {
  const options = readOptionsOf(call, 'list');
  const { all, revision, after } = readMoment(store, call, options);
  const isSelected = selectionOf(call);
  const selected = all.filter((entry) => (after === undefined || entry.key > after) && isSelected(entry));
  const resourceVersion = String(revision);
  const { limit } = options;
  const last = limit > 0 ? selected[limit - 1] : undefined;
  const left = selected.length - limit;
  if (last === undefined || left <= 0) return { entries: selected, metadata: { resourceVersion } };
  const isWhole = !call.query.get('labelSelector') && !call.query.get('fieldSelector');
  return {
    entries: selected.slice(0, limit),
    metadata: {
      resourceVersion,
      continue: renderToken({ revision, after: last.key }),
      // How much is left is told only where it costs a real API server nothing to know.
      ...(isWhole && { remainingItemCount: left }),
    },
  };
};

interface Moment {
  readonly all: readonly Entry[];
  readonly revision: number;
  /** The key after which to go on. */
  readonly after?: string;
}

const readMoment = (store: Store, call: Call, options: ReadOptions): Moment => {
  const collection = collectionFor(call);
  const now = { all: store.list(collection), revision: store.revision };
  const { version = 0, match, limit, continueToken } = options;
  if (continueToken !== '') return readNext(store, collection, options);
  checkReached(store, version);
  const isExact = match === 'Exact' || (match === undefined && limit > 0 && version > 0);
  if (!isExact) return now;
  const all = store.listAt(collection, version);
  if (all === undefined) throw expired('The resourceVersion for the provided list is too old.');
  return { all, revision: version };
};

const readNext = (store: Store, collection: string, { version = 0, match, continueToken }: ReadOptions): Moment => {
  const { revision, after } = parseToken(continueToken);
  if (version !== 0 || match !== undefined) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (revision === undefined) return { all: store.list(collection), revision: store.revision, after };
  const all = store.listAt(collection, revision);
  if (all !== undefined) return { all, revision, after };
  throw expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    renderToken({ revision: undefined, after }),
  );
};
