import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createGuardedWorld } from '../../../auth/testing/guarded-world.ts';
import { nodeUser } from '../../../auth/user.ts';
import { NODE_REQUESTS } from '../testing/node-requests.ts';

const world = createGuardedWorld();
const n1 = nodeUser('n1');
const PODS = '/api/v1/namespaces/a/pods';

/** One after another: each meets what those before it left. */
test('the agent of a Node asks', async (t) => {
  const life = createGuardedWorld();
  for (const { story, status, message, ...request } of NODE_REQUESTS) {
    await t.test(`${status < 300 ? 'may' : 'may not'}: ${story}`, () => {
      const answer = life.ask({ ...request, user: n1 });
      assert.equal(answer.status, status, answer.body.message);
      if (message !== undefined) assert.equal(answer.body.message, message);
    });
  }
});

describe('the agent of a Node', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-of-n1', controller: true };
  const mirror = (spec: object, more: object = {}) => ({
    metadata: {
      name: 'm',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ ...owner, ...more }],
    },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });
  const refused = [
    {
      story: 'with the uid of another',
      body: mirror({}, { uid: 'old' }),
      why: /UID mismatch: expected old got uid-of-n1$/,
    },
    {
      story: 'that blocks its deletion',
      body: mirror({}, { blockOwnerDeletion: true }),
      why: /must not set blockOwner/,
    },
    {
      story: 'with a ServiceAccount',
      body: mirror({ serviceAccountName: 'builder' }),
      why: /mirror pod may not reference service accounts$/,
    },
    {
      story: 'with a Secret',
      body: mirror(volume({ secret: { secretName: 's' } })),
      why: /mirror pod may not reference secrets$/,
    },
    {
      story: 'with a claim',
      body: mirror(volume({ persistentVolumeClaim: { claimName: 'c' } })),
      why: /persistentvolumeclaims$/,
    },
    {
      story: 'with a projected token',
      body: mirror(volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } })),
      why: /mirror pod may not use ServiceAccountToken volume projections$/,
    },
  ];
  for (const { story, body, why } of refused) {
    it(`may not create a mirror Pod ${story}`, () => {
      const answer = world.ask({ user: n1, method: 'POST', path: PODS, body });
      assert.equal(answer.status, 403);
      assert.match(answer.body.message, why);
    });
  }

  it('creates a mirror Pod of its own and deletes it', () => {
    const body = mirror(volume({ emptyDir: {} }));
    assert.equal(world.ask({ user: n1, method: 'POST', path: PODS, body }).status, 201);
    assert.equal(world.ask({ user: n1, method: 'DELETE', path: `${PODS}/m?gracePeriodSeconds=0` }).status, 200);
  });

  it('reads no Secret through a mirror Pod', () => {
    const { store } = world;
    store.put('/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'forged', namespace: 'a', annotations: { 'kubernetes.io/config.mirror': 'x' } },
      spec: { nodeName: 'n1', volumes: [{ name: 'v', secret: { secretName: 'of-n2' } }] },
    });
    assert.equal(world.ask({ user: n1, path: '/api/v1/namespaces/a/secrets/of-n2' }).status, 403);
  });

  it('loses what it reads with the Pod that led to it', () => {
    const secret = { user: n1, path: '/api/v1/namespaces/a/secrets/pull' };
    assert.equal(world.ask(secret).status, 404);
    world.ask({ method: 'DELETE', path: `${PODS}/on-n1?gracePeriodSeconds=0` });
    assert.equal(world.ask(secret).status, 403);
  });

  it('leaves no error in the server', () => assert.deepEqual(world.errors, []));
});
