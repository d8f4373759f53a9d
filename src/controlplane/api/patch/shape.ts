/**
 * How an object's lists and maps merge: element by element under a key, as a set, or as one piece. Server-side apply and
 * strategic merge ask this; it comes from a CRD's schema, or from the table of the built-in kinds below.
 */
import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';

export type ListShape =
  | { readonly merges: 'atomic' }
  | { readonly merges: 'set' }
  /** The first key is also strategic merge's; the defaults stand in for keys that an item leaves out. */
  | { readonly merges: 'map'; readonly keys: readonly string[]; readonly defaults?: Readonly<Record<string, unknown>> };

export interface Shape {
  readonly list: ListShape;
  /** A map that is replaced as a whole. */
  readonly map: 'granular' | 'atomic';
  field(name: string): Shape;
  readonly items: Shape;
}

const ATOMIC: ListShape = { merges: 'atomic' };
const SET: ListShape = { merges: 'set' };
const by = (...keys: readonly string[]): ListShape => ({ merges: 'map', keys });

/** Lists of the built-in kinds that do not merge as one piece, by the name of their field. */
const BUILTIN_LISTS: Readonly<Record<string, ListShape>> = {
  finalizers: SET,
  ownerReferences: by('uid'),
  conditions: by('type'),
  addresses: by('type'),
  containers: by('name'),
  initContainers: by('name'),
  ephemeralContainers: by('name'),
  env: by('name'),
  volumes: by('name'),
  volumeMounts: by('mountPath'),
  volumeDevices: by('devicePath'),
  imagePullSecrets: by('name'),
  secrets: by('name'),
  hostAliases: by('ip'),
  podIPs: by('ip'),
  hostIPs: by('ip'),
  resourceClaims: by('name'),
  volumesAttached: by('name'),
  topologySpreadConstraints: by('topologyKey', 'whenUnsatisfiable'),
};

const TCP = { protocol: 'TCP' } as const;
const CONTAINER_PORTS: ListShape = { merges: 'map', keys: ['containerPort', 'protocol'], defaults: TCP };
const SERVICE_PORTS: ListShape = { merges: 'map', keys: ['port', 'protocol'], defaults: TCP };
const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'];

/** Maps of the built-in kinds that are replaced as a whole. */
const BUILTIN_ATOMIC_MAPS = ['selector', 'nodeSelector', 'matchLabels', 'secretRef', 'configMapRef', 'fieldRef'];

const namedShape = (name: string, parent: string): Shape => ({
  list:
    name === 'ports'
      ? CONTAINER_LISTS.includes(parent)
        ? CONTAINER_PORTS
        : SERVICE_PORTS
      : (BUILTIN_LISTS[name] ?? ATOMIC),
  map: BUILTIN_ATOMIC_MAPS.includes(name) ? 'atomic' : 'granular',
  field: (child) => namedShape(child, name),
  get items() {
    return namedShape(name, parent);
  },
});

export const BUILTIN_SHAPE: Shape = namedShape('', '');

/** Below what a schema knows: maps merge, lists do not. */
const UNKNOWN_SHAPE: Shape = {
  list: ATOMIC,
  map: 'granular',
  field: () => UNKNOWN_SHAPE,
  get items() {
    return UNKNOWN_SHAPE;
  },
};

/** The shape that a CRD's schema describes. Metadata is everybody's, and known. */
export const shapeOfSchema = (schema: Fields): Shape => {
  const inner = schemaShape(schema);
  return { ...inner, field: (name) => (name === 'metadata' ? BUILTIN_SHAPE : inner.field(name)) };
};

const schemaShape = (schema: unknown): Shape => {
  if (!isRecord(schema)) return UNKNOWN_SHAPE;
  return {
    list: listShapeOf(schema),
    map: schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
    field: (name) => {
      const { properties, additionalProperties } = schema;
      const own = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return schemaShape(own);
    },
    get items() {
      return schemaShape(schema['items']);
    },
  };
};

const listShapeOf = (schema: Fields): ListShape => {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === 'set') return SET;
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return ATOMIC;
  const { properties } = isRecord(schema['items']) ? schema['items'] : {};
  const defaults = keys.flatMap((key: string) => {
    const property = isRecord(properties) ? properties[key] : undefined;
    return isRecord(property) && property['default'] !== undefined ? [[key, property['default']]] : [];
  });
  return { merges: 'map', keys: keys.map(String), defaults: Object.fromEntries(defaults) };
};

/** What tells one item of such a list from the others, as one text. */
export const itemKey = (item: unknown, { keys, defaults = {} }: Extract<ListShape, { merges: 'map' }>): string =>
  JSON.stringify(
    Object.fromEntries(
      keys.toSorted().map((key) => [key, (isRecord(item) ? item[key] : undefined) ?? defaults[key] ?? null]),
    ),
  );
