/** What a stored CRD serves: one kind for each of its versions, all of them the same objects (conversion `None`). */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, parseStoredObject, type StoredObject } from '../../store/object.ts';
import { decodeMetadata } from '../decode/decode.ts';
import { namesOf, parseJsonPath } from '../json-path.ts';
import { shapeOfSchema } from '../patch/shape.ts';
import { invalidValue } from '../refusal.ts';
import { checkRules, compileRules } from '../schema/cel.ts';
import { fillDefaults } from '../schema/fill-defaults.ts';
import { createPatternBook } from '../schema/patterns.ts';
import { prune } from '../schema/prune.ts';
import { parseSchema } from '../schema/schema.ts';
import { validate } from '../schema/validate.ts';
import { AGE_COLUMN, at, NAME_COLUMN } from './columns.ts';
import { type CrdVersion, type Definition, readDefinition, textIn, textsIn } from './crd-definition.ts';
import { type Column, rememberFor, type ScalePaths, type ServedKind, type Subresource } from './served-kind.ts';
import type { TypeBook } from './types/builtin-schema.ts';

/** Nothing while the definition's names are not accepted. */
export const toCustomKinds = (crd: StoredObject, book: TypeBook): readonly ServedKind[] => {
  const definition = readDefinition(crd);
  const storage = definition.versions.find(({ isStorage }) => isStorage);
  if (storage === undefined || !isEstablished(crd)) return [];
  return definition.versions
    .filter(({ isServed }) => isServed)
    .map((version) => toCustomKind({ definition, version, storageVersion: storage.name }, book));
};

const isEstablished = (crd: StoredObject): boolean => {
  const { conditions } = fieldsOf(crd['status']);
  if (!Array.isArray(conditions)) return false;
  return conditions.some((one) => isRecord(one) && one['type'] === 'Established' && one['status'] === 'True');
};

interface Parts {
  readonly definition: Definition;
  readonly version: CrdVersion;
  readonly storageVersion: string;
}

const toCustomKind = ({ definition, version, storageVersion }: Parts, book: TypeBook): ServedKind => {
  const { group, names, kind, plural, scope } = definition;
  const schema = parseSchema(version.schema);
  const metadata = book('meta.ObjectMeta');
  const declared = fieldsOf(version.fields['subresources']);
  const scale = isRecord(declared['scale']) ? readScale(declared['scale']) : undefined;
  const subresources: Subresource[] = [];
  if (isRecord(declared['status'])) subresources.push('status');
  if (scale !== undefined) subresources.push('scale');
  const rules = compileRules(schema);
  const patterns = createPatternBook();
  const fill = (object: StoredObject): StoredObject => parseStoredObject(fillDefaults(object, schema));
  return {
    resource: { group, version: version.name, kind, plural, scope },
    singular: textIn(names, 'singular') || kind.toLowerCase(),
    shortNames: textsIn(names, 'shortNames'),
    categories: textsIn(names, 'categories'),
    subresources,
    selectableFields: readSelectable(version.fields['selectableFields']),
    columns: readColumns(version.fields['additionalPrinterColumns']),
    shape: shapeOfSchema(schema, metadata),
    schema,
    origin: 'custom',
    storedAs: { group, version: storageVersion },
    generation: 'counted',
    statusOnCreate: subresources.includes('status') ? 'dropped' : 'kept',
    ...(scale !== undefined && { scale }),
    decode: (value, refuse) => {
      const decoded = decodeMetadata(value, metadata, refuse);
      const pruned = prune(decoded.value, schema, metadata);
      return { value: fieldsOf(pruned.value), unknown: [...decoded.unknown, ...pruned.dropped] };
    },
    readAs: rememberFor((object) => asVersion(fill(object), `${group}/${version.name}`)),
    fillDefaults: fill,
    prepare: (object) => asVersion(object, `${group}/${storageVersion}`),
    check: (object, { old }) => {
      const problems = validate(object, schema, { path: '', old, patterns });
      if (rules === undefined) return problems;
      if (problems.some(({ reason }) => BLOCKING.includes(reason))) return [...problems, RULES_UNCHECKED];
      return [...problems, ...checkRules(object, rules, { path: '', old })];
    },
  };
};

/** After these the rules cannot be tried: what they look at may be missing or of another type. */
const BLOCKING: readonly string[] = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
];

const RULES_UNCHECKED = invalidValue(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

const asVersion = (object: StoredObject, apiVersion: string): StoredObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion };

const readScale = (scale: Fields): ScalePaths => {
  const read = (name: string): readonly string[] | undefined => namesOf(parseJsonPath(textIn(scale, name)) ?? []);
  return {
    specReplicas: read('specReplicasPath') ?? ['spec', 'replicas'],
    statusReplicas: read('statusReplicasPath') ?? ['status', 'replicas'],
    selector: scale['labelSelectorPath'] === undefined ? undefined : read('labelSelectorPath'),
  };
};

const readSelectable = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((one) => textIn(fieldsOf(one), 'jsonPath').replace(/^\./, '')) : [];

const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const;

const readColumns = (value: unknown): readonly Column[] => {
  if (!Array.isArray(value) || value.length === 0) return [NAME_COLUMN, AGE_COLUMN];
  const columns = value.filter(isRecord).map((one) =>
    at(textIn(one, 'name'), textIn(one, 'jsonPath'), {
      type: COLUMN_TYPES.find((type) => type === one['type']) ?? 'string',
      ...(typeof one['description'] === 'string' && { description: one['description'] }),
      ...(typeof one['priority'] === 'number' && { priority: one['priority'] }),
      ...(typeof one['format'] === 'string' && { format: one['format'] }),
    }),
  );
  return [NAME_COLUMN, ...columns];
};
