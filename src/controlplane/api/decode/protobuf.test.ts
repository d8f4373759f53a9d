import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

type Value = number | string | Buffer;

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
};

/** A message from its fields: number and value. */
const message = (...fields: readonly (readonly [number: number, value: Value])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)];
      const bytes = Buffer.from(value);
      return [varint(number * 8 + 2), varint(bytes.length), bytes];
    }),
  );

const body = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), message([1, message([1, apiVersion], [2, kind])], [2, raw])]);

const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };

const post = (path: string, bytes: Buffer) => createTestPlane().ask('POST', path, bytes, PROTOBUF);

describe('a body in protobuf', () => {
  test('makes a Namespace, as kubectl create namespace sends it', () => {
    const metadata = message([1, 'x'], [2, ''], [3, ''], [4, ''], [5, ''], [6, ''], [7, 0], [8, message()]);
    const answer = post('/api/v1/namespaces', body('v1', 'Namespace', message([1, metadata], [2, message()])));
    assert.equal(answer.status, 201);
    assert.equal(at(answer.body, 'metadata.name'), 'x');
    assert.equal(at(answer.body, 'metadata.generateName'), undefined);
  });

  test('makes a Pod: lists, maps, inlined sources, bytes, amounts, and numbers of which zero counts', () => {
    const labels = message([1, 'app'], [2, 'web']);
    const amount = message([1, 'cpu'], [2, message([1, '500m'])]);
    const container = message([1, 'c'], [2, 'x'], [8, message([2, amount])], [18, 0]);
    const volume = message([1, 'v'], [2, message([6, message([1, 'secret'])])]);
    const spec = message([1, volume], [2, container], [4, 0]);
    const pod = message([1, message([1, 'p'], [11, labels])], [2, spec]);
    const { status, body: made } = post('/api/v1/namespaces/default/pods', body('v1', 'Pod', pod));
    assert.equal(status, 201, JSON.stringify(made));
    assert.deepEqual(at(made, 'metadata.labels'), { app: 'web' });
    assert.deepEqual(at(made, 'spec.containers.0.resources'), { requests: { cpu: '500m' } });
    assert.equal(at(made, 'spec.containers.0.tty'), undefined);
    assert.equal(at(made, 'spec.volumes.0.secret.secretName'), 'secret');
    assert.equal(at(made, 'spec.terminationGracePeriodSeconds'), 0);
  });

  test('makes a Secret whose bytes are base64 in JSON', () => {
    const secret = message([1, message([1, 's'])], [2, message([1, 'key'], [2, Buffer.from([0xff, 0])])]);
    const { body: made } = post('/api/v1/namespaces/default/secrets', body('v1', 'Secret', secret));
    assert.deepEqual(made['data'], { key: '/wA=' });
  });

  test('makes a CustomResourceDefinition with its whole schema', () => {
    const json = (value: unknown): Buffer => message([1, JSON.stringify(value)]);
    const double = (value: number): Buffer => {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value);
      return bytes;
    };
    const property = (name: string, schema: Buffer): Buffer => message([1, name], [2, schema]);
    const size = Buffer.concat([message([5, 'number']), varint(9 * 8 + 1), double(2.5), message([8, json(1)])]);
    const list = message([5, 'array'], [24, message([1, message([5, 'string'], [20, json('a')], [20, json('b')])])]);
    const map = message([5, 'object'], [30, message([1, 1], [2, message([5, 'integer'], [37, 1])])]);
    const loose = message([5, 'object'], [38, 1], [12, 0]);
    const rule = message([1, 'self.size > 0'], [2, 'too small'], [3, '']);
    const schema = message(
      ...([
        [5, 'object'],
        [29, property('size', size)],
        [29, property('list', list)],
      ] as const),
      ...([
        [29, property('map', map)],
        [29, property('loose', loose)],
        [23, 'size'],
        [44, rule],
      ] as const),
    );
    const version = message([1, 'v1'], [2, 1], [3, 1], [4, message([1, schema])]);
    const names = message([1, 'things'], [4, 'Thing']);
    const spec = message([1, 'x.io'], [3, names], [4, 'Namespaced'], [7, version]);
    const crd = message([1, message([1, 'things.x.io'])], [2, spec]);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { status, body: made } = post(path, body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', crd));
    assert.equal(status, 201, JSON.stringify(made));
    assert.deepEqual(at(made, 'spec.versions.0.schema.openAPIV3Schema'), {
      type: 'object',
      properties: {
        size: { type: 'number', maximum: 2.5, default: 1 },
        list: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        map: { type: 'object', additionalProperties: { type: 'integer', nullable: true } },
        loose: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      required: ['size'],
      'x-kubernetes-validations': [{ rule: 'self.size > 0', message: 'too small' }],
    });
  });

  const refusals = [
    { story: 'a field that no version has', raw: message([999, 'x']), message: /field 999 of Namespace is not known/ },
    { story: 'half a message', raw: Buffer.from([0x0a, 0x7f]), message: /no complete protobuf message/ },
  ];
  for (const { story, raw, message: expected } of refusals) {
    test(`with ${story} is refused whole`, () => {
      const answer = post('/api/v1/namespaces', body('v1', 'Namespace', raw));
      assert.equal(answer.status, 400);
      assert.match(String(answer.body['message']), expected);
    });
  }

  test('of a kind whose fields are not known by number names the way out', () => {
    const answer = post('/apis/x.io/v1/things', body('x.io/v1', 'Thing', message()));
    assert.match(String(answer.body['message']), /send it as application\/json/);
  });
});
