/** The types of the OpenAPI documents in the notation of src/controlplane/api/kinds/types/builtin-schema.ts. Pure. */
import { nameOfDefinition, type Root } from './roots.ts';

/** A part of an OpenAPI document, as far as it is read. */
export interface Definition {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Definition[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly items?: Definition;
  readonly additionalProperties?: Definition;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

export type Definitions = Readonly<Record<string, Definition>>;

export interface DescribedField {
  readonly name: string;
  /** `*` required, `+` a struct that is always there. */
  readonly marks: string;
  readonly type: string;
  /** `=Always`, or nothing. */
  readonly fallback: string;
}

export interface DescribedType {
  readonly name: string;
  readonly isAtomic: boolean;
  readonly fields: readonly DescribedField[];
}

/** Definitions that are words of the notation. */
const WORDS: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'microtime',
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'intstr',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'any',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'any',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps': 'jsonschema',
};

/** The types of the roots, and all that they are made of. */
export const describeTypes = (definitions: Definitions, roots: readonly Root[]): readonly DescribedType[] => {
  const found = new Map(roots.map(({ name, definition }) => [name, definition]));
  const described: DescribedType[] = [];
  const refer = (definition: string): string => {
    const word = WORDS[definition];
    if (word !== undefined) return word;
    const name = nameOfDefinition(definition);
    found.set(name, definition);
    return name;
  };
  // A map goes on with what is added to it while it is gone through.
  for (const [name, full] of found) {
    const definition = definitions[full];
    if (definition === undefined) throw new Error(`the documents define no ${full}`);
    described.push({
      name,
      isAtomic: definition['x-kubernetes-map-type'] === 'atomic',
      fields: Object.entries(definition.properties ?? {}).map(([field, part]) =>
        describeField(field, part, { refer, required: definition.required ?? [] }),
      ),
    });
  }
  return described;
};

interface Around {
  readonly required: readonly string[];
  refer(definition: string): string;
}

const describeField = (name: string, part: Definition, { required, refer }: Around): DescribedField => {
  const isAtomic = part['x-kubernetes-map-type'] === 'atomic';
  return {
    name,
    marks: `${required.includes(name) ? '*' : ''}${isAlwaysThere(part) ? '+' : ''}`,
    type: `${isAtomic ? '!' : ''}${describeType(part, refer)}`,
    fallback: fallbackOf(part),
  };
};

const referenceIn = ({ $ref, allOf }: Definition): string | undefined =>
  ($ref ?? allOf?.[0]?.$ref)?.replace('#/components/schemas/', '');

const isAlwaysThere = (part: Definition): boolean => {
  const { default: fallback } = part;
  const isEmptyObject = typeof fallback === 'object' && fallback !== null && Object.keys(fallback).length === 0;
  return referenceIn(part) !== undefined && isEmptyObject;
};

/** Zeros are no news. */
const fallbackOf = ({ default: fallback }: Definition): string =>
  fallback && typeof fallback !== 'object' ? `=${String(fallback)}` : '';

const describeType = (part: Definition, refer: Around['refer']): string => {
  const reference = referenceIn(part);
  if (reference !== undefined) return refer(reference);
  const { type, format, items, additionalProperties } = part;
  switch (type) {
    case 'array':
      return `${listMarkOf(part)}${describeType(items ?? {}, refer)}`;
    case 'object':
      return additionalProperties === undefined ? 'any' : `{}${describeType(additionalProperties, refer)}`;
    case 'string':
      return format === 'byte' ? 'bytes' : 'string';
    case 'integer':
      return format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    default:
      return 'any';
  }
};

const listMarkOf = (part: Definition): string => {
  switch (part['x-kubernetes-list-type']) {
    case 'map':
      return `[${(part['x-kubernetes-list-map-keys'] ?? []).join(',')}]`;
    case 'set':
      return '[=]';
    default:
      return part['x-kubernetes-patch-strategy'] === undefined
        ? '[]'
        : `[~${part['x-kubernetes-patch-merge-key'] ?? ''}]`;
  }
};
