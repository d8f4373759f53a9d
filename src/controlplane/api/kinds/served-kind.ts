/** A kind as the API serves it: its names, and what is particular about its objects. Data; the verbs are in read/ and write/. */
import type { KubeObject } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import type { User } from '../../auth/user.ts';
import type { Fields, StoredObject } from '../../store/object.ts';
import type { Refuse } from '../decode/decode.ts';
import type { Shape } from '../patch/shape.ts';
import type { Problem } from '../refusal.ts';
import type { Schema } from '../schema/schema.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown by `-o wide` only. */
  readonly priority?: number;
  /** What the cell shows; a date as RFC 3339. */
  cell(object: StoredObject): unknown;
}

export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

export type Subresource = 'status' | 'scale' | 'approval' | 'binding' | 'eviction' | 'finalize' | 'log' | 'token';

/** Who writes, through which path, and what there was before. */
export interface WriteScene {
  readonly user: User;
  readonly old: StoredObject | undefined;
  readonly subresource: Subresource | undefined;
  /** Now, as RFC 3339. */
  readonly time: string;
}

export interface ServedKind {
  readonly resource: Resource<KubeObject>;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Beside metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  readonly columns: readonly Column[];
  /** How lists inside merge, for apply and strategic merge. */
  readonly shape: Shape;
  /** Kinds from CRDs differ: no strategic merge, updates need a version, status leaves metadata alone. */
  readonly origin: 'builtin' | 'custom';
  readonly scale?: ScalePaths;
  /** The group and version in which objects are stored, where they are not the kind's own. */
  readonly storedAs?: { readonly group: string; readonly version: string };
  /** Whether a status sent with a create is kept. */
  readonly statusOnCreate: 'kept' | 'dropped';
  /** Whether changes of the spec are counted. */
  readonly generation: 'counted' | 'none';
  /** The object without fields that the kind does not have, and their paths. */
  decode(value: Fields, refuse: Refuse): DecodedFields;
  /** A stored object as this version of the kind shows it; the same object when nothing differs. */
  readAs(object: StoredObject): StoredObject;
  /** Sets what the client left out. */
  fillDefaults(object: StoredObject): StoredObject;
  /** Sets and drops what the server decides. */
  prepare(object: StoredObject, scene: WriteScene): StoredObject;
  /** What is wrong with the object as it would be stored. */
  check(object: StoredObject, scene: WriteScene): readonly Problem[];
  readonly schema: Schema;
}

export interface DecodedFields {
  readonly value: Fields;
  readonly unknown: readonly string[];
}

/** For kinds whose objects are shown as they are stored: nobody need parse one to send it. */
export const asStored = (object: StoredObject): StoredObject => object;

/** Stored objects never change, so what was made of one holds for as long as it is there. */
export const rememberFor = (make: (object: StoredObject) => StoredObject): ((object: StoredObject) => StoredObject) => {
  const made = new WeakMap<StoredObject, StoredObject>();
  return (object) => {
    const found = made.get(object) ?? make(object);
    made.set(object, found);
    return found;
  };
};

/** The name of a kind's collection in the store: the same for all its versions, and for all groups that show its objects. */
export const collectionOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  `${group}/${plural}`;

export const collectionOfKind = ({ resource, storedAs = resource }: ServedKind): string =>
  collectionOf({ group: storedAs.group, plural: resource.plural });

/** How a refusal names an object that is invalid: as it is stored. */
export const nameInStore = ({ resource, storedAs = resource }: ServedKind): ServedKind['resource'] =>
  storedAs.group === resource.group ? resource : { ...resource, group: storedAs.group };

/** Namespaces are deleted one by one. */
export const isDeletedTogether = ({ resource: { group, kind } }: ServedKind): boolean =>
  !(group === '' && kind === 'Namespace');
