/** OpenAPI v3, as an API server tells it, turned into JSON schemas as kubeconform reads them. Pure. */
import { isRecord } from '../../../src/base/json.ts';

export interface SchemaFile {
  readonly path: string;
  readonly schema: object;
}

/** Of a file, by what kubeconform knows of an object: in lower case, and the core group is called as its version. */
export const SCHEMA_LOCATION = '{{ .Group }}/{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json';

/** Files for all kinds of one group and version: one with everything, and one for each kind that points into it. */
export const toSchemaFiles = (apiVersion: string, document: unknown): readonly SchemaFile[] => {
  const [group = '', version = group] = apiVersion.split('/');
  const schemas = componentsOf(document);
  const all = `all_${version}.json`;
  const definitions = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toStrict(schema)]));
  const kinds = Object.entries(schemas).flatMap(([name, schema]) =>
    kindsOf(schema, apiVersion).map((kind) => ({
      path: `${group}/${kind.toLowerCase()}_${version}.json`,
      schema: { $ref: `${all}#/definitions/${name}` },
    })),
  );
  return [{ path: `${group}/${all}`, schema: { definitions } }, ...kinds];
};

const componentsOf = (document: unknown): Readonly<Record<string, unknown>> => {
  const components = isRecord(document) ? document['components'] : undefined;
  const schemas = isRecord(components) ? components['schemas'] : undefined;
  if (isRecord(schemas)) return schemas;
  throw new Error('the API server told no schemas');
};

const kindsOf = (schema: unknown, apiVersion: string): readonly string[] => {
  const known = isRecord(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
  return (Array.isArray(known) ? known : [])
    .filter(({ group, version }) => (group === '' ? version : `${group}/${version}`) === apiVersion)
    .map(({ kind }) => String(kind));
};

const LOCAL = '#/components/schemas/';
/** Under these are schemas by names that are nobody's keyword. */
const NAMED = ['properties', 'patternProperties'];

/** With references into the one file, null where it is allowed, and no field that it does not name. */
const toStrict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(toStrict);
  if (!isRecord(schema)) return schema;
  const { nullable, $ref, type, ...rest } = schema;
  const inner = Object.entries(rest).map(([key, value]) => [key, translate(key, value)]);
  return {
    ...Object.fromEntries(inner),
    ...(typeof $ref === 'string' && { $ref: $ref.replace(LOCAL, '#/definitions/') }),
    ...(type !== undefined && { type: nullable === true ? [type, 'null'] : type }),
    ...(isClosed(schema) && { additionalProperties: false }),
  };
};

const translate = (key: string, value: unknown): unknown => {
  if (key === 'default' || key === 'enum' || key === 'example') return value;
  if (!NAMED.includes(key) || !isRecord(value)) return toStrict(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, toStrict(schema)]));
};

/** An object whose fields are all named. A rule about some of them (in oneOf and the like) has no type, and stays open. */
const isClosed = (schema: Readonly<Record<string, unknown>>): boolean =>
  schema['type'] === 'object' &&
  isRecord(schema['properties']) &&
  schema['additionalProperties'] === undefined &&
  schema['x-kubernetes-preserve-unknown-fields'] !== true;
