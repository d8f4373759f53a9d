/** Answers that stand in for the ordinary one, by the row F01–F33 of the fault list. A letter tells variants of one row apart. */
import type { FaultAnswer, FaultScope } from './fault-switch.ts';
import type { WireRefusal } from './refusals.ts';

export interface AnswerFault {
  readonly answer: FaultAnswer;
  /** What the row is about, unless whoever switches it on says otherwise. */
  readonly scope: FaultScope;
}

const refuse = (
  status: number,
  body: WireRefusal['body'],
  { scope = {}, headers }: { readonly scope?: FaultScope; readonly headers?: WireRefusal['headers'] } = {},
): AnswerFault => ({
  scope,
  answer: { do: 'refuse', wire: { status, body, ...(headers === undefined ? {} : { headers }) } },
});

const lose = (scope: FaultScope): AnswerFault => ({ scope, answer: { do: 'lose' } });

const rows = (how: 'empty' | 'drop-one' | 'repeat-one'): AnswerFault => ({
  scope: { verb: 'list' },
  answer: { do: 'change-rows', how },
});

const server = (fields: Readonly<Record<string, unknown>>): AnswerFault => ({
  scope: {},
  answer: { do: 'change-server', fields },
});

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT_TYPE = { 'content-type': 'text/plain' };

const PRECONDITION = {
  help_message: 'server cannot be deleted yet',
  message: 'precondition is not respected',
  precondition: 'unknown_precondition',
  type: 'precondition_failed',
};

const DENIED = {
  details: [{ action: 'write', resource: 'server' }],
  message: 'insufficient permissions',
  type: 'permissions_denied',
};

const UNAUTHENTICATED = {
  message: 'authentication is denied',
  method: 'api_key',
  reason: 'expired',
  type: 'denied_authentication',
};

const INVALID = {
  details: [{ argument_name: 'name', help_message: 'too long', reason: 'constraint' }],
  message: 'invalid argument(s)',
  type: 'invalid_arguments',
};

const THROTTLED = { help_message: 'slow down', message: 'too many requests', type: 'too_many_requests' };
const NOT_FOUND = { message: 'resource is not found', resource: 'server', resource_id: '', type: 'not_found' };
const TERMINATE = { scope: { verb: 'terminate' } };

export const FAULT_ANSWERS: Readonly<Record<string, AnswerFault>> = {
  F01: refuse(500, { message: 'internal error', type: 'internal_error' }),
  F01b: refuse(502, '<html><body>Bad Gateway</body></html>'),
  F02: lose({ verb: 'rename', when: 'after' }),
  F03: lose({ verb: 'reinstall', when: 'after' }),
  F04: lose({ verb: 'reboot', when: 'after' }),
  F05: refuse(429, THROTTLED, { headers: { 'retry-after': '7' } }),
  F05b: refuse(429, { ...THROTTLED, limit: { quota: 100, window_seconds: 60 }, reset_seconds: 7 }),
  F05c: refuse(429, 'slow down', { headers: TEXT_TYPE }),
  F06: refuse(412, PRECONDITION, TERMINATE),
  F07: refuse(412, 'precondition failed', { ...TERMINATE, headers: TEXT_TYPE }),
  F07b: refuse(412, '{"type": "precondition_', { ...TERMINATE, headers: JSON_TYPE }),
  F12: refuse(404, NOT_FOUND, { scope: { verb: 'get' } }),
  F13: refuse(403, DENIED),
  F13b: refuse(401, UNAUTHENTICATED),
  F14: refuse(400, INVALID, { scope: { verb: 'rename' } }),
  F16: rows('drop-one'),
  F16b: rows('repeat-one'),
  F17: rows('empty'),
  F18: server({ sudo_password: '<sealed>' }),
  F18b: server({ sudo_password: '', vnc_url: '' }),
  F19: server({ sudo_password: '<sealed>', vnc_url: 'vnc://m1:%3Csealed%3E@198.18.0.1:59010' }),
  F19b: server({ sudo_password: '<sealed>', vnc_url: 'vnc://198.18.0.1:59010' }),
  F25: server({ ip: null }),
  F25b: server({ ip: '' }),
  cut: refuse(200, '{"total_count": 1, "servers": [{"id"', { headers: JSON_TYPE }),
  expired: refuse(410, { expired_since: null, resource: 'server', resource_id: '', type: 'resource_expired' }),
  html: refuse(200, '<html><body>Welcome</body></html>'),
  lost: lose({}),
  'no-status': server({ status: 'melting' }),
  nothing: refuse(200, '', { headers: JSON_TYPE }),
  slow: { scope: {}, answer: { do: 'delay', delayMs: 5_000 } },
};
