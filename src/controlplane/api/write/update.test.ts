import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane, SIGNING_REQUEST } from '../testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const csrSpec = { request: SIGNING_REQUEST, signerName: 'a.b/c', usages: ['client auth'] };
const podSpec = { containers: [{ name: 'c', image: 'x' }] };
const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: podSpec });

describe('update', () => {
  test('changes the spec and its generation, not the status', () => {
    const { ask } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    const next = ask('PUT', `${PODS}/p`, {
      ...body,
      spec: { ...(body['spec'] as object), activeDeadlineSeconds: 5 },
      status: { phase: 'Running' },
    });
    assert.equal(next.status, 200);
    assert.equal(at(next.body, 'spec.activeDeadlineSeconds'), 5);
    assert.equal(at(next.body, 'status.phase'), 'Pending');
    assert.equal(at(next.body, 'metadata.generation'), 2);
  });

  test('of status changes the status, not the spec or the generation', () => {
    const { ask } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    const next = ask('PUT', `${PODS}/p/status`, { ...body, spec: {}, status: { phase: 'Running' } });
    assert.equal(at(next.body, 'status.phase'), 'Running');
    assert.equal(at(next.body, 'metadata.generation'), 1);
    assert.deepEqual(at(next.body, 'spec.containers'), at(body, 'spec.containers'));
  });

  test('of pods/status may set annotations and finalizers, as a node does', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    const { body } = patch(`${PODS}/p/status`, 'merge', {
      metadata: { finalizers: ['a.b/c'], annotations: { x: 'y' } },
    });
    assert.deepEqual(at(body, 'metadata.finalizers'), ['a.b/c']);
    assert.deepEqual(at(body, 'metadata.annotations'), { x: 'y' });
  });

  test('with an old version is a conflict', () => {
    const { ask, patch } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    patch(`${PODS}/p`, 'merge', { metadata: { labels: { a: 'b' } } });
    const answer = ask('PUT', `${PODS}/p`, body);
    assert.equal(answer.status, 409);
    assert.equal(
      answer.body['message'],
      'Operation cannot be fulfilled on pods "p": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('with the uid of another object is a conflict', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    assert.equal(patch(`${PODS}/p`, 'merge', { metadata: { uid: 'other' } }).body['reason'], 'Conflict');
  });

  test('that changes nothing writes nothing', () => {
    const { ask, store, patch } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    const { revision } = store;
    assert.equal(ask('PUT', `${PODS}/p`, body).status, 200);
    patch(`${PODS}/p`, 'merge', { metadata: { labels: { gone: null } } });
    assert.equal(store.revision, revision);
  });

  test('as a dry run answers as if, and changes nothing', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    const { body } = patch(`${PODS}/p?dryRun=All`, 'merge', { metadata: { labels: { a: 'b' } } });
    assert.deepEqual(at(body, 'metadata.labels'), { a: 'b' });
    assert.equal(at(ask('GET', `${PODS}/p`).body, 'metadata.labels'), undefined);
  });

  test('cannot change what belongs to the server', () => {
    const { ask, patch } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    for (const name of ['creationTimestamp', 'deletionTimestamp']) {
      const answer = patch(`${PODS}/p`, 'merge', { metadata: { [name]: '2000-01-01T00:00:00Z' } });
      assert.equal(
        answer.body['message'],
        `Pod "p" is invalid: metadata.${name}: Invalid value: "2000-01-01T00:00:00Z": field is immutable`,
      );
    }
    const changed = patch(`${PODS}/p`, 'merge', { metadata: { generation: 9, labels: { a: 'b' } } });
    assert.equal(at(changed.body, 'metadata.generation'), at(body, 'metadata.generation'));
  });

  test('approves a certificate request without touching its spec', () => {
    const { ask } = createTestPlane();
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const { body } = ask('POST', path, { metadata: { name: 'c' }, spec: csrSpec });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }];
    const approved = ask('PUT', `${path}/c/approval`, {
      ...body,
      spec: {},
      status: { conditions, certificate: 'forged' },
    });
    assert.equal(at(approved.body, 'status.conditions.0.type'), 'Approved');
    assert.equal(at(approved.body, 'status.certificate'), undefined);
    assert.equal(at(approved.body, 'spec.request'), csrSpec.request);
  });
});
