import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane, SIGNING_REQUEST } from '../testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const podSpec = { containers: [{ name: 'c', image: 'x' }] };
const csrSpec = { request: SIGNING_REQUEST, signerName: 'a.b/c', usages: ['client auth'] };
const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: podSpec });

describe('create', () => {
  test('gives an object its identity and defaults', () => {
    const { ask, clock } = createTestPlane();
    const { status, body } = ask('POST', PODS, pod('p'));
    assert.equal(status, 201);
    assert.match(String(at(body, 'metadata.uid')), /^[0-9a-f-]{36}$/);
    assert.equal(at(body, 'metadata.namespace'), 'default');
    assert.equal(at(body, 'metadata.generation'), 1);
    assert.equal(at(body, 'metadata.creationTimestamp'), `${new Date(clock.now()).toISOString().slice(0, 19)}Z`);
    assert.equal(at(body, 'apiVersion'), 'v1');
    assert.equal(at(body, 'kind'), 'Pod');
    assert.equal(at(body, 'spec.restartPolicy'), 'Always');
    assert.equal(at(body, 'status.phase'), 'Pending');
  });

  test('makes up a name from generateName', () => {
    const { ask } = createTestPlane();
    const first = ask('POST', PODS, { ...pod(''), metadata: { generateName: 'job-' } });
    assert.match(String(at(first.body, 'metadata.name')), /^job-[a-z0-9]{5}$/);
  });

  test('turns stringData of a Secret into data', () => {
    const { ask } = createTestPlane();
    const { body } = ask('POST', '/api/v1/namespaces/default/secrets', {
      metadata: { name: 's' },
      stringData: { a: 'hi' },
    });
    assert.deepEqual(body['data'], { a: 'aGk=' });
    assert.equal(body['stringData'], undefined);
  });

  test('records who asked for a certificate, not who the request says', () => {
    const { ask } = createTestPlane();
    const spec = { ...csrSpec, username: 'root', groups: ['admins'] };
    const { body } = ask('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
      metadata: { name: 'c' },
      spec,
    });
    assert.equal(at(body, 'spec.username'), 'macfleet-admin');
  });

  const refusals = [
    {
      story: 'a name that is taken',
      path: PODS,
      body: pod('taken'),
      status: 409,
      reason: 'AlreadyExists',
      message: 'pods "taken" already exists',
    },
    {
      story: 'a namespace that is not there',
      path: '/api/v1/namespaces/no/pods',
      body: pod('p'),
      status: 404,
      reason: 'NotFound',
      message: 'namespaces "no" not found',
    },
    {
      story: 'no name',
      path: PODS,
      body: { spec: podSpec },
      status: 422,
      reason: 'Invalid',
      message: /metadata\.name: Required value/,
    },
    {
      story: 'a bad name',
      path: PODS,
      body: pod('No_Good'),
      status: 422,
      reason: 'Invalid',
      message: /Pod "No_Good" is invalid: metadata\.name: Invalid value: "No_Good"/,
    },
    {
      story: 'a name with dots that lead elsewhere',
      path: PODS,
      body: pod('..'),
      status: 422,
      reason: 'Invalid',
      message: /metadata\.name/,
    },
    {
      story: 'a bad label',
      path: PODS,
      body: pod('p', { labels: { a: 'not ok!' } }),
      status: 422,
      reason: 'Invalid',
      message: /metadata\.labels/,
    },
    {
      story: 'labels that are a list',
      path: PODS,
      body: pod('p', { labels: ['a'] }),
      status: 400,
      reason: 'BadRequest',
      message: /metadata\.labels/,
    },
    {
      story: 'no containers',
      path: PODS,
      body: { metadata: { name: 'p' }, spec: {} },
      status: 422,
      reason: 'Invalid',
      message: /spec\.containers: Required value/,
    },
    {
      story: 'a spec that is a list',
      path: PODS,
      body: { metadata: { name: 'p' }, spec: [] },
      status: 400,
      reason: 'BadRequest',
      message:
        'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec',
    },
    {
      story: 'another kind than the path says',
      path: PODS,
      body: { ...pod('p'), kind: 'Node' },
      status: 400,
      reason: 'BadRequest',
      message: /Node in version "v1" cannot be handled as a Pod/,
    },
    {
      story: 'another namespace than the path says',
      path: PODS,
      body: pod('p', { namespace: 'x' }),
      status: 400,
      reason: 'BadRequest',
      message: /namespace/,
    },
    {
      story: 'a version',
      path: PODS,
      body: pod('p', { resourceVersion: '7' }),
      status: 500,
      reason: undefined,
      message: /resourceVersion/,
    },
    { story: 'half a body', path: PODS, body: '{"metadata":', status: 400, reason: 'BadRequest', message: /JSON/ },
    {
      story: 'no body',
      path: PODS,
      body: undefined,
      status: 400,
      reason: 'BadRequest',
      message: /unexpected end of JSON input \(<empty>\)/,
    },
    {
      story: 'a kind nobody serves',
      path: '/apis/apps/v1/things',
      body: {},
      status: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    },
    {
      story: 'a subresource nobody serves',
      path: '/api/v1/namespaces/default/serviceaccounts/a/scale',
      body: {},
      status: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    },
  ];
  for (const { story, path, body, status, reason, message } of refusals) {
    test(`is refused with ${story}`, () => {
      const { ask, store, errors } = createTestPlane();
      ask('POST', PODS, pod('taken'));
      const { revision } = store;
      const answer = ask('POST', path, body);
      assert.equal(answer.status, status);
      assert.equal(answer.body['kind'], 'Status');
      assert.equal(answer.body['reason'], reason);
      assert.equal(answer.body['code'], status);
      if (typeof message === 'string') assert.equal(answer.body['message'], message);
      else assert.match(String(answer.body['message']), message);
      assert.equal(store.revision, revision);
      assert.deepEqual(errors, []);
    });
  }

  const bodies = [
    {
      story: 'protobuf that is none',
      type: 'application/vnd.kubernetes.protobuf',
      status: 400,
      message: /expected prefix/,
    },
    { story: 'CBOR', type: 'application/cbor', status: 415, message: /speaks no CBOR.*application\/json/ },
    { story: 'plain text', type: 'text/plain', status: 415, message: /unknown format/ },
  ];
  for (const { story, type, status, message } of bodies) {
    test(`a body in ${story} is refused`, () => {
      const { ask } = createTestPlane();
      const answer = ask('POST', PODS, 'k8s', { 'content-type': type });
      assert.equal(answer.status, status);
      assert.match(String(answer.body['message']), message);
    });
  }

  test('a dry run answers as if, and stores nothing', () => {
    const { ask } = createTestPlane();
    assert.equal(ask('POST', `${PODS}?dryRun=All`, pod('p')).status, 201);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });
});
