/** Each answer that Scaleway was seen or is documented to give, typed and generic, and what it means to us. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCloudError } from './wire-errors.ts';

const NOW_MS = Date.UTC(2026, 10, 16);
const map = (status: number, body: unknown, retryAfter?: string) =>
  toCloudError({ status, body, retryAfter, doing: 'renaming server 1', nowMs: NOW_MS });

describe('an answer', () => {
  const rows: readonly { story: string; status: number; body?: unknown; is: string }[] = [
    {
      story: 'T-60 F06: 412 as typed',
      status: 412,
      body: {
        type: 'precondition_failed',
        precondition: 'protected_resource',
        message: 'precondition is not respected',
        help_message: 'not before Monday',
      },
      is: 'conflict PreconditionFailed',
    },
    { story: 'T-60 F07: 412 with nothing to read', status: 412, is: 'conflict PreconditionFailed' },
    {
      story: '412 with a body of another type',
      status: 412,
      body: { type: 'new_thing', message: 'no' },
      is: 'conflict PreconditionFailed',
    },
    {
      story: '404 as typed',
      status: 404,
      body: { type: 'not_found', resource: 'server', resource_id: '1', message: 'resource is not found' },
      is: 'not-found ServerNotFound',
    },
    {
      story: '404 of the older API',
      status: 404,
      body: { type: 'unknown_resource', message: "server '1' not found" },
      is: 'not-found ServerNotFound',
    },
    { story: '404 as HTML', status: 404, is: 'not-found ServerNotFound' },
    {
      story: 'F08, F09: 409 in a transient state',
      status: 409,
      body: {
        type: 'transient_state',
        current_state: 'reinstalling',
        resource: 'server',
        resource_id: '1',
        message: 'resource is in a transient state',
      },
      is: 'conflict TransientState',
    },
    {
      story: '409 for something that exists',
      status: 409,
      body: { type: 'already_exists', message: 'resource already exists' },
      is: 'exists AlreadyExists',
    },
    { story: '409 with nothing to read', status: 409, is: 'conflict Conflict' },
    {
      story: '403 of a deleted server',
      status: 403,
      body: {
        type: 'permissions_denied',
        details: [{ action: 'read', resource: 'server' }],
        message: 'insufficient permissions',
      },
      is: 'denied PermissionsDenied',
    },
    { story: '403 with nothing to read', status: 403, is: 'denied PermissionsDenied' },
    {
      story: 'F27: 403 for a quota',
      status: 403,
      body: {
        type: 'quotas_exceeded',
        details: [{ resource: 'apple_silicon_m2_l', quota: 5, current: 5 }],
        message: 'quota exceeded',
      },
      is: 'no-capacity QuotaExceeded',
    },
    {
      story: 'a quota in the older shape',
      status: 400,
      body: { type: 'invalid_request_error', message: 'Quota exceeded for this resource.' },
      is: 'no-capacity QuotaExceeded',
    },
    {
      story: 'F27: no stock, whatever the status',
      status: 400,
      body: { type: 'out_of_stock', resource: 'M4-S', message: 'out of stock' },
      is: 'no-capacity OutOfStock',
    },
    {
      story: 'F10: a locked server, whatever the status',
      status: 403,
      body: { type: 'locked', resource: 'server', resource_id: '1' },
      is: 'denied Locked',
    },
    { story: 'F10: a locked server by status', status: 423, is: 'denied Locked' },
    {
      story: 'F13: 401 as typed',
      status: 401,
      body: {
        type: 'denied_authentication',
        method: 'api_key',
        reason: 'expired',
        message: 'authentication is denied',
      },
      is: 'denied AuthenticationDenied',
    },
    { story: 'F13: 401 with nothing to read', status: 401, is: 'denied AuthenticationDenied' },
    {
      story: 'F14: 400 with arguments',
      status: 400,
      body: {
        type: 'invalid_arguments',
        details: [{ argument_name: 'name', reason: 'constraint', help_message: 'must be shorter' }],
        message: 'invalid argument(s)',
      },
      is: 'invalid InvalidArguments',
    },
    { story: 'F14: 400 with nothing to read', status: 400, is: 'invalid InvalidArguments' },
    {
      story: '410 in the words of one SDK',
      status: 410,
      body: { type: 'expired', resource: 'server', resource_id: '1', expired_since: '2026-01-01T00:00:00Z' },
      is: 'not-found Expired',
    },
    {
      story: '410 in the words of the other',
      status: 410,
      body: { type: 'resource_expired' },
      is: 'not-found Expired',
    },
    { story: '410 with nothing to read', status: 410, is: 'not-found Expired' },
    {
      story: 'F05: 429 as typed',
      status: 429,
      body: { type: 'too_many_requests', help_message: 'slow down' },
      is: 'throttled TooManyRequests',
    },
    { story: 'F05: 429 with nothing to read', status: 429, is: 'throttled TooManyRequests' },
    {
      story: 'F01: 500',
      status: 500,
      body: { message: 'internal error', type: 'internal' },
      is: 'unavailable CloudUnavailable',
    },
    { story: 'F01: 502 as HTML', status: 502, is: 'unavailable CloudUnavailable' },
    { story: 'F01: 503 with a list as its body', status: 503, body: ['what'], is: 'unavailable CloudUnavailable' },
    { story: '408', status: 408, is: 'unavailable CloudUnavailable' },
    { story: 'a redirect', status: 302, is: 'contract UnexpectedAnswer' },
    { story: '418', status: 418, body: null, is: 'contract UnexpectedAnswer' },
    {
      story: 'a type that is a member of every object',
      status: 404,
      body: { type: 'constructor' },
      is: 'not-found ServerNotFound',
    },
  ];
  for (const { story, status, body, is } of rows) {
    test(`${story} is ${is}`, () => {
      const { kind, code, message, hint } = map(status, body);
      assert.equal(`${kind} ${code}`, is);
      assert.match(message, /^renaming server 1: Scaleway answered \d+: .+/);
      assert.notEqual(hint, undefined);
    });
  }
});

test('the message repeats what Scaleway says about arguments', () => {
  const body = {
    type: 'invalid_arguments',
    message: 'invalid argument(s)',
    details: [{ argument_name: 'name', reason: 'constraint', help_message: 'at most 255' }],
  };
  assert.equal(
    map(400, body).message,
    'renaming server 1: Scaleway answered 400: invalid argument(s); name constraint at most 255',
  );
});

test('what a busy server is busy with is a fact to decide by', () => {
  assert.equal(map(409, { type: 'transient_state', current_state: 'rebooting' }).details['currentState'], 'rebooting');
});

describe('how long to wait', () => {
  const rows: readonly { story: string; header?: string; body?: object; ms: number | undefined }[] = [
    { story: 'seconds in the header', header: '7', body: { reset_seconds: 3 }, ms: 7_000 },
    { story: 'a date in the header', header: new Date(NOW_MS + 9_000).toUTCString(), ms: 9_000 },
    { story: 'seconds in the body alone', body: { reset_seconds: 3 }, ms: 3_000 },
    { story: 'a time in the body alone', body: { reset_at: new Date(NOW_MS + 4_000).toISOString() }, ms: 4_000 },
    { story: 'a header of nonsense', header: 'soon', body: { reset_seconds: 3 }, ms: 3_000 },
    { story: 'an empty header', header: '', ms: undefined },
    { story: 'a date that has passed', header: new Date(NOW_MS - 9_000).toUTCString(), ms: undefined },
    { story: 'an absurd time', header: '999999999', ms: 900_000 },
    { story: 'neither', ms: undefined },
  ];
  for (const { story, header, body, ms } of rows) {
    test(`by ${story}`, () => assert.equal(map(429, { type: 'too_many_requests', ...body }, header).retryAfterMs, ms));
  }
  test('only when throttled', () => assert.equal(map(500, undefined, '7').retryAfterMs, undefined));
});
