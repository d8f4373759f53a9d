import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

const start = (budget: object = {}, ready = 'True') => {
  const plane = createTestPlane();
  const { ask, patch } = plane;
  ask('POST', PODS, {
    metadata: { name: 'p', labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  });
  ask('POST', `${PODS}/p/binding`, { metadata: { name: 'p' }, target: { name: 'n' } });
  patch(`${PODS}/p/status`, 'merge', {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
  });
  const selector = { matchLabels: { app: 'a' } };
  const guard = (name: string, status: object, spec: object = {}) => {
    ask('POST', BUDGETS, { metadata: { name }, spec: { minAvailable: 1, selector, ...spec } });
    patch(`${BUDGETS}/${name}/status`, 'merge', { status: { observedGeneration: 1, ...status } });
  };
  if (Object.keys(budget).length > 0) guard('b', budget);
  const evict = (query = '') => ask('POST', `${PODS}/p/eviction${query}`, { metadata: { name: 'p' } });
  const isLeaving = () => at(ask('GET', `${PODS}/p`).body, 'metadata.deletionTimestamp') !== undefined;
  return { ...plane, guard, evict, isLeaving };
};

describe('an eviction', () => {
  test('is a delete, and the Pod says why', () => {
    const { ask, evict, isLeaving } = start();
    assert.equal(evict().status, 201);
    assert.equal(isLeaving(), true);
    const { body } = ask('GET', `${PODS}/p`);
    assert.equal(at(body, 'status.conditions.1.reason'), 'EvictionByEvictionAPI');
  });

  test('that the budget does not allow is refused with the numbers', () => {
    const { evict, isLeaving } = start({ disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 });
    const { status, body } = evict();
    assert.equal(status, 429);
    assert.equal(body['reason'], 'TooManyRequests');
    assert.equal(body['message'], "Cannot evict pod as it would violate the pod's disruption budget.");
    assert.deepEqual(at(body, 'details.causes.0'), {
      reason: 'DisruptionBudget',
      message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
    });
    assert.equal(isLeaving(), false);
  });

  test('spends what the budget allows', () => {
    const { ask, evict } = start({ disruptionsAllowed: 2, desiredHealthy: 1, currentHealthy: 3 });
    assert.equal(evict().status, 201);
    const { body } = ask('GET', `${BUDGETS}/b`);
    assert.equal(at(body, 'status.disruptionsAllowed'), 1);
    assert.equal(typeof at(body, 'status.disruptedPods.p'), 'string');
  });

  test('as a dry run spends nothing', () => {
    const { ask, evict, isLeaving } = start({ disruptionsAllowed: 1, desiredHealthy: 1, currentHealthy: 2 });
    assert.equal(evict('?dryRun=All').status, 201);
    assert.equal(at(ask('GET', `${BUDGETS}/b`).body, 'status.disruptionsAllowed'), 1);
    assert.equal(isLeaving(), false);
  });

  test('waits for a budget that nobody has looked at yet', () => {
    const { evict, headers } = { ...start({ observedGeneration: 0, disruptionsAllowed: 1 }), headers: 'retry-after' };
    const answer = evict();
    assert.equal(answer.status, 429);
    assert.equal(answer.headers[headers], '10');
    assert.match(String(at(answer.body, 'details.causes.0.message')), /still being processed/);
  });

  test('of a Pod with two budgets is refused, as nobody knows which counts', () => {
    const { guard, evict } = start({ disruptionsAllowed: 1 });
    guard('c', { disruptionsAllowed: 1 });
    const { status, body } = evict();
    assert.equal(status, 500);
    assert.match(String(body['message']), /more than one PodDisruptionBudget/);
  });

  test('of a Pod that is not ready goes when enough others are', () => {
    const { evict } = start({ disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 }, 'False');
    assert.equal(evict().status, 201);
  });

  test('of a Pod that is not ready waits when too few others are', () => {
    const { evict } = start({ disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 0 }, 'False');
    assert.equal(evict().status, 429);
  });
});
