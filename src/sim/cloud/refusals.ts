/** How the simulated API says no: each as Scaleway was recorded to say it, status and body. */
import { type ErrorKind, FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { SimServer } from './sim-server.ts';

export interface WireRefusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Carries what goes over the wire; kind and code are for those who call the core directly. */
const refusal = (kind: ErrorKind, code: string, wire: WireRefusal): FleetError =>
  new FleetError(kind, { code, message: `the simulated cloud answers ${wire.status}: ${code}`, details: { wire } });

/** What goes over the wire for an error thrown by the core; undefined for an error that is none of these. */
export const parseWire = (error: unknown): WireRefusal | undefined => {
  const wire = error instanceof FleetError ? error.details['wire'] : undefined;
  return isRecord(wire) ? (wire as unknown as WireRefusal) : undefined;
};

/** What a deleted server answers: the same as one that we may not see. */
export const permissionsDenied = (resource = 'server', action: 'read' | 'write' = 'read'): FleetError =>
  refusal('denied', 'PermissionsDenied', {
    status: 403,
    body: {
      details: [{ action, resource }],
      message: 'insufficient permissions',
      type: 'permissions_denied',
    },
  });

export const notFound = (resource: string, id: string): FleetError =>
  refusal('not-found', 'ServerNotFound', {
    status: 404,
    body: { message: 'resource is not found', resource, resource_id: id, type: 'not_found' },
  });

export const transientState = ({ id, status }: Pick<SimServer, 'id' | 'status'>): FleetError =>
  refusal('conflict', 'TransientState', {
    status: 409,
    body: {
      current_state: status,
      message: 'resource is in a transient state',
      resource: 'server',
      resource_id: id,
      type: 'transient_state',
    },
  });

export const locked = ({ id }: Pick<SimServer, 'id'>): FleetError =>
  refusal('denied', 'Locked', {
    status: 403,
    body: { message: 'resource is locked', resource: 'server', resource_id: id, type: 'locked' },
  });

export const invalidArgument = (argument: string, reason: string): FleetError =>
  refusal('invalid', 'InvalidArguments', {
    status: 400,
    body: {
      details: [{ argument_name: argument, help_message: reason, reason: 'constraint' }],
      message: 'invalid argument(s)',
      type: 'invalid_arguments',
    },
  });

/** Before the lease allows a deletion. Nobody recorded this one, so both shapes can be asked for (F06, F07). */
export const tooEarly = (shape: 'typed' | 'generic', deletableAt: string): FleetError =>
  refusal('conflict', 'PreconditionFailed', {
    status: 412,
    body:
      shape === 'generic'
        ? 'precondition failed'
        : {
            help_message: `server cannot be deleted before ${deletableAt}`,
            message: 'precondition is not respected',
            precondition: 'unknown_precondition',
            type: 'precondition_failed',
          },
  });

export const forbiddenChange = (why: string): FleetError =>
  refusal('conflict', 'PreconditionFailed', {
    status: 412,
    body: {
      help_message: why,
      message: 'precondition is not respected',
      precondition: 'unknown_precondition',
      type: 'precondition_failed',
    },
  });

export const quotaExceeded = (
  resource: string,
  { quota, current }: { readonly quota: number; readonly current: number },
): FleetError =>
  refusal('no-capacity', 'QuotaExceeded', {
    status: 403,
    body: { details: [{ current, quota, resource }], message: 'quota exceeded', type: 'quotas_exceeded' },
  });

export const alreadyExists = (resource: string, id: string): FleetError =>
  refusal('exists', 'AlreadyExists', {
    status: 409,
    body: {
      help_message: '',
      message: 'resource already exists',
      resource,
      resource_id: id,
      type: 'already_exists',
    },
  });

export const outOfStock = (resource: string): FleetError =>
  refusal('no-capacity', 'OutOfStock', {
    status: 400,
    body: { message: 'resource is out of stock', resource, type: 'out_of_stock' },
  });

export const unauthenticated = (): FleetError =>
  refusal('denied', 'AuthenticationDenied', {
    status: 401,
    body: {
      message: 'authentication is denied',
      method: 'api_key',
      reason: 'not_found',
      type: 'denied_authentication',
    },
  });

export const cloudAway = (): FleetError =>
  refusal('unavailable', 'CloudUnavailable', { status: 503, body: '<html><body>Service Unavailable</body></html>' });
