/** CustomResourceDefinition itself: the kind that makes kinds. */
import { isEqualJson } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { decode } from '../decode/decode.ts';
import { shapeOfSchema } from '../patch/shape.ts';
import { invalidValue, notSupported, type Problem, required } from '../refusal.ts';
import { checkRuleTexts } from '../schema/cel.ts';
import { checkPatterns } from '../schema/patterns.ts';
import { parseSchema } from '../schema/schema.ts';
import { checkStructure } from '../schema/structural.ts';
import { checkName, label, subdomain } from './checks/names.ts';
import { CRD_COLUMNS, NAME_COLUMN } from './columns.ts';
import { type CrdVersion, type Definition, readDefinition, textIn, textsIn } from './crd-definition.ts';
import { asStored, collectionOf, type ServedKind, type WriteScene } from './served-kind.ts';
import type { TypeBook } from './types/builtin-schema.ts';

export const CRD_RESOURCE = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
} as const;

/** Holds a CRD until its objects are gone. */
export const CRD_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export interface CrdKindDeps {
  readonly book: TypeBook;
  /** All that are stored. */
  definitions(): readonly StoredObject[];
  /** Whether objects of that collection are served without a CRD. */
  isTaken(collection: string): boolean;
}

export const createCrdKind = ({ book, definitions, isTaken }: CrdKindDeps): ServedKind => {
  const schema = book('apiextensions.CustomResourceDefinition');
  return {
    resource: CRD_RESOURCE,
    singular: 'customresourcedefinition',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    selectableFields: [],
    columns: [NAME_COLUMN, ...CRD_COLUMNS],
    shape: shapeOfSchema(schema, book('meta.ObjectMeta')),
    schema,
    origin: 'builtin',
    generation: 'counted',
    statusOnCreate: 'kept',
    decode: (value, refuse) => {
      const decoded = decode(value, schema, refuse);
      return { value: fieldsOf(decoded.value), unknown: decoded.unknown };
    },
    readAs: asStored,
    fillDefaults: fillCrd,
    prepare: (crd, scene) => prepareCrd(crd, scene, definitions()),
    check: (crd, { old }) => checkCrd(crd, old, isTaken),
  };
};

const fillCrd = (crd: StoredObject): StoredObject => {
  const spec = fieldsOf(crd['spec']);
  const names = fieldsOf(spec['names']);
  const kind = textIn(names, 'kind');
  const filled = {
    ...names,
    singular: textIn(names, 'singular') || kind.toLowerCase(),
    listKind: textIn(names, 'listKind') || `${kind}List`,
  };
  return {
    ...crd,
    spec: { ...spec, names: filled, conversion: { strategy: 'None', ...fieldsOf(spec['conversion']) } },
  };
};

/** A definition whose names are free is served at once, so it is established at once. */
const prepareCrd = (crd: StoredObject, { old, time }: WriteScene, others: readonly StoredObject[]): StoredObject => {
  const definition = readDefinition(crd);
  const { metadata } = crd;
  const conflict = findConflict(
    definition,
    others.filter((other) => other.metadata.name !== metadata.name),
  );
  const stored = definition.versions.filter(({ isStorage }) => isStorage).map(({ name }) => name);
  const status = {
    ...(conflict === undefined && { acceptedNames: definition.names }),
    ...(conflict !== undefined && {
      acceptedNames: fieldsOf(old?.['status'])['acceptedNames'] ?? { kind: '', plural: '' },
    }),
    storedVersions: [...new Set([...textsIn(fieldsOf(old?.['status']), 'storedVersions'), ...stored])],
    conditions: [...conditionsOf(conflict, old, time), ...conditionsOfOthers(crd)],
  };
  const finalizers = old === undefined ? [...(metadata.finalizers ?? []), CRD_FINALIZER] : metadata.finalizers;
  return { ...crd, metadata: { ...metadata, ...(finalizers !== undefined && { finalizers }) }, status };
};

interface NameConflict {
  readonly reason: string;
  readonly name: string;
}

/** Names within a group mean one kind each. */
const findConflict = ({ group, names }: Definition, others: readonly StoredObject[]): NameConflict | undefined => {
  const ofGroup = others.map(readDefinition).filter((other) => other.group === group);
  const resources = new Set(
    ofGroup.flatMap((other) => [other.plural, textIn(other.names, 'singular'), ...textsIn(other.names, 'shortNames')]),
  );
  const kinds = new Set(ofGroup.flatMap((other) => [other.kind, textIn(other.names, 'listKind')]));
  const claims: readonly (readonly [string, readonly string[], ReadonlySet<string>])[] = [
    ['PluralConflict', [textIn(names, 'plural')], resources],
    ['SingularConflict', [textIn(names, 'singular')], resources],
    ['ShortNamesConflict', textsIn(names, 'shortNames'), resources],
    ['KindConflict', [textIn(names, 'kind')], kinds],
    ['ListKindConflict', [textIn(names, 'listKind')], kinds],
  ];
  for (const [reason, wanted, taken] of claims) {
    const name = wanted.find((one) => one !== '' && taken.has(one));
    if (name !== undefined) return { reason, name };
  }
  return undefined;
};

const OUR_CONDITIONS: readonly unknown[] = ['NamesAccepted', 'Established'];

/** What somebody else says of the definition is kept as it is written. */
const conditionsOfOthers = (crd: StoredObject): readonly Fields[] => {
  const { conditions } = fieldsOf(crd['status']);
  return Array.isArray(conditions) ? conditions.map(fieldsOf).filter(({ type }) => !OUR_CONDITIONS.includes(type)) : [];
};

const conditionsOf = (conflict: NameConflict | undefined, old: StoredObject | undefined, time: string) => {
  const before = fieldsOf(old?.['status'])['conditions'];
  const known = Array.isArray(before) ? before.map(fieldsOf) : [];
  const say = (type: string, status: string, words: { readonly reason: string; readonly message: string }) => {
    const last = known.find((one) => one['type'] === type && one['status'] === status);
    return { type, status, lastTransitionTime: last?.['lastTransitionTime'] ?? time, ...words };
  };
  if (conflict !== undefined) {
    const message = `${JSON.stringify(conflict.name)} is already in use`;
    return [
      say('NamesAccepted', 'False', { reason: conflict.reason, message }),
      say('Established', 'False', { reason: 'NotAccepted', message: 'not all names are accepted' }),
    ];
  }
  return [
    say('NamesAccepted', 'True', { reason: 'NoConflicts', message: 'no conflicts found' }),
    say('Established', 'True', {
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    }),
  ];
};

const checkCrd = (
  crd: StoredObject,
  old: StoredObject | undefined,
  isTaken: CrdKindDeps['isTaken'],
): readonly Problem[] => {
  const definition = readDefinition(crd);
  const { group, plural, versions } = definition;
  const storing = versions.filter(({ isStorage }) => isStorage).length;
  const conversion = textIn(fieldsOf(definition.spec['conversion']), 'strategy');
  const isKnown = isTaken(collectionOf({ group, plural }));
  return [
    ...checkNames(definition),
    ...checkApproval(definition, crd),
    ...(crd.metadata.name === `${plural}.${group}`
      ? []
      : [invalidValue('metadata.name', crd.metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...(storing === 1
      ? []
      : [invalidValue('spec.versions', versions.length, 'must have exactly one version marked as storage version')]),
    ...(conversion === 'None' || isKnown ? [] : [notSupported('spec.conversion.strategy', conversion, ['None'])]),
    ...(isKnown ? [] : versions.flatMap((version, at) => checkVersion(version, at, schemaPathOf(versions, at)))),
    ...checkFixed(definition, old),
  ];
};

const checkNames = ({ group, kind, plural, names, spec }: Definition): readonly Problem[] => {
  const scope = spec['scope'];
  return [
    ...(group === '' ? [required('spec.group')] : checkName('spec.group', group, subdomain)),
    ...(kind === '' ? [required('spec.names.kind')] : []),
    ...(plural === '' ? [required('spec.names.plural')] : checkName('spec.names.plural', plural, label)),
    ...textsIn(names, 'shortNames').flatMap((name, at) => checkName(`spec.names.shortNames[${at}]`, name, label)),
    ...(scope === 'Cluster' || scope === 'Namespaced'
      ? []
      : [notSupported('spec.scope', scope ?? '', ['Cluster', 'Namespaced'])]),
  ];
};

const APPROVAL = 'api-approved.kubernetes.io';
const APPROVAL_HELP = `see https://github.com/kubernetes/enhancements/pull/1111`;

/** Kubernetes' own groups are not for everybody. */
const checkApproval = ({ group }: Definition, { metadata }: StoredObject): readonly Problem[] => {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const approval = fieldsOf(metadata['annotations'])[APPROVAL];
  if (approval === undefined || approval === '') {
    return [required(field, `protected groups must have approval annotation "${APPROVAL}", ${APPROVAL_HELP}`)];
  }
  const text = String(approval);
  if (text.startsWith('unapproved') || /^https?:\/\//.test(text)) return [];
  const why = `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", ${APPROVAL_HELP}`;
  return [invalidValue(field, approval, why)];
};

/** A schema that all versions share is named as one. */
const schemaPathOf = (versions: readonly CrdVersion[], at: number): string => {
  const isShared = versions.every(({ schema }) => isEqualJson(schema, versions[0]?.schema));
  return isShared ? 'spec.validation.openAPIV3Schema' : `spec.versions[${at}].schema.openAPIV3Schema`;
};

const checkVersion = ({ name, schema }: CrdVersion, at: number, path: string): readonly Problem[] => {
  const field = `spec.versions[${at}]`;
  const problems: Problem[] = [...checkName(`${field}.name`, name, label)];
  if (schema === undefined) return [...problems, required(`${field}.schema.openAPIV3Schema`, 'schemas are required')];
  const parsed = parseSchema(schema);
  const structure = checkStructure(parsed, path);
  problems.push(...structure, ...checkPatterns(parsed, path));
  // What the fields are is not known of a schema that is broken.
  if (structure.length === 0) problems.push(...checkRuleTexts(parsed, path));
  return problems;
};

/** What its objects are stored under cannot change. */
const checkFixed = (next: Definition, old: StoredObject | undefined): readonly Problem[] => {
  if (old === undefined) return [];
  const before = readDefinition(old);
  const fixed = [
    ['spec.group', before.group, next.group],
    ['spec.scope', before.scope, next.scope],
    ['spec.names.plural', before.plural, next.plural],
    ['spec.names.kind', before.kind, next.kind],
  ] as const;
  return fixed.flatMap(([field, was, is]) => (was === is ? [] : [invalidValue(field, is, 'field is immutable')]));
};
