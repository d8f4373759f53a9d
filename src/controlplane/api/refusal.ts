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
  AlreadyExists: { status: 409, kind: 'exists' },
  Conflict: { status: 409, kind: 'conflict' },
  Expired: { status: 410, kind: 'conflict' },
  RequestEntityTooLarge: { status: 413, kind: 'invalid' },
  UnsupportedMediaType: { status: 415, kind: 'contract' },
  Invalid: { status: 422, kind: 'invalid' },
  InternalError: { status: 500, kind: 'bug' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly kind: ErrorKind }>>;

export type Reason = keyof typeof REASONS;

/** `details` of a Status: what it is about, and each single cause. */
interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
}

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export class ApiRefusal extends FleetError {
  readonly reason: Reason;
  readonly statusDetails: StatusDetails | undefined;

  constructor(reason: Reason, message: string, statusDetails?: StatusDetails) {
    super(REASONS[reason].kind, { code: reason, message });
    this.reason = reason;
    this.statusDetails = statusDetails;
  }
}

export const renderStatus = (refusal: ApiRefusal): Readonly<Record<string, unknown>> => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: refusal.message,
  reason: refusal.reason,
  ...(refusal.statusDetails !== undefined && { details: refusal.statusDetails }),
  code: REASONS[refusal.reason].status,
});

export const replyRefusal = (refusal: ApiRefusal): ApiResponse =>
  reply(REASONS[refusal.reason].status, renderStatus(refusal));

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

export const outdated = (resource: AnyResource, name: string): ApiRefusal =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const forbidden = (resource: AnyResource, name: string, why: string): ApiRefusal =>
  new ApiRefusal('Forbidden', `${qualified(resource)} "${name}" is forbidden: ${why}`, about(resource, name));

export const badRequest = (message: string): ApiRefusal => new ApiRefusal('BadRequest', message);

export const expired = (message: string): ApiRefusal => new ApiRefusal('Expired', message);

export const notAllowed = (): ApiRefusal =>
  new ApiRefusal('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** One thing that is wrong with one field. */
export interface Problem {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden';
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

export const invalid = (
  resource: Pick<AnyResource, 'group' | 'kind'>,
  name: string,
  problems: readonly Problem[],
): ApiRefusal => {
  const causes = problems.map(({ field, reason, message }) => ({ reason, message, field }));
  const texts = problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiRefusal('Invalid', `${qualifiedKind(resource)} "${name}" is invalid: ${all}`, {
    name,
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.kind,
    causes,
  });
};

const qualifiedKind = ({ group, kind }: Pick<AnyResource, 'group' | 'kind'>): string =>
  group === '' ? kind : `${kind}.${group}`;
