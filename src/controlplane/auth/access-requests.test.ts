import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHO } from './testing/access-cases.ts';
import {
  ACCOUNT_REQUESTS,
  type AccessRequest,
  ESCALATIONS,
  IMPERSONATIONS,
  REFUSALS,
  REVIEW_REQUESTS,
  SIGNING_REQUESTS,
  TOKEN_REQUESTS,
} from './testing/access-requests.ts';
import { createGuardedWorld } from './testing/guarded-world.ts';

/** One after another: each meets what those before it left. */
const answerAll = (title: string, requests: readonly AccessRequest[]): void => {
  test(title, async (t) => {
    const world = createGuardedWorld();
    for (const { story, who, status, message, ...request } of requests) {
      const [name, ...groups] = WHO[who];
      await t.test(`${status} for ${who}: ${story}`, () => {
        const answer = world.ask({ ...request, user: { name, groups } });
        assert.equal(answer.status, status, answer.body.message);
        if (message !== undefined) assert.equal(answer.body.message, message);
      });
    }
    assert.deepEqual(world.errors, []);
  });
};

answerAll('refusals', REFUSALS);
answerAll('impersonation', IMPERSONATIONS);
answerAll('granting rights', ESCALATIONS);
answerAll('requests for tokens', TOKEN_REQUESTS);
answerAll('reviews', REVIEW_REQUESTS);
answerAll('signing', SIGNING_REQUESTS);
answerAll('the accounts of Pods', ACCOUNT_REQUESTS);
