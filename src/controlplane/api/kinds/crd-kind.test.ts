import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/x.io/v1/namespaces/default/things';

const schemaWith = (spec: object, more: object = {}) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec } }, ...more },
});
const sizeSchema = schemaWith({ properties: { size: { type: 'integer' } } });
const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: sizeSchema,
  ...more,
});
const crdOf = (versions: readonly object[], names: object = {}) => ({
  metadata: { name: 'things.x.io' },
  spec: { group: 'x.io', scope: 'Namespaced', names: { kind: 'Thing', plural: 'things', ...names }, versions },
});

const start = (...versions: readonly object[]) => {
  const plane = createTestPlane();
  const made = plane.ask('POST', CRDS, crdOf(versions));
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return plane;
};
const stored = (schema: object, more: object = {}) => version('v1', { storage: true, schema, ...more });

describe('several versions of one kind', () => {
  test('show the same objects, each under its own name', () => {
    const { ask, watch } = start(version('v1', { storage: true }), version('v1beta1'));
    ask('POST', THINGS, { metadata: { name: 't' }, spec: { size: 1 } });
    const old = THINGS.replace('/v1/', '/v1beta1/');
    assert.equal(at(ask('GET', `${old}/t`).body, 'apiVersion'), 'x.io/v1beta1');
    assert.equal(at(ask('GET', old).body, 'items.0.apiVersion'), 'x.io/v1beta1');
    assert.equal(at(watch(`${old}?watch=1`).lines[0], 'object.apiVersion'), 'x.io/v1beta1');
    const changed = ask('PUT', `${old}/t`, { ...ask('GET', `${old}/t`).body, spec: { size: 2 } });
    assert.equal(at(changed.body, 'apiVersion'), 'x.io/v1beta1');
    assert.equal(at(ask('GET', `${THINGS}/t`).body, 'spec.size'), 2);
    assert.equal(at(ask('GET', `${THINGS}/t`).body, 'apiVersion'), 'x.io/v1');
  });

  test('are discovered with the stable one first', () => {
    const { ask } = start(version('v1beta1'), version('v1', { storage: true }), version('v2alpha1'));
    const { body } = ask('GET', '/apis/x.io');
    assert.equal(at(body, 'preferredVersion.version'), 'v1');
  });

  test('that need a webhook are refused', () => {
    const crd = crdOf([version('v1', { storage: true })]);
    const spec = { ...crd.spec, conversion: { strategy: 'Webhook' } };
    const { status, body } = createTestPlane().ask('POST', CRDS, { ...crd, spec });
    assert.equal(status, 422);
    assert.match(String(body['message']), /spec\.conversion\.strategy: Unsupported value: "Webhook"/);
  });
});

test('a definition whose names are taken is not served until it has others', () => {
  const { ask, patch } = start(version('v1', { storage: true }));
  const other = {
    ...crdOf([version('v1', { storage: true })], { plural: 'others', singular: 'other', kind: 'Thing' }),
    metadata: { name: 'others.x.io' },
  };
  const made = ask('POST', CRDS, other).body;
  assert.equal(at(made, 'status.conditions.0.reason'), 'KindConflict');
  assert.equal(at(made, 'status.conditions.1.status'), 'False');
  const path = '/apis/x.io/v1/namespaces/default/others';
  assert.equal(ask('GET', path).status, 404);
  ask('DELETE', `${CRDS}/things.x.io`);
  patch(`${CRDS}/others.x.io`, 'merge', { metadata: { labels: { look: 'again' } } });
  assert.equal(ask('GET', path).status, 200);
});

test('a default that came later is there when an older object is read', () => {
  const { ask, patch } = start(stored(schemaWith({ properties: { size: { type: 'integer' } } })));
  ask('POST', THINGS, { metadata: { name: 't' }, spec: {} });
  const versions = [stored(schemaWith({ properties: { size: { type: 'integer', default: 7 } } }))];
  assert.equal(patch(`${CRDS}/things.x.io`, 'merge', { spec: { versions } }).status, 200);
  assert.equal(at(ask('GET', `${THINGS}/t`).body, 'spec.size'), 7);
  assert.equal(at(ask('GET', THINGS).body, 'items.0.spec.size'), 7);
});

describe('a schema that is not structural is refused', () => {
  const rows = [
    { schema: { openAPIV3Schema: {} }, says: 'type: Required value: must not be empty at the root' },
    {
      schema: { openAPIV3Schema: { type: 'string' } },
      says: 'type: Invalid value: "string": must be object at the root',
    },
    { schema: schemaWith({ properties: { a: {} } }), says: 'must not be empty for specified object fields' },
    { schema: schemaWith({ properties: { a: { type: 'array' } } }), says: 'items: Required value' },
    {
      schema: schemaWith({ properties: { a: { type: 'object' } }, additionalProperties: { type: 'string' } }),
      says: 'additionalProperties and properties are mutual exclusive',
    },
    {
      schema: schemaWith({ properties: { a: { type: 'integer', default: 'x' } } }),
      says: 'default: Invalid value',
    },
  ];
  for (const { schema, says } of rows) {
    test(says, () => {
      const { status, body } = createTestPlane().ask('POST', CRDS, crdOf([stored(schema)]));
      assert.equal(status, 422);
      assert.ok(String(body['message']).includes(says), String(body['message']));
    });
  }
});

describe('a rule', () => {
  const withRule = (rule: object, properties: object = { size: { type: 'integer' } }) =>
    start(stored(schemaWith({ properties, 'x-kubernetes-validations': [rule] })));
  const make = (plane: ReturnType<typeof start>, spec: object) =>
    plane.ask('POST', THINGS, { metadata: { name: 't' }, spec });

  test('says what its messageExpression makes, at the field and for the reason it names', () => {
    const plane = withRule({
      rule: 'self.size < 5',
      messageExpression: '"size " + string(self.size) + " is too much"',
      fieldPath: '.size',
      reason: 'FieldValueForbidden',
    });
    const { body } = make(plane, { size: 9 });
    assert.equal(body['message'], 'Thing.x.io "t" is invalid: spec.size: Forbidden: size 9 is too much');
  });

  test('about oldSelf is asked on changes only', () => {
    const plane = withRule({ rule: 'self.size >= oldSelf.size', message: 'may only grow' });
    assert.equal(make(plane, { size: 3 }).status, 201);
    assert.equal(plane.patch(`${THINGS}/t`, 'merge', { spec: { size: 4 } }).status, 200);
    assert.match(String(plane.patch(`${THINGS}/t`, 'merge', { spec: { size: 2 } }).body['message']), /may only grow/);
  });

  test('about an optional oldSelf is asked on a create too', () => {
    const plane = withRule({
      rule: 'oldSelf.hasValue() || self.size == 1',
      optionalOldSelf: true,
      message: 'starts at 1',
    });
    assert.match(String(make(plane, { size: 2 }).body['message']), /starts at 1/);
    assert.equal(make(plane, { size: 1 }).status, 201);
    assert.equal(plane.patch(`${THINGS}/t`, 'merge', { spec: { size: 8 } }).status, 200);
  });

  test('that would run for ever is ended, and the object refused', () => {
    const items = { list: { type: 'array', items: { type: 'integer' } } };
    const nested = 'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))';
    const plane = withRule({ rule: nested }, items);
    const { status, body } = make(plane, { list: Array.from({ length: 1_000 }, (_item, at) => at) });
    assert.equal(status, 422);
    assert.match(String(body['message']), /cost limit exceeded/);
  });
});
