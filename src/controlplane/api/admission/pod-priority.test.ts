import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuardedWorld } from '../../auth/testing/guarded-world.ts';

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';

test('the class that is the default is that of Pods which name none, and there is one at most', async (t) => {
  const { ask, errors } = createGuardedWorld();
  const define = (name: string, value: number, globalDefault: boolean) =>
    ask({ method: 'POST', path: CLASSES, body: { metadata: { name }, value, globalDefault } });
  const priorityOf = (name: string): unknown => {
    const spec = { serviceAccountName: 'builder', containers: [{ name: 'c', image: 'i' }] };
    const { body } = ask({ method: 'POST', path: '/api/v1/namespaces/a/pods', body: { metadata: { name }, spec } });
    return [body.spec?.priorityClassName, body.spec?.priority, body.spec?.preemptionPolicy];
  };
  const refusal = 'PriorityClass usual is already marked as default. Only one default can exist';

  await t.test('without one it is 0', () => {
    assert.equal(define('high', 9, false).status, 201);
    assert.deepEqual(priorityOf('before'), [undefined, 0, 'PreemptLowerPriority']);
  });
  await t.test('with one it is that, by its name', () => {
    assert.equal(define('usual', 5, true).status, 201);
    assert.deepEqual(priorityOf('after'), ['usual', 5, 'PreemptLowerPriority']);
  });
  await t.test('a second one is refused', () => {
    const { status, body } = define('other', 7, true);
    assert.equal(status, 403);
    assert.equal(body.message, `priorityclasses.scheduling.k8s.io "other" is forbidden: ${refusal}`);
    const patched = ask({ method: 'PATCH', path: `${CLASSES}/high`, body: { globalDefault: true } });
    assert.equal(patched.status, 403);
  });
  await t.test('it stays the default when it is written again', () => {
    const body = { globalDefault: true, description: 'the usual' };
    assert.equal(ask({ method: 'PATCH', path: `${CLASSES}/usual`, body }).status, 200);
  });
  assert.deepEqual(errors, []);
});
