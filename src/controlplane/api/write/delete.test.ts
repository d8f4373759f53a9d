import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const podSpec = { containers: [{ name: 'c', image: 'x' }] };
const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: podSpec });

describe('delete', () => {
  const bind = (ask: ReturnType<typeof createTestPlane>['ask'], name: string) =>
    ask('POST', `${PODS}/${name}/binding`, { metadata: { name }, target: { kind: 'Node', name: 'n1' } });

  test('removes an object that nobody holds', () => {
    const { ask } = createTestPlane();
    const maps = '/api/v1/namespaces/default/configmaps';
    ask('POST', maps, { metadata: { name: 'm' } });
    const { status, body } = ask('DELETE', `${maps}/m`);
    assert.equal(status, 200);
    assert.equal(body['status'], 'Success');
    assert.equal(ask('GET', `${maps}/m`).body['message'], 'configmaps "m" not found');
  });

  test('waits for finalizers, and ends with the last of them', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p', { finalizers: ['a.b/c', 'd.e/f'] }));
    const { body } = ask('DELETE', `${PODS}/p`);
    assert.notEqual(at(body, 'metadata.deletionTimestamp'), undefined);
    assert.equal(at(body, 'metadata.generation'), 2);
    patch(`${PODS}/p`, 'merge', { metadata: { finalizers: ['d.e/f'] } });
    assert.equal(ask('GET', `${PODS}/p`).status, 200);
    assert.equal(patch(`${PODS}/p`, 'merge', { metadata: { finalizers: [] } }).status, 200);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  test('lets nobody add a finalizer to what is being deleted', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p', { finalizers: ['a.b/c'] }));
    ask('DELETE', `${PODS}/p`);
    assert.equal(patch(`${PODS}/p`, 'merge', { metadata: { finalizers: ['a.b/c', 'x.y/z'] } }).status, 422);
  });

  test('of a Pod on a node waits for its agent, which deletes it without grace', () => {
    const { ask, clock } = createTestPlane();
    ask('POST', PODS, pod('p'));
    bind(ask, 'p');
    const { body } = ask('DELETE', `${PODS}/p`);
    assert.equal(at(body, 'metadata.deletionGracePeriodSeconds'), 30);
    assert.equal(Date.parse(String(at(body, 'metadata.deletionTimestamp'))), clock.now() + 30_000);
    ask('DELETE', `${PODS}/p`, { kind: 'DeleteOptions', gracePeriodSeconds: 0 });
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  test('of a Pod that has ended does not wait', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    bind(ask, 'p');
    patch(`${PODS}/p/status`, 'merge', { status: { phase: 'Succeeded' } });
    ask('DELETE', `${PODS}/p`);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  for (const precondition of ['uid', 'resourceVersion']) {
    test(`with another ${precondition} is a conflict`, () => {
      const { ask } = createTestPlane();
      ask('POST', PODS, pod('p'));
      const options = { kind: 'DeleteOptions', preconditions: { [precondition]: '0' } };
      assert.equal(ask('DELETE', `${PODS}/p`, options).body['reason'], 'Conflict');
      assert.equal(ask('GET', `${PODS}/p`).status, 200);
    });
  }

  test('as a dry run deletes nothing', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    assert.equal(ask('DELETE', `${PODS}/p`, { kind: 'DeleteOptions', dryRun: ['All'] }).status, 200);
    assert.equal(ask('GET', `${PODS}/p`).status, 200);
  });

  test('of a collection deletes what the selector selects', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('a', { labels: { x: '1' } }));
    ask('POST', PODS, pod('b'));
    ask('DELETE', `${PODS}?labelSelector=x%3D1`);
    assert.deepEqual(ask('GET', PODS).body['items'] && at(ask('GET', PODS).body, 'items.0.metadata.name'), 'b');
  });

  for (const [policy, finalizer] of [
    ['Orphan', 'orphan'],
    ['Foreground', 'foregroundDeletion'],
  ]) {
    test(`with ${policy} leaves a finalizer to the garbage collector, and ends when that is gone`, () => {
      const { ask, patch } = createTestPlane();
      ask('POST', PODS, pod('p'));
      const { body } = ask('DELETE', `${PODS}/p`, { kind: 'DeleteOptions', propagationPolicy: policy });
      assert.deepEqual(at(body, 'metadata.finalizers'), [finalizer]);
      patch(`${PODS}/p`, 'merge', { metadata: { finalizers: null } });
      assert.equal(ask('GET', `${PODS}/p`).status, 404);
    });
  }

  test('a second delete can shorten the grace of a Pod, not lengthen it', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    bind(ask, 'p');
    ask('DELETE', `${PODS}/p`);
    const graceOf = (gracePeriodSeconds: number) =>
      at(ask('DELETE', `${PODS}/p`, { gracePeriodSeconds }).body, 'metadata.deletionGracePeriodSeconds');
    assert.equal(graceOf(5), 5);
    assert.equal(graceOf(50), 5);
  });

  test('of a namespace waits for its controller, and lets nothing new in meanwhile', () => {
    const { ask } = createTestPlane();
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'ns' } });
    ask('DELETE', '/api/v1/namespaces/ns');
    const found = ask('GET', '/api/v1/namespaces/ns').body;
    assert.equal(at(found, 'status.phase'), 'Terminating');
    assert.equal(ask('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'x' } }).status, 403);
    ask('PUT', '/api/v1/namespaces/ns/finalize', { ...found, spec: { finalizers: [] } });
    assert.equal(ask('GET', '/api/v1/namespaces/ns').status, 404);
  });

  test('of a namespace that everything needs is forbidden', () => {
    const { ask } = createTestPlane();
    assert.equal(ask('DELETE', '/api/v1/namespaces/kube-system').status, 403);
  });
});
