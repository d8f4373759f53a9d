import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestPlane } from '../testing/plane.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

describe('fields that a kind does not have, and fields said twice', () => {
  const text = '{"metadata":{"name":"m","nope":1},"data":{"x":"z","x":"w"},"foo":1,"__proto__":{"a":1}}';

  test('are dropped with a warning each, in the order of the text', () => {
    const { status, headers, body } = createTestPlane().ask('POST', MAPS, text);
    assert.equal(status, 201);
    assert.equal(
      headers['warning'],
      [
        '299 - "unknown field \\"metadata.nope\\""',
        '299 - "duplicate field \\"data.x\\""',
        '299 - "unknown field \\"foo\\""',
        '299 - "unknown field \\"__proto__\\""',
      ].join(', '),
    );
    assert.deepEqual(body['data'], { x: 'w' });
  });

  test('are dropped silently when the client does not care', () => {
    assert.equal(createTestPlane().ask('POST', `${MAPS}?fieldValidation=Ignore`, text).headers['warning'], undefined);
  });

  test('refuse the object when the client is strict', () => {
    const { status, body } = createTestPlane().ask('POST', `${MAPS}?fieldValidation=Strict`, text);
    assert.equal(status, 400);
    assert.equal(
      body['message'],
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.nope", duplicate field "data.x", unknown field "foo", unknown field "__proto__"',
    );
  });

  test('of a patch are told of too', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', MAPS, { metadata: { name: 'm' } });
    assert.equal(patch(`${MAPS}/m`, 'merge', { foo: 1 }).headers['warning'], '299 - "unknown field \\"foo\\""');
    assert.equal(patch(`${MAPS}/m?fieldValidation=Strict`, 'merge', { foo: 1 }).status, 422);
  });
});

describe('a value of the wrong type', () => {
  const container = { name: 'c', image: 'x' };
  const rows = [
    { spec: { containers: 'x' }, why: 'string into Go struct field PodSpec.spec.containers of type []v1.Container' },
    {
      spec: { containers: [{ ...container, image: 7 }] },
      why: 'number into Go struct field Container.spec.containers.image of type string',
    },
    { spec: [], why: 'array into Go struct field Pod.spec of type v1.PodSpec' },
    {
      spec: { containers: [container], hostNetwork: 'no' },
      why: 'string into Go struct field PodSpec.spec.hostNetwork of type bool',
    },
  ];
  for (const { spec, why } of rows) {
    test(`is refused as Go refuses it: ${why}`, () => {
      const { status, body } = createTestPlane().ask('POST', PODS, { metadata: { name: 'p' }, spec });
      assert.equal(status, 400);
      assert.equal(body['message'], `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ${why}`);
    });
  }
});

describe('a hostile body', () => {
  test('that is nested too deeply is refused, and the server lives on', () => {
    const { ask } = createTestPlane();
    const deep = `{"metadata":{"name":"m"},"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const answer = ask('POST', MAPS, deep);
    assert.equal(answer.status, 400);
    assert.match(String(answer.body['message']), /exceeded max depth/);
    assert.equal(ask('GET', MAPS).status, 200);
  });

  test('with brackets inside texts is not taken for a deep one', () => {
    const data = { a: '['.repeat(3_000) };
    assert.equal(createTestPlane().ask('POST', MAPS, { metadata: { name: 'm' }, data }).status, 201);
  });

  test('that is no UTF-8 is read with replacement characters', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"metadata":{"name":"m"},"data":{"a":"'),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]);
    assert.deepEqual(createTestPlane().ask('POST', MAPS, bytes).body['data'], { a: '\ufffd' });
  });

  test('with __proto__ as a key of a map keeps it as a key', () => {
    const { body } = createTestPlane().ask('POST', MAPS, '{"metadata":{"name":"m"},"data":{"__proto__":"x"}}');
    assert.deepEqual(Object.entries(body['data'] as object), [['__proto__', 'x']]);
  });
});

describe('a hostile path', () => {
  const rows = [
    { path: '/api/v1//pods', status: 404 },
    { path: '//api/v1/pods', status: 404 },
    { path: '*api/v1/pods', status: 404 },
    { path: '/%61pi/v1/pods', status: 404 },
    { path: '/api/v1/../v1/pods', status: 404 },
    { path: '/api/v1/namespaces/default%2fpods', status: 404 },
    { path: `${MAPS}/..%2fa`, status: 404 },
    { path: `${MAPS}/%2e%2e`, status: 400 },
    { path: `${MAPS}/%zz`, status: 400 },
    { path: `${MAPS}/a/b/c/d`, status: 404 },
    { path: `${MAPS}/`, status: 200 },
    { path: '/api/v1/pods?unknown=parameter', status: 200 },
  ];
  for (const { path, status } of rows) {
    test(`${path} is answered with ${status}`, () => {
      assert.equal(createTestPlane().ask('GET', path).status, status);
    });
  }
});
