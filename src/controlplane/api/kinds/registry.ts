/** Which kinds are served now: the built-in ones, and one for every stored CRD. */
import type { Store } from '../../store/store.ts';
import { createBuiltinKinds } from './builtin-kinds.ts';
import { CRD_RESOURCE, createCrdKind, toCustomKind } from './custom-kinds.ts';
import { collectionOf, type ServedKind } from './served-kind.ts';

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface Registry {
  find(name: KindName): ServedKind | undefined;
  all(): readonly ServedKind[];
}

/** Follows the CRDs in the store for as long as the store lives. */
export const createRegistry = (store: Store): Registry => {
  const builtin = [...createBuiltinKinds(), createCrdKind()];
  const taken = new Set(builtin.map(({ resource }) => collectionOf(resource)));
  const custom = new Map<string, ServedKind>();
  const collection = collectionOf(CRD_RESOURCE);

  /** A CRD for a kind that is built in (Cluster API's own) is stored, and the built-in kind goes on serving. */
  const serve = (key: string, kind: ServedKind | undefined): void => {
    if (kind === undefined || taken.has(collectionOf(kind.resource))) custom.delete(key);
    else custom.set(key, kind);
  };
  for (const { key, object } of store.list(collection)) serve(key, toCustomKind(object));
  store.subscribe(collection, ({ type, entry }) => {
    serve(entry.key, type === 'DELETED' ? undefined : toCustomKind(entry.object));
  });

  const all = (): readonly ServedKind[] => [...builtin, ...custom.values()];
  return {
    all,
    find: ({ group, version, plural }) =>
      all().find(
        ({ resource }) => resource.plural === plural && resource.group === group && resource.version === version,
      ),
  };
};
