import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PODS } from '../kube/types/core.ts';
import { type RawAnswer, type RawRequest, startHttpsPlane } from './api/testing/https-plane.ts';
import { createCoreControllers } from './core/core-controllers.ts';
import { startCluster } from './core/testing/cluster.ts';
import { REPLICA_SETS } from './core/workloads/replicated.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const JSON_BODY = { 'content-type': 'application/json' };

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): RawRequest => ({
  method: 'POST',
  path,
  headers: { ...JSON_BODY, ...headers },
  body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
});
const bearer = (token: string): RawRequest => ({
  path: MAPS,
  by: 'nobody',
  headers: { authorization: `Bearer ${token}` },
});
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const forged = (header: object): string => `${encode(header)}.${encode({ sub: 'system:admin' })}.AAAA`;

const MEGABYTE = 1024 * 1024;
const DEEP = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const definition = (plural: string, fields: object) => ({
  metadata: { name: `${plural}.trouble.dev` },
  spec: {
    ...{ group: 'trouble.dev', scope: 'Cluster', names: { plural, kind: `K${plural}` } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...fields } } } },
      },
    ],
  },
});
const TEXT = { type: 'string' };

interface Row {
  readonly story: string;
  readonly given?: readonly RawRequest[];
  readonly sent: RawRequest;
  readonly status: number;
  readonly says?: RegExp;
}

const rows: readonly Row[] = [
  {
    ...{ story: 'a body of 10 MB', sent: post(MAPS, Buffer.alloc(10 * MEGABYTE, 'x')), status: 413 },
    says: /RequestEntityTooLarge/,
  },
  {
    story: 'a body of 10 MB in small pieces of a stream',
    sent: { ...post(MAPS, Buffer.alloc(10 * MEGABYTE, 'x')), headers: { 'transfer-encoding': 'chunked' } },
    status: 413,
  },
  { story: 'JSON 100,000 deep', sent: post(MAPS, DEEP), status: 400 },
  { story: 'lists 100,000 deep', sent: post(MAPS, '['.repeat(100_000)), status: 400 },
  {
    story: 'YAML whose aliases multiply',
    sent: post(
      MAPS,
      [
        'a: &a [x,x,x,x,x,x,x,x,x,x]',
        ...Array.from('bcdefghi', (name, at) => aliases(name, 'abcdefgh'[at] ?? '')),
      ].join('\n'),
      { 'content-type': 'application/yaml' },
    ),
    status: 400,
  },
  {
    story: '__proto__ as a field',
    sent: post(MAPS, '{"metadata":{"name":"proto"},"__proto__":{"polluted":true},"data":{"__proto__":"kept"}}'),
    status: 201,
    says: /"__proto__":"kept"/,
  },
  {
    story: 'bytes that are no UTF-8',
    sent: post(MAPS, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
    status: 422,
  },
  { story: 'protobuf that is cut off', sent: { ...post(MAPS, 'k8s\0\n\xff\xff'), headers: protobuf() }, status: 400 },
  {
    story: 'protobuf of somebody who may not ask',
    sent: { ...post(MAPS, 'k8s\0\n\xff\xff'), headers: protobuf(), by: 'nobody' },
    status: 403,
  },
  { story: 'a path that climbs', sent: { path: `${MAPS}/..%2F..%2Fsecrets` }, status: 404 },
  { story: 'a path that climbs by two dots', sent: { path: '/api/v1/namespaces/%2e%2e/configmaps/x' }, status: 400 },
  { story: 'a path with a percent sign alone', sent: { path: `${MAPS}/%zz` }, status: 400 },
  { story: 'a path with a zero byte', sent: { path: `${MAPS}/a%00b` }, status: 404 },
  { story: 'a path with two slashes', sent: { path: '/api/v1//namespaces/default/configmaps' }, status: 404 },
  { story: 'a path of 15,000 characters', sent: { path: `${MAPS}/${'a'.repeat(15_000)}` }, status: 404 },
  { story: 'a token without a signature', sent: bearer(forged({ alg: 'none' })), status: 401 },
  { story: 'a token of a wrong algorithm', sent: bearer(forged({ alg: 'HS256' })), status: 401 },
  { story: 'a token that is no JSON', sent: bearer('a.b.c'), status: 401 },
  { story: 'a token of 10,000 characters', sent: bearer(`a.${'b'.repeat(10_000)}.c`), status: 401 },
  {
    story: 'a pattern that goes back for ever',
    given: [post(CRDS, definition('patterns', { properties: { a: { ...TEXT, pattern: '^(a+)+$' } } }))],
    sent: post('/apis/trouble.dev/v1/patterns', { metadata: { name: 'a' }, spec: { a: `${'a'.repeat(50)}b` } }),
    status: 422,
    says: /should match/,
  },
  {
    story: 'a pattern and a text that are large together',
    given: [post(CRDS, definition('larges', { properties: { a: { ...TEXT, pattern: '(a?){900}b' } } }))],
    sent: post('/apis/trouble.dev/v1/larges', { metadata: { name: 'a' }, spec: { a: 'a'.repeat(MEGABYTE) } }),
    status: 422,
    says: /too long for a pattern of this size/,
  },
  {
    story: 'a rule that loops over itself',
    given: [
      post(
        CRDS,
        definition('loops', {
          properties: { xs: { type: 'array', items: { type: 'integer' } } },
          'x-kubernetes-validations': [{ rule: 'self.xs.all(a, self.xs.all(b, self.xs.all(c, a + b + c >= 0)))' }],
        }),
      ),
    ],
    sent: post('/apis/trouble.dev/v1/loops', {
      metadata: { name: 'a' },
      spec: { xs: Array.from({ length: 1_000 }, (_, at) => at) },
    }),
    status: 422,
    says: /cost limit exceeded/,
  },
  {
    story: 'a rule that looks through a long list for each of its items',
    given: [
      post(
        CRDS,
        definition('longs', {
          properties: { xs: { type: 'array', items: { type: 'integer' } } },
          'x-kubernetes-validations': [{ rule: 'self.xs.all(x, x in self.xs)' }],
        }),
      ),
    ],
    sent: post('/apis/trouble.dev/v1/longs', {
      metadata: { name: 'a' },
      spec: { xs: Array.from({ length: 100_000 }, (_, at) => at) },
    }),
    status: 422,
    says: /cost limit exceeded/,
  },
  {
    story: 'a rule with a pattern that goes back for ever',
    given: [
      post(
        CRDS,
        definition('rules', {
          properties: { a: TEXT },
          'x-kubernetes-validations': [{ rule: "self.a.matches('^(a+)+$')", message: 'no match' }],
        }),
      ),
    ],
    sent: post('/apis/trouble.dev/v1/rules', { metadata: { name: 'a' }, spec: { a: `${'a'.repeat(50)}b` } }),
    status: 422,
    says: /no match/,
  },
  {
    story: 'a selector of 1,000 parts',
    sent: { path: `${MAPS}?labelSelector=${Array.from({ length: 1_000 }, (_, at) => `a${at}`).join(',')}` },
    status: 200,
  },
  {
    story: 'an object that owns itself',
    sent: post(MAPS, {
      metadata: {
        name: 'self',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'self', uid: 'any' }],
      },
    }),
    status: 201,
  },
];

function aliases(name: string, of: string): string {
  return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${of}`).join(',')}]`;
}

function protobuf() {
  return { 'content-type': 'application/vnd.kubernetes.protobuf' };
}

describe('what was made to hurt gets its answer, and nothing else is affected', () => {
  let plane: Awaited<ReturnType<typeof startHttpsPlane>>;
  before(async () => {
    plane = await startHttpsPlane();
  });
  after(() => plane.stop());

  for (const { story, given = [], sent, status, says } of rows) {
    test(`${story}: ${status}`, async () => {
      for (const request of given) assert.equal((await plane.ask(request)).status, 201);
      const answer: RawAnswer = await plane.ask(sent);
      assert.equal(answer.status, status, answer.text.slice(0, 300));
      if (says !== undefined) assert.match(answer.text, says);
      assert.equal((await plane.ask({ path: '/readyz' })).text, 'ok');
      assert.equal(Reflect.get({}, 'polluted'), undefined);
      assert.deepEqual(plane.errors, []);
    });
  }
});

test('sets whose selectors overlap keep to their own Pods, and settle', async () => {
  const cluster = startCluster(createCoreControllers);
  const set = (name: string, replicas: number) => ({
    metadata: { namespace: 'ns', name },
    spec: {
      ...{ replicas, selector: { matchLabels: { app: 'web' } } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: name }] } },
    },
  });
  await cluster.create(REPLICA_SETS, set('one', 2));
  await cluster.create(REPLICA_SETS, set('two', 3));
  const owners = (await cluster.all(PODS)).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
  assert.deepEqual(owners.toSorted(), ['one', 'one', 'two', 'two', 'two']);
  const statuses = (await cluster.all(REPLICA_SETS)).map(({ metadata, status }) => [metadata.name, status?.replicas]);
  assert.deepEqual(statuses, [
    ['one', 2],
    ['two', 3],
  ]);
  assert.deepEqual(cluster.problems, []);
  await cluster.end();
});
