/** CustomResourceDefinitions: the kind that makes kinds. A stored CRD is parsed once into what serves its objects. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, parseStoredObject, type StoredObject } from '../../store/object.ts';
import { namesOf, parseJsonPath } from '../json-path.ts';
import { BUILTIN_SHAPE, shapeOfSchema } from '../patch/shape.ts';
import { badRequest, invalidValue, type Problem, required } from '../refusal.ts';
import { checkRules, compileRules } from '../schema/cel.ts';
import { fillDefaults } from '../schema/fill-defaults.ts';
import { checkPatterns } from '../schema/patterns.ts';
import { prune } from '../schema/prune.ts';
import { parseSchema, type Schema } from '../schema/schema.ts';
import { validate } from '../schema/validate.ts';
import { AGE_COLUMN, at, CRD_COLUMNS, NAME_COLUMN } from './columns.ts';
import type { Column, ScalePaths, ServedKind, Subresource } from './served-kind.ts';

export const CRD_RESOURCE = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
} as const;

/** Holds a CRD until its objects are gone. */
export const CRD_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

interface Definition {
  readonly group: string;
  readonly names: Fields;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly Fields[];
}

const textIn = (fields: Fields, name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');

const textsIn = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.map(String) : [];
};

const readDefinition = (crd: StoredObject): Definition => {
  const spec = fieldsOf(crd['spec']);
  const names = fieldsOf(spec['names']);
  const { versions } = spec;
  return {
    group: textIn(spec, 'group'),
    names,
    kind: textIn(names, 'kind'),
    plural: textIn(names, 'plural'),
    scope: spec['scope'] === 'Cluster' ? 'Cluster' : 'Namespaced',
    versions: Array.isArray(versions) ? versions.filter(isRecord) : [],
  };
};

export const createCrdKind = (): ServedKind => ({
  resource: CRD_RESOURCE,
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  subresources: ['status'],
  selectableFields: [],
  columns: [NAME_COLUMN, ...CRD_COLUMNS],
  shape: BUILTIN_SHAPE,
  origin: 'builtin',
  statusOnCreate: 'kept',
  prepare: prepareCrd,
  check: checkCrd,
});

/** A definition that passes the checks is served at once, so it is established at once. */
const prepareCrd: ServedKind['prepare'] = (crd, { old }) => {
  const { names, versions, kind } = readDefinition(crd);
  const { metadata } = crd;
  const at = metadata.creationTimestamp;
  const say = (type: string, reason: string, message: string) => ({
    ...{ type, status: 'True', reason, message, lastTransitionTime: at },
  });
  const status = {
    acceptedNames: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
    storedVersions: versions.filter((version) => version['storage'] === true).map((version) => version['name']),
    conditions: [
      say('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      say('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
  };
  const finalizers = old === undefined ? [...(metadata.finalizers ?? []), CRD_FINALIZER] : metadata.finalizers;
  return { ...crd, metadata: { ...metadata, ...(finalizers !== undefined && { finalizers }) }, status };
};

const checkCrd: ServedKind['check'] = (crd) => {
  const { group, kind, plural, versions } = readDefinition(crd);
  const problems: Problem[] = [];
  if (group === '') problems.push(required('spec.group'));
  if (kind === '') problems.push(required('spec.names.kind'));
  if (plural === '') problems.push(required('spec.names.plural'));
  if (crd.metadata.name !== `${plural}.${group}`) {
    problems.push(invalidValue('metadata.name', crd.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    problems.push(
      invalidValue('spec.versions', versions.length, 'must have exactly one version marked as storage version'),
    );
  }
  for (const [index, version] of versions.entries()) {
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    const schema = fieldsOf(version['schema'])['openAPIV3Schema'];
    if (!isRecord(schema)) problems.push(required(field, 'schemas are required'));
    else problems.push(...checkSchema(parseSchema(schema), field));
  }
  return problems;
};

const checkSchema = (schema: Schema, field: string): readonly Problem[] => {
  const problems = [...checkPatterns(schema, field)];
  compileRules(schema, field, (problem) => problems.push(problem));
  return problems;
};

/**
 * What the definition serves: its storage version. Others would need conversion, which this server does not do; asking
 * for them is answered as an unknown path.
 */
export const toCustomKind = (crd: StoredObject): ServedKind | undefined => {
  const definition = readDefinition(crd);
  const { group, names, kind, plural, scope } = definition;
  const version = definition.versions.find((one) => one['storage'] === true && one['served'] !== false);
  if (version === undefined) return undefined;
  const raw = fieldsOf(fieldsOf(version['schema'])['openAPIV3Schema']);
  const declared = fieldsOf(version['subresources']);
  const scale = isRecord(declared['scale']) ? readScale(declared['scale']) : undefined;
  const subresources: Subresource[] = [];
  if (isRecord(declared['status'])) subresources.push('status');
  if (scale !== undefined) subresources.push('scale');
  return {
    resource: { group, version: textIn(version, 'name'), kind, plural, scope },
    singular: textIn(names, 'singular') || kind.toLowerCase(),
    shortNames: textsIn(names, 'shortNames'),
    categories: textsIn(names, 'categories'),
    subresources,
    selectableFields: readSelectable(version['selectableFields']),
    columns: readColumns(version['additionalPrinterColumns']),
    shape: shapeOfSchema(raw),
    origin: 'custom',
    statusOnCreate: subresources.includes('status') ? 'dropped' : 'kept',
    ...(scale !== undefined && { scale }),
    ...bySchema(raw),
    schema: raw,
  };
};

const bySchema = (raw: Fields): Pick<ServedKind, 'prepare' | 'check'> => {
  const schema = parseSchema(raw);
  const rules = compileRules(schema, '', () => undefined);
  return {
    prepare: (object, { strictness }) => {
      const { value, dropped } = prune(object, schema);
      if (strictness === 'Strict' && dropped.length > 0) {
        const listed = dropped.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ');
        throw badRequest(
          `${object.kind} in version "${object.apiVersion}" cannot be handled as a ${object.kind}: strict decoding error: ${listed}`,
        );
      }
      return parseStoredObject(fillDefaults(value, schema));
    },
    check: (object, { old }) => {
      const problems = validate(object, schema, { path: '', old });
      if (rules === undefined || problems.some(({ reason }) => BLOCKING.includes(reason))) return problems;
      return [...problems, ...checkRules(object, rules, { path: '', old })];
    },
  };
};

/** After these the rules cannot be tried: what they look at may be missing or of another type. */
const BLOCKING: readonly string[] = [
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
];

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
    }),
  );
  return [NAME_COLUMN, ...columns];
};
