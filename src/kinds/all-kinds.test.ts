import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRecord } from '../base/json.ts';
import { ALL_KINDS } from './all-kinds.ts';
import { toCustomResourceDefinition, toObjectSchema } from './schema/crd.ts';
import { PARSERS } from './testing/parsers.ts';
import { structuralProblems } from './testing/structural-problems.ts';

/** Whether a path such as `.spec.pool.prefix` leads to a field of the schema. */
/** Of a list: the item that a field tells apart, as in `.conditions[?(@.type=="Ready")].message`. */
const STEP = /\.(\w+)(?:\[\?\(@\.(\w+)=="\w+"\)\])?/g;

const leadsToField = (schema: unknown, path: string): boolean => {
  let node: unknown = schema;
  for (const [, name = '', told] of path.matchAll(STEP)) {
    node = propertyOf(node, name);
    if (told === undefined) continue;
    node = isRecord(node) ? node['items'] : undefined;
    if (propertyOf(node, told) === undefined) return false;
  }
  return isRecord(node) && path.replaceAll(STEP, '') === '';
};

const propertyOf = (node: unknown, name: string): unknown =>
  isRecord(node) && isRecord(node['properties']) ? node['properties'][name] : undefined;

for (const kind of ALL_KINDS) {
  const { resource } = kind;
  const schema = toObjectSchema(kind);
  const crd = toCustomResourceDefinition(kind);

  describe(`the CRD of ${resource.kind}`, () => {
    it('is structural and describes every field in a sentence', () => {
      assert.deepEqual(structuralProblems(schema), []);
    });

    it('prints columns of fields that exist', () => {
      const wrong = kind.columns.filter(
        ({ jsonPath }) => !jsonPath.startsWith('.metadata.') && !leadsToField(schema, jsonPath),
      );
      assert.deepEqual(wrong, []);
    });

    it('scales by fields that exist', () => {
      for (const path of Object.values(kind.scale ?? {})) assert.ok(leadsToField(schema, path), path);
    });

    it('is named as Cluster API derives the name from the kind', () => {
      assert.equal(crd.metadata.name, `${resource.kind.toLowerCase()}s.${resource.group}`);
    });

    it('has strict conditions, because Cluster API core decodes them without checking', () => {
      const conditions: unknown = JSON.parse(JSON.stringify(schema)).properties.status.properties.conditions;
      assert.ok(isRecord(conditions) && isRecord(conditions['items']));
      assert.deepEqual(conditions['x-kubernetes-list-map-keys'], ['type']);
      assert.deepEqual(conditions['items']['required'], ['type', 'status', 'reason', 'message', 'lastTransitionTime']);
    });

    it('has a reader', () => {
      assert.ok(Object.keys(PARSERS).includes(resource.kind));
    });
  });
}

describe('our kinds together', () => {
  const labelsOf = (name: string) => ALL_KINDS.find(({ resource }) => resource.kind === name)?.labels ?? {};

  it('carry the contract label where Cluster API core reads them, and only there', () => {
    const labelled = ALL_KINDS.filter(({ labels }) => labels['cluster.x-k8s.io/v1beta2'] === 'v1alpha1');
    assert.deepEqual(
      labelled.map(({ resource }) => resource.kind),
      [
        'ScalewayAppleSiliconMachine',
        'ScalewayAppleSiliconMachineTemplate',
        'ScalewayAppleSiliconCluster',
        'ScalewayAppleSiliconControlPlane',
      ],
    );
  });

  it('belong to the provider in the eyes of clusterctl', () => {
    const expected = {
      'cluster.x-k8s.io/provider': 'infrastructure-scaleway-applesilicon',
      'clusterctl.cluster.x-k8s.io': '',
    };
    assert.deepEqual(labelsOf('MacHost'), expected);
    assert.deepEqual(labelsOf('ScalewayAppleSiliconMachine'), { ...expected, 'cluster.x-k8s.io/v1beta2': 'v1alpha1' });
  });

  it('have no spec.failureDomain, which core would copy over that of the Machine', () => {
    const offenders = ALL_KINDS.filter((kind) => leadsToField(toObjectSchema(kind), '.spec.failureDomain'));
    assert.deepEqual(offenders, []);
  });

  it('let only a machine have a providerID: one in a template would name one host for all', () => {
    const schemas = ALL_KINDS.map((kind) => JSON.stringify(toObjectSchema(kind)));
    assert.equal(schemas.filter((schema) => schema.includes('"providerID":')).length, 1);
  });

  it('never share a short name', () => {
    const shortNames = ALL_KINDS.map(({ shortName }) => shortName);
    assert.deepEqual(shortNames, ['samm', 'sammt', 'sasc', 'sascp', 'mh', 'rpool']);
  });
});

describe('the check of structural schemas itself', () => {
  const described = { type: 'object', description: 'An object.' };
  const cases = [
    { story: 'a reference', schema: { $ref: '#/x', description: 'A.', type: 'string' }, says: /\$ref/ },
    { story: 'a union', schema: { ...described, oneOf: [] }, says: /oneOf/ },
    {
      story: 'a field without a type',
      schema: { ...described, properties: { a: { description: 'A.' } } },
      says: /\$\.a: type/,
    },
    {
      story: 'a field without a description',
      schema: { ...described, properties: { a: { type: 'string' } } },
      says: /\$\.a: has no description/,
    },
    {
      story: 'a map list whose key may be absent',
      schema: mapListOf({ a: { type: 'string' } }),
      says: /key a may be absent/,
    },
    {
      story: 'fields beside free keys',
      schema: { ...described, properties: {}, additionalProperties: {} },
      says: /exclude each other/,
    },
    {
      story: 'a rule without a message',
      schema: { ...described, 'x-kubernetes-validations': [{ rule: 'true' }] },
      says: /rule without/,
    },
    { story: 'an integer without a format', schema: { type: 'integer', description: 'A.' }, says: /without a format/ },
  ];
  for (const { story, schema, says } of cases) {
    it(`finds ${story}`, () => assert.match(structuralProblems(schema).join('\n'), says));
  }
});

function mapListOf(properties: object) {
  return {
    type: 'array',
    description: 'A list.',
    maxItems: 1,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
    items: { type: 'object', properties },
  };
}
