/** A structural schema of a CRD, as far as the server reads it. Parsed once when the CRD is stored. */
import { isRecord } from '../../../base/json.ts';

export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
  /** Built-in types only: how Go names the type in messages, and how the data of the built-in types names it. */
  readonly goType?: string;
  readonly typeName?: string;
  /** Built-in types only: fields that are there although nobody sets them. Nobody owns that they are there. */
  readonly alwaysThere?: readonly string[];
  /** Built-in types only: texts, numbers and truths of which zero is more than absence. */
  readonly zeroCounts?: readonly string[];
  /** Built-in types only: fields by their number in protobuf, and those of them that only protobuf has. */
  readonly numbers?: ReadonlyMap<number, string>;
  readonly wrappers?: ReadonlyMap<string, () => Schema>;
}

/** Whoever stored the CRD answers for the schema's inside; a schema that is no object at all allows everything. */
export const parseSchema = (value: unknown): Schema =>
  isRecord(value) ? (value as Schema) : { 'x-kubernetes-preserve-unknown-fields': true };

/** The schema of a field: its own, or that of all fields of a map; undefined when the field is not known. */
export const fieldSchema = (schema: Schema, name: string): Schema | undefined => {
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
};

export const isNone = (value: unknown): boolean => value === undefined || value === null;

/** How a field is written in a message: `spec.name`, `spec.labels[a.b/c]`. */
export const joinField = (path: string, name: string): string => {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
};
