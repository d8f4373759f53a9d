import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const podSpec = { containers: [{ name: 'c', image: 'x' }] };
const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: podSpec });

describe('subresources', () => {
  test('a Pod is bound once', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    const bind = (node: string) =>
      ask('POST', `${PODS}/p/binding`, { metadata: { name: 'p' }, target: { name: node } });
    assert.equal(bind('n1').status, 201);
    const bound = ask('GET', `${PODS}/p`).body;
    assert.equal(at(bound, 'spec.nodeName'), 'n1');
    assert.equal(at(bound, 'status.conditions.0.type'), 'PodScheduled');
    assert.match(String(bind('n2').body['message']), /already assigned to node "n1"/);
  });

  test('an eviction deletes the Pod', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    assert.equal(ask('POST', `${PODS}/p/eviction`, { metadata: { name: 'p' } }).status, 201);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  test('scale reads and writes the replicas', () => {
    const { ask, patch } = createTestPlane();
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
    ask('POST', path, {
      metadata: { name: 'd' },
      spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template },
    });
    assert.equal(at(ask('GET', `${path}/d/scale`).body, 'status.selector'), 'a=b');
    assert.equal(at(ask('GET', `${path}/d/scale`).body, 'spec.replicas'), 2);
    patch(`${path}/d/scale`, 'merge', { spec: { replicas: 5 } });
    assert.equal(at(ask('GET', `${path}/d`).body, 'spec.replicas'), 5);
    assert.equal(patch(`${path}/d/scale`, 'merge', { spec: { replicas: -1 } }).status, 422);
  });
});
