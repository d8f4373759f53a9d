/**
 * What an API server's refusal means to us: HTTP status and `Status` body in, FleetError out. Every code and reason of
 * the Kubernetes API is translated here and nowhere else.
 */
import { type ErrorKind, FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { Status } from '../types/meta.ts';

/**
 * 410 is a `conflict`: what the caller holds is older than what the server remembers, so it must read anew. The code
 * tells where: a watch relists, a list starts over.
 */
export type ExpiredCode = 'WatchExpired' | 'ContinueExpired' | 'Expired';

export interface Refusal {
  /** The call as a person would say it: "patching pods/status default/x". */
  readonly doing: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expiredCode: ExpiredCode;
  readonly nowMs: number;
}

interface Meaning {
  readonly kind: ErrorKind;
  readonly code: string;
  /** Reasons of a Status that mean this. They come first. */
  readonly reasons: readonly string[];
  /** HTTP statuses that mean this when no known reason says more. */
  readonly statuses: readonly number[];
  readonly hint?: string;
}

/** A 404 is only about an object when a Status says so; otherwise the path itself is unknown. */
const NOT_SERVED: Meaning = {
  kind: 'contract',
  code: 'KindNotServed',
  reasons: [],
  statuses: [404],
  hint: 'Check that the CRD is installed and that the server serves this version of it.',
};
const EVICTION_BLOCKED: Meaning = {
  kind: 'throttled',
  code: 'DisruptionBudget',
  reasons: [],
  statuses: [],
  hint: 'A PodDisruptionBudget forbids this eviction now; ask again later.',
};
/** No `conflict`: reading anew helps nobody, the other manager will own the field then too. */
const FIELD_OWNED: Meaning = {
  kind: 'denied',
  code: 'FieldConflict',
  reasons: [],
  statuses: [],
  hint: 'Another field manager owns these fields: leave them out of what is applied, or apply with force.',
};
/** An update with the uid of another object is refused as a conflict, a patch as invalid. They mean the same. */
const OTHER_OBJECT: Meaning = { kind: 'conflict', code: 'Conflict', reasons: [], statuses: [] };

/** Nobody can grant what is missing: the namespace is on its way out, and takes nothing in. */
const NAMESPACE_ENDING: Meaning = { kind: 'denied', code: 'NamespaceEnding', reasons: [], statuses: [] };

const MEANINGS: readonly Meaning[] = [
  { kind: 'not-found', code: 'NotFound', reasons: ['NotFound'], statuses: [] },
  NOT_SERVED,
  { kind: 'exists', code: 'AlreadyExists', reasons: ['AlreadyExists'], statuses: [] },
  { kind: 'conflict', code: 'Conflict', reasons: ['Conflict'], statuses: [409] },
  { kind: 'conflict', code: 'Expired', reasons: ['Expired', 'Gone'], statuses: [410] },
  {
    kind: 'denied',
    code: 'Unauthorized',
    reasons: ['Unauthorized'],
    statuses: [401],
    hint: 'The credentials are missing, wrong or expired: renew them (kubeconfig, token or client certificate).',
  },
  {
    kind: 'denied',
    code: 'Forbidden',
    reasons: ['Forbidden'],
    statuses: [403],
    hint: 'Grant this identity the verb on this resource (Role or ClusterRole).',
  },
  { kind: 'invalid', code: 'Invalid', reasons: ['Invalid'], statuses: [422] },
  { kind: 'invalid', code: 'BadRequest', reasons: ['BadRequest'], statuses: [400] },
  { kind: 'invalid', code: 'RequestTooLarge', reasons: ['RequestEntityTooLarge'], statuses: [413] },
  {
    kind: 'contract',
    code: 'RequestRefused',
    reasons: ['MethodNotAllowed', 'NotAcceptable', 'UnsupportedMediaType'],
    statuses: [405, 406, 415],
  },
  { kind: 'throttled', code: 'TooManyRequests', reasons: ['TooManyRequests'], statuses: [429] },
  { kind: 'unavailable', code: 'ServerTimeout', reasons: ['ServerTimeout', 'Timeout'], statuses: [408, 504] },
];
const SERVER_ERROR: Meaning = { kind: 'unavailable', code: 'ServerError', reasons: [], statuses: [] };
const UNEXPECTED: Meaning = { kind: 'contract', code: 'UnexpectedStatus', reasons: [], statuses: [] };

/** What a server says about an unknown path when it does send a Status. */
const UNKNOWN_PATH = 'the server could not find the requested resource';

export const toStatusError = (refusal: Refusal): FleetError => {
  const status = parseStatus(refusal.body);
  const { kind, code, hint } = meaningOf(refusal.status, status);
  const retryAfterMs = toRetryAfterMs(refusal, status);
  const why = status?.message === undefined ? excerpt(refusal.body) : withoutObjects(status.message);
  return new FleetError(kind, {
    code: code === 'Expired' ? refusal.expiredCode : code,
    message: `${refusal.doing}: the server answered ${refusal.status}${why === '' ? '' : `: ${why.slice(0, 1_000)}`}`,
    details: { status: refusal.status, ...(status?.reason === undefined ? {} : { reason: status.reason }) },
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};

const meaningOf = (httpStatus: number, status: ParsedStatus | undefined): Meaning => {
  const cause = status?.causes.map(meaningOfCause).find((meaning) => meaning !== undefined);
  if (cause !== undefined) return cause;
  if (httpStatus === 404 && status?.message === UNKNOWN_PATH) return NOT_SERVED;
  const reason = status?.reason ?? '';
  return (
    MEANINGS.find(({ reasons }) => reasons.includes(reason)) ??
    MEANINGS.find(({ statuses }) => statuses.includes(httpStatus)) ??
    (httpStatus >= 500 ? SERVER_ERROR : UNEXPECTED)
  );
};

/** Causes that say more than the reason of their Status. */
const meaningOfCause = ({ reason, field }: Cause): Meaning | undefined => {
  if (reason === 'DisruptionBudget') return EVICTION_BLOCKED;
  if (reason === 'FieldManagerConflict') return FIELD_OWNED;
  if (reason === 'NamespaceTerminating') return NAMESPACE_ENDING;
  return reason === 'FieldValueInvalid' && field === 'metadata.uid' ? OTHER_OBJECT : undefined;
};

interface Cause {
  readonly reason: unknown;
  readonly field: unknown;
}

interface ParsedStatus extends Status {
  readonly causes: readonly Cause[];
}

/** The Status inside a body, or undefined when the body is anything else (a proxy's HTML page, nothing at all). */
const parseStatus = (body: string): ParsedStatus | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  return isRecord(value) && value['kind'] === 'Status' ? toParsedStatus(value) : undefined;
};

const toParsedStatus = (value: Readonly<Record<string, unknown>>): ParsedStatus => {
  const details = isRecord(value['details']) ? value['details'] : {};
  const { reason, message } = value;
  const { retryAfterSeconds, causes } = details;
  return {
    kind: 'Status',
    causes: Array.isArray(causes) ? causes.filter(isRecord).map(({ reason, field }) => ({ reason, field })) : [],
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { details: { retryAfterSeconds } } : {}),
  };
};

/** Nobody is made to wait longer than this by a header. */
const RETRY_AFTER_MAX_MS = 300_000;

/** The wait the server asked for: whole seconds or an HTTP date. Nonsense, nothing and zero are no wait. */
const toRetryAfterMs = ({ headers, nowMs }: Refusal, status: ParsedStatus | undefined): number | undefined => {
  const header = headers['retry-after'];
  const seconds = header === undefined ? (status?.details?.retryAfterSeconds ?? 0) : Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header ?? '') - nowMs : seconds * 1_000;
  return waitMs > 0 ? Math.min(waitMs, RETRY_AFTER_MAX_MS) : undefined;
};

/** A server that cannot make sense of a patched object quotes all of it, and it may be a Secret. */
const withoutObjects = (message: string): string => message.replaceAll(/"\{\\"(?:[^"\\]|\\.)*"/g, '{…}');

/** The beginning of a body that is no Status, on one line, without anything that looks like a token. */
export const excerpt = (body: string): string =>
  body
    .slice(0, 400)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\b(Bearer|Basic) \S+/gi, '$1 [redacted]')
    .trim()
    .slice(0, 200);
