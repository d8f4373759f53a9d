/**
 * Every answer of Scaleway that is no success, as one of our kinds of error: the one place that knows the wire. Typed
 * bodies say what they mean by `type`; generic ones (a gateway, a proxy, a cut-off answer) leave only the status.
 */
import { type ErrorKind, FleetError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';

export interface WireAnswer {
  readonly status: number;
  /** Of `Retry-After`, if there was one. */
  readonly retryAfter?: string | undefined;
  /** Parsed; undefined when it was no JSON. */
  readonly body: unknown;
  /** What was asked, for the message: `renaming server 1234`. */
  readonly doing: string;
  /** The wall clock when the answer came, for times in it. */
  readonly nowMs: number;
}

interface Meaning {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly says: string;
  readonly hint: string;
}

const BY_TYPE: Readonly<Record<string, Meaning>> = {
  invalid_arguments: {
    kind: 'invalid',
    code: 'InvalidArguments',
    says: 'an argument is refused',
    hint: 'Correct what the message names.',
  },
  denied_authentication: {
    kind: 'denied',
    code: 'AuthenticationDenied',
    says: 'the API key is not accepted',
    hint: 'Check the secret key: it may have expired or been revoked.',
  },
  permissions_denied: {
    kind: 'denied',
    code: 'PermissionsDenied',
    says: 'insufficient permissions',
    hint: 'The server was deleted, or the API key has no right to it; a list of the project tells which.',
  },
  quotas_exceeded: {
    kind: 'no-capacity',
    code: 'QuotaExceeded',
    says: 'a quota is used up',
    hint: 'Ask Scaleway to raise it, or give back servers.',
  },
  out_of_stock: {
    kind: 'no-capacity',
    code: 'OutOfStock',
    says: 'no such server is left',
    hint: 'Wait, or order another type or zone.',
  },
  not_found: { kind: 'not-found', code: 'ServerNotFound', says: 'there is no such thing', hint: 'Check zone and id.' },
  expired: { kind: 'not-found', code: 'Expired', says: 'it has expired', hint: 'Ask for a new one.' },
  transient_state: {
    kind: 'conflict',
    code: 'TransientState',
    says: 'it is busy and takes no other order meanwhile',
    hint: 'Wait until it is ready, then ask again.',
  },
  already_exists: {
    kind: 'exists',
    code: 'AlreadyExists',
    says: 'it exists already',
    hint: 'Use the one that exists.',
  },
  precondition_failed: {
    kind: 'conflict',
    code: 'PreconditionFailed',
    says: 'a precondition does not hold',
    hint: 'A server cannot be deleted before its lease allows it; schedule the deletion instead.',
  },
  locked: {
    kind: 'denied',
    code: 'Locked',
    says: 'it is locked',
    hint: 'Scaleway locks servers for billing or abuse; ask its support.',
  },
  too_many_requests: {
    kind: 'throttled',
    code: 'TooManyRequests',
    says: 'too many requests',
    hint: 'Nothing to do: it is asked again later.',
  },
};

/** Other spellings of the same. */
const ALIASES: Readonly<Record<string, string>> = {
  resource_expired: 'expired',
  resource_locked: 'locked',
  unknown_resource: 'not_found',
  invalid_request_error: 'invalid_arguments',
};

/** What a status means when the body does not say more. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_arguments',
  401: 'denied_authentication',
  403: 'permissions_denied',
  404: 'not_found',
  410: 'expired',
  412: 'precondition_failed',
  423: 'locked',
  429: 'too_many_requests',
};

const CONFLICT: Meaning = {
  kind: 'conflict',
  code: 'Conflict',
  says: 'it does not fit what is there',
  hint: 'Look again, then decide anew.',
};

/** After this a write may or may not have happened. */
const UNAVAILABLE: Meaning = {
  kind: 'unavailable',
  code: 'CloudUnavailable',
  says: 'the API failed',
  hint: 'Try again later; status.scaleway.com tells about incidents.',
};

const STRANGE: Meaning = {
  kind: 'contract',
  code: 'UnexpectedAnswer',
  says: 'the answer is none that the API documents',
  hint: 'A proxy may stand in between; else report this.',
};

export const toCloudError = (answer: WireAnswer): FleetError => {
  const { status, doing } = answer;
  const body = isRecord(answer.body) ? answer.body : {};
  const { kind, code, says, hint } = meaningOf(status, body);
  const said = describe(body);
  return new FleetError(kind, {
    code,
    hint,
    message: `${doing}: Scaleway answered ${status}: ${said === '' ? says : said}`,
    details: { status, ...factsOf(body) },
    ...(kind === 'throttled' ? statedDelay(answer, body) : {}),
  });
};

/** A success whose body cannot be read, so nothing is known of the outcome but that the API took the request. */
export const unreadableAnswer = ({ doing, why }: { readonly doing: string; readonly why: string }): FleetError =>
  new FleetError('contract', {
    code: 'UnreadableAnswer',
    message: `${doing}: ${why}`,
    hint: 'A proxy may stand in between; else report this. A write may have happened all the same.',
  });

const meaningOf = (status: number, body: Readonly<Record<string, unknown>>): Meaning => {
  const type = typeof body['type'] === 'string' ? body['type'] : '';
  const typed = own(BY_TYPE, isQuota(body) ? 'quotas_exceeded' : (own(ALIASES, type) ?? type));
  if (typed !== undefined) return typed;
  const generic = own(BY_TYPE, BY_STATUS[status] ?? '');
  if (generic !== undefined) return generic;
  if (status === 409) return CONFLICT;
  return status >= 500 || status === 408 ? UNAVAILABLE : STRANGE;
};

/** An older shape of a used-up quota: an invalid request whose message says so. */
const isQuota = ({ type, message }: Readonly<Record<string, unknown>>): boolean =>
  type === 'invalid_request_error' && typeof message === 'string' && /quota exceeded/i.test(message);

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const describe = (body: Readonly<Record<string, unknown>>): string => {
  const texts = [body['message'], body['help_message'], ...detailsOf(body).map(describeDetail)];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('; ');
};

const detailsOf = ({ details }: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(details) ? details.filter(isRecord) : [];

const describeDetail = (detail: Readonly<Record<string, unknown>>): string =>
  [detail['argument_name'], detail['reason'], detail['help_message'], detail['action'], detail['resource']]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(' ');

/** What a caller decides by: `currentState` tells a wipe under way from a server that is busy otherwise (R12). */
const factsOf = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => {
  const facts: Record<string, string> = {};
  const wanted = {
    currentState: 'current_state',
    precondition: 'precondition',
    resource: 'resource',
    reason: 'reason',
  };
  for (const [name, member] of Object.entries(wanted)) {
    const value = body[member];
    if (typeof value === 'string') facts[name] = value;
  }
  return facts;
};

const DELAY_MAX_MS = 15 * 60_000;

/** From the header, in seconds or as a date; else from the body. An absurd one is cut. */
const statedDelay = (
  { retryAfter, nowMs }: WireAnswer,
  body: Readonly<Record<string, unknown>>,
): { readonly retryAfterMs?: number } => {
  const candidates = [
    delayOfHeader(retryAfter, nowMs),
    typeof body['reset_seconds'] === 'number' ? body['reset_seconds'] * 1_000 : undefined,
    typeof body['reset_at'] === 'string' ? Date.parse(body['reset_at']) - nowMs : undefined,
  ];
  const delayMs = candidates.find((value) => value !== undefined && Number.isFinite(value) && value >= 0);
  return delayMs === undefined ? {} : { retryAfterMs: Math.min(delayMs, DELAY_MAX_MS) };
};

const delayOfHeader = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const seconds = Number(text);
  return Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - nowMs;
};
