/** GET of one object and of a collection. Pages of one list are of one moment: the token says which. */
import { apiVersionOf } from '../../../kube/types/resource.ts';
import type { Fields } from '../../store/object.ts';
import type { Entry, Store } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, findEntry } from '../call.ts';
import { type ApiResponse, reply, replyJson } from '../http.ts';
import { badRequest, expired } from '../refusal.ts';
import { formatOf, renderMetadata, renderTable } from '../show/format.ts';
import { selectionOf } from './select.ts';

export const getObject = (deps: ApiDeps, call: Call): ApiResponse => {
  const entry = findEntry(deps, call);
  const resourceVersion = entry.object.metadata.resourceVersion;
  switch (formatOf(call)) {
    case 'table':
      return reply(200, renderTable([entry], { call, nowMs: deps.clock.now(), listMetadata: { resourceVersion } }));
    case 'metadata':
      return reply(200, renderMetadata(entry));
    default:
      return replyJson(200, entry.json);
  }
};

interface Page {
  readonly entries: readonly Entry[];
  readonly metadata: Fields;
}

export const listObjects = (deps: ApiDeps, call: Call): ApiResponse => {
  const { entries, metadata } = readPage(deps.store, call);
  const { resource } = call.kind;
  switch (formatOf(call)) {
    case 'table':
      return reply(200, renderTable(entries, { call, nowMs: deps.clock.now(), listMetadata: metadata }));
    case 'metadata': {
      const items = entries.map(renderMetadata);
      return reply(200, { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items });
    }
    default: {
      const head = JSON.stringify({ kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata });
      return replyJson(200, `${head.slice(0, -1)},"items":[${entries.map(({ json }) => json).join(',')}]}`);
    }
  }
};

const readPage = (store: Store, call: Call): Page => {
  const { query } = call;
  const token = parseToken(query.get('continue') ?? '');
  const revision = token?.revision ?? store.revision;
  const collection = collectionFor(call);
  const all = token === undefined ? store.list(collection) : store.listAt(collection, revision);
  if (all === undefined) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  const selected = all.filter(selectionOf(call)).filter(({ key }) => token === undefined || key > token.after);
  const resourceVersion = String(revision);
  const limit = Number(query.get('limit') ?? 0);
  const last = limit > 0 ? selected[limit - 1] : undefined;
  const left = selected.length - limit;
  if (last === undefined || left <= 0) return { entries: selected, metadata: { resourceVersion } };
  const next = renderToken({ revision, after: last.key });
  const metadata = { resourceVersion, continue: next, remainingItemCount: left };
  return { entries: selected.slice(0, limit), metadata };
};

interface Token {
  readonly revision: number;
  readonly after: string;
}

const renderToken = ({ revision, after }: Token): string => Buffer.from(`${revision} ${after}`).toString('base64url');

const parseToken = (text: string): Token | undefined => {
  if (text === '') return undefined;
  const [, revision, after] = /^(\d+) (.*)$/.exec(Buffer.from(text, 'base64url').toString('utf8')) ?? [];
  if (revision === undefined || after === undefined) throw badRequest('continue key is not valid');
  return { revision: Number(revision), after };
};
