/** Which kinds are served now: the built-in ones, and one for every served version of every stored CRD. */
import type { Store } from '../../store/store.ts';
import { createBuiltinKinds } from './builtin-kinds.ts';
import { CRD_RESOURCE, createCrdKind } from './crd-kind.ts';
import { toCustomKinds } from './custom-kinds.ts';
import { collectionOf, collectionOfKind, type ServedKind } from './served-kind.ts';
import type { TypeBook } from './types/builtin-schema.ts';
import { UNSUPPORTED_KINDS } from './unsupported-kinds.ts';

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface Registry {
  find(name: KindName): ServedKind | undefined;
  /** Every version of every kind; of a kind with several versions the preferred one comes first. */
  all(): readonly ServedKind[];
  /** One version of the kind whose objects are in that collection. */
  ofCollection(collection: string): ServedKind | undefined;
}

const nameOf = ({ group, version, plural }: KindName): string => `${group}/${version}/${plural}`;

/** Follows the CRDs in the store for as long as the store lives. */
export const createRegistry = (store: Store, book: TypeBook): Registry => {
  const refused = UNSUPPORTED_KINDS.filter(({ group }) => group.endsWith('.x-k8s.io')).map(collectionOf);
  const simple = createBuiltinKinds(book);
  const taken = new Set([...simple.map(({ resource }) => collectionOf(resource)), ...refused]);
  const collection = collectionOf(CRD_RESOURCE);
  const definitions = () => store.list(collection).map(({ object }) => object);
  const builtin = [...simple, createCrdKind({ book, definitions, isTaken: (name) => taken.has(name) })];
  const custom = new Map<string, readonly ServedKind[]>();

  let list: readonly ServedKind[] = builtin;
  let byName = new Map<string, ServedKind>();
  let byCollection = new Map<string, ServedKind>();
  const index = (): void => {
    list = [...builtin, ...[...custom.values()].flat()];
    byName = new Map(list.map((kind) => [nameOf(kind.resource), kind]));
    byCollection = new Map(list.toReversed().map((kind) => [collectionOfKind(kind), kind]));
  };

  /** A CRD for a kind that is built in (Cluster API's own) is stored, and the built-in kind goes on serving. */
  const serve = (key: string, kinds: readonly ServedKind[]): void => {
    const [first] = kinds;
    if (first === undefined || taken.has(collectionOf(first.resource))) custom.delete(key);
    else custom.set(key, kinds);
  };
  for (const { key, object } of store.list(collection)) serve(key, toCustomKinds(object, book));
  index();
  store.subscribe(collection, ({ type, entry }) => {
    serve(entry.key, type === 'DELETED' ? [] : toCustomKinds(entry.object, book));
    index();
  });

  return {
    all: () => list,
    find: (name) => byName.get(nameOf(name)),
    ofCollection: (name) => byCollection.get(name),
  };
};
