/**
 * Refusals of the API, with the reasons, codes and messages of a real API server: clients (and kubectl's users) know
 * them by heart. Thrown anywhere below `handle`, answered as a Status there.
 */
import { type ErrorKind, FleetError } from '../../base/errors.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { type ApiResponse, reply } from './http.ts';

const REASONS = {
  BadRequest: { status: 400, kind: 'invalid' },
  Unauthorized: { status: 401, kind: 'denied' },
  Forbidden: { status: 403, kind: 'denied' },
  NotFound: { status: 404, kind: 'not-found' },
  MethodNotAllowed: { status: 405, kind: 'contract' },
  NotAcceptable: { status: 406, kind: 'contract' },
  AlreadyExists: { status: 409, kind: 'exists' },
  Conflict: { status: 409, kind: 'conflict' },
  Expired: { status: 410, kind: 'conflict' },
  RequestEntityTooLarge: { status: 413, kind: 'invalid' },
  UnsupportedMediaType: { status: 415, kind: 'contract' },
  Invalid: { status: 422, kind: 'invalid' },
  TooManyRequests: { status: 429, kind: 'throttled' },
  InternalError: { status: 500, kind: 'bug' },
  /** Where a real API server answers 500 and gives no reason, although the client is at fault. */
  Unknown: { status: 500, kind: 'invalid' },
  ServiceUnavailable: { status: 503, kind: 'unavailable' },
  Timeout: { status: 504, kind: 'unavailable' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly kind: ErrorKind }>>;

export type Reason = keyof typeof REASONS;

/** `details` of a Status: what it is about, and each single cause. */
interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** What the answer says beside reason and message. */
interface StatusExtras {
  /** Of a list that is expired: where to go on. */
  readonly continueToken?: string;
}

export class ApiRefusal extends FleetError {
  readonly reason: Reason;
  readonly statusDetails: StatusDetails | undefined;
  readonly extras: StatusExtras;

  constructor(reason: Reason, message: string, statusDetails?: StatusDetails, extras: StatusExtras = {}) {
    super(REASONS[reason].kind, { code: reason, message });
    this.reason = reason;
    this.statusDetails = statusDetails;
    this.extras = extras;
  }
}

export const renderStatus = (refusal: ApiRefusal): Readonly<Record<string, unknown>> => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: refusal.extras.continueToken === undefined ? {} : { continue: refusal.extras.continueToken },
  status: 'Failure',
  message: refusal.message,
  ...(refusal.reason !== 'Unknown' && { reason: refusal.reason }),
  ...(refusal.statusDetails !== undefined && { details: refusal.statusDetails }),
  code: REASONS[refusal.reason].status,
});

export const replyRefusal = (refusal: ApiRefusal): ApiResponse => {
  const response = reply(REASONS[refusal.reason].status, renderStatus(refusal));
  const seconds = refusal.statusDetails?.retryAfterSeconds;
  return seconds === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } };
};

type AnyResource = Resource<KubeObject>;

/** `pods`, or `machines.cluster.x-k8s.io`. */
const qualified = ({ group, plural }: AnyResource): string => (group === '' ? plural : `${plural}.${group}`);

const about = ({ group, plural }: AnyResource, name: string): StatusDetails => ({
  name,
  ...(group !== '' && { group }),
  kind: plural,
});

export const unknownPath = (): ApiRefusal =>
  new ApiRefusal('NotFound', 'the server could not find the requested resource', {});

export const notFound = (resource: AnyResource, name: string): ApiRefusal =>
  new ApiRefusal('NotFound', `${qualified(resource)} "${name}" not found`, about(resource, name));

export const alreadyExists = (resource: AnyResource, name: string): ApiRefusal =>
  new ApiRefusal('AlreadyExists', `${qualified(resource)} "${name}" already exists`, about(resource, name));

export const conflict = (resource: AnyResource, name: string, why: string): ApiRefusal =>
  new ApiRefusal(
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    about(resource, name),
  );

/** A precondition of a delete; the real API server names the kind here, not the resource. */
export const preconditionFailed = (resource: AnyResource, name: string, why: string): ApiRefusal =>
  new ApiRefusal('Conflict', `Operation cannot be fulfilled on ${qualifiedKind(resource)} "${name}": ${why}`, {
    name,
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.kind,
  });

export const outdated = (resource: AnyResource, name: string): ApiRefusal =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const forbidden = (
  resource: AnyResource,
  name: string,
  why: string,
  more: Pick<StatusDetails, 'causes'> = {},
): ApiRefusal =>
  new ApiRefusal('Forbidden', `${qualified(resource)} "${name}" is forbidden: ${why}`, {
    ...about(resource, name),
    ...more,
  });

export const badRequest = (message: string): ApiRefusal => new ApiRefusal('BadRequest', message);

export const expired = (message: string, continueToken?: string): ApiRefusal =>
  new ApiRefusal('Expired', message, undefined, continueToken === undefined ? {} : { continueToken });

/** A version that this server has not come to yet. */
export const tooLargeVersion = (asked: number, current: number): ApiRefusal =>
  new ApiRefusal('Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const notAllowed = (): ApiRefusal =>
  new ApiRefusal('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

type ProblemReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound';

/** One thing that is wrong with one field. */
export interface Problem {
  readonly field: string;
  readonly reason: ProblemReason;
  /** `Required value`, `Invalid value: 7: …`. */
  readonly message: string;
}

export const required = (field: string, why = ''): Problem => ({
  field,
  reason: 'FieldValueRequired',
  message: why === '' ? 'Required value' : `Required value: ${why}`,
});

export const invalidValue = (field: string, value: unknown, why: string): Problem => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): Problem => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
});

export const forbiddenField = (field: string, why: string): Problem => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
});

export const duplicate = (field: string, value: unknown): Problem => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
});

/** A reference to something that is not there. */
export const notFoundField = (field: string, value: unknown): Problem => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${JSON.stringify(value)}`,
});

export const tooLong = (field: string, maxBytes: number): Problem => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${maxBytes} bytes`,
});

export const invalid = (
  resource: Pick<AnyResource, 'group' | 'kind'>,
  name: string,
  problems: readonly Problem[],
): ApiRefusal => {
  const causes = problems.map(({ field, reason, message }) => ({ reason, message, field }));
  const texts = problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiRefusal('Invalid', `${qualifiedKind(resource)} "${name}" is invalid: ${all}`, {
    ...(name !== '' && { name }),
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.kind,
    causes,
  });
};

const qualifiedKind = ({ group, kind }: Pick<AnyResource, 'group' | 'kind'>): string =>
  group === '' ? kind : `${kind}.${group}`;
