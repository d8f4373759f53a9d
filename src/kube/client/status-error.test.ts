import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toStatusError } from './status-error.ts';

const status = (reason: string, extra: object = {}): string =>
  JSON.stringify({ kind: 'Status', reason, message: `${reason} it is`, ...extra });

const refuse = (httpStatus: number, body: string, headers: Record<string, string> = {}) =>
  toStatusError({
    doing: 'patching pods/status default/x',
    status: httpStatus,
    headers,
    body,
    expiredCode: 'WatchExpired',
    nowMs: Date.UTC(2026, 0, 1, 12, 0, 0),
  });

describe('a refusal becomes an error of ours', () => {
  const rows: readonly (readonly [string, number, string, string, string])[] = [
    ['an object that is not there', 404, status('NotFound'), 'not-found', 'NotFound'],
    ['an unknown path, in plain text', 404, '404 page not found\n', 'contract', 'KindNotServed'],
    [
      'an unknown path, as a Status',
      404,
      status('NotFound', { message: 'the server could not find the requested resource' }),
      'contract',
      'KindNotServed',
    ],
    ['a name that is taken', 409, status('AlreadyExists'), 'exists', 'AlreadyExists'],
    ['a write on an old version', 409, status('Conflict'), 'conflict', 'Conflict'],
    ['a conflict without a reason', 409, '', 'conflict', 'Conflict'],
    ['a resource version that is too old', 410, status('Expired'), 'conflict', 'WatchExpired'],
    ['the older word for it', 410, status('Gone'), 'conflict', 'WatchExpired'],
    ['a 410 without a body', 410, '', 'conflict', 'WatchExpired'],
    ['no login', 401, status('Unauthorized'), 'denied', 'Unauthorized'],
    ['no right', 403, status('Forbidden'), 'denied', 'Forbidden'],
    ['a field that is wrong', 422, status('Invalid'), 'invalid', 'Invalid'],
    ['a request that makes no sense', 400, status('BadRequest'), 'invalid', 'BadRequest'],
    ['an object past the limit', 413, status('RequestEntityTooLarge'), 'invalid', 'RequestTooLarge'],
    ['a verb that is not served', 405, status('MethodNotAllowed'), 'contract', 'RequestRefused'],
    ['a format that is not served', 406, status('NotAcceptable'), 'contract', 'RequestRefused'],
    ['a patch type that is not known', 415, status('UnsupportedMediaType'), 'contract', 'RequestRefused'],
    ['fairness', 429, status('TooManyRequests'), 'throttled', 'TooManyRequests'],
    ['fairness without a Status', 429, 'slow down', 'throttled', 'TooManyRequests'],
    [
      'an eviction that a budget forbids',
      429,
      status('TooManyRequests', { details: { causes: [{ reason: 'DisruptionBudget' }] } }),
      'throttled',
      'DisruptionBudget',
    ],
    [
      'an apply of what another manager owns',
      409,
      status('Conflict', { details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] } }),
      'denied',
      'FieldConflict',
    ],
    [
      'a patch with the uid of an object that was replaced',
      422,
      status('Invalid', { details: { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] } }),
      'conflict',
      'Conflict',
    ],
    [
      'a create in a namespace that ends',
      403,
      status('Forbidden', { details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } }),
      'denied',
      'NamespaceEnding',
    ],
    ['causes that are no causes', 422, status('Invalid', { details: { causes: [null, 7] } }), 'invalid', 'Invalid'],
    ['a storage that is slow', 500, status('ServerTimeout'), 'unavailable', 'ServerTimeout'],
    ['a request that took too long', 504, status('Timeout'), 'unavailable', 'ServerTimeout'],
    ['a failing webhook', 500, status('InternalError'), 'unavailable', 'ServerError'],
    ['a server that starts', 503, status('ServiceUnavailable'), 'unavailable', 'ServerError'],
    ['a load balancer without a backend', 502, '<html>Bad Gateway</html>', 'unavailable', 'ServerError'],
    ['a redirect to a login page', 302, '', 'contract', 'UnexpectedStatus'],
    ['a teapot', 418, 'short and stout', 'contract', 'UnexpectedStatus'],
    ['a Status with a reason from the future', 409, status('Perplexed'), 'conflict', 'Conflict'],
    ['a Status whose fields have the wrong types', 500, '{"kind":"Status","reason":7}', 'unavailable', 'ServerError'],
  ];
  for (const [story, httpStatus, body, kind, code] of rows) {
    it(`${story} is ${kind}/${code}`, () => {
      const error = refuse(httpStatus, body);
      assert.deepEqual([error.kind, error.code, error.details['status']], [kind, code, httpStatus]);
      assert.match(error.message, /^patching pods\/status default\/x: the server answered \d+/);
    });
  }
});

describe('the message of a refusal', () => {
  it('repeats what the Status says', () => {
    assert.match(refuse(422, status('Invalid')).message, /: Invalid it is$/);
  });

  it('quotes no object that the server quotes', () => {
    const quoted = JSON.stringify(JSON.stringify({ kind: 'Secret', data: { password: 'c2VjcmV0', quote: '"' } }));
    const message = ` "" is invalid: patch: Invalid value: ${quoted}: json: cannot unmarshal number into "data"`;
    assert.match(
      refuse(422, status('Invalid', { message })).message,
      /: patch: Invalid value: \{…\}: json: cannot unmarshal number into "data"$/,
    );
  });

  it('shows the first 200 characters of a page, on one line', () => {
    const { message } = refuse(502, `<html>\n  <h1>Bad   Gateway</h1>${'x'.repeat(5_000)}`);
    assert.match(message, /: <html> <h1>Bad Gateway<\/h1>x+$/);
    assert.ok(message.length < 300, message);
  });

  it('shows no token that a proxy echoes', () => {
    const { message } = refuse(400, 'bad header Authorization: Bearer abc.def.ghi');
    assert.doesNotMatch(message, /abc/);
    assert.match(message, /Bearer \[redacted\]/);
  });
});

describe('the wait that the server asks for', () => {
  const rows: readonly (readonly [string, Record<string, string>, string, number | undefined])[] = [
    ['seconds in the header', { 'retry-after': '7' }, '', 7_000],
    ['a date in the header', { 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT' }, '', 9_000],
    ['a date that has passed', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, '', undefined],
    ['seconds in the Status', {}, status('TooManyRequests', { details: { retryAfterSeconds: 3 } }), 3_000],
    ['both: the header wins', { 'retry-after': '1' }, status('X', { details: { retryAfterSeconds: 3 } }), 1_000],
    ['nothing', {}, '', undefined],
    ['zero', { 'retry-after': '0' }, '', undefined],
    ['less than nothing', { 'retry-after': '-5' }, '', undefined],
    ['an age of the world', { 'retry-after': '99999999999999' }, '', 300_000],
    ['no number at all', { 'retry-after': 'soon' }, '', undefined],
    ['infinity', { 'retry-after': 'Infinity' }, '', 300_000],
  ];
  for (const [story, headers, body, expectedMs] of rows) {
    it(`${story}: ${expectedMs ?? 'none'}`, () => assert.equal(refuse(429, body, headers).retryAfterMs, expectedMs));
  }
});
