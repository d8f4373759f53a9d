import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccessCase, NODE_CASES, ROLE_CASES, WHO } from './testing/access-cases.ts';
import { toAttributes } from './testing/access-questions.ts';
import { createAccessWorld } from './testing/access-world.ts';
import { ADMIN } from './user.ts';

const world = createAccessWorld();

/** Asked as a real API server can be asked: by SubjectAccessReview. */
const review = ({ who, asks, fieldSelector }: AccessCase) => {
  const [user, ...groups] = WHO[who];
  const answer = world.gate.answer({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    headers: {},
    user: ADMIN,
    body: JSON.stringify({ spec: { user, groups, ...toAttributes(asks, fieldSelector) } }),
  });
  assert.equal(answer?.status, 201);
  return JSON.parse(String(answer?.body)).status;
};

const judge = (cases: readonly AccessCase[]): void => {
  for (const one of cases) {
    const selected = one.fieldSelector === undefined ? '' : ` where ${one.fieldSelector}`;
    it(`${one.who} may ${one.may ? '' : 'not '}${one.asks}${selected}`, () => {
      const { allowed, reason = '' } = review(one);
      assert.equal(allowed, one.may, reason);
      if (one.why !== undefined) assert.equal(reason, one.why);
    });
  }
};

describe('roles', () => judge(ROLE_CASES));
describe('the Node authorizer', () => judge(NODE_CASES));
