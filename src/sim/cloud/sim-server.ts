/** One simulated server: the whole truth about it, what of it the API shows, and how the API says no. */
import { FleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { CloudServer, ServerStatus } from '../../scaleway/port.ts';

/** For checkers and for the simulated Mac. The API shows it through `showOne` or `showSealed`. */
export interface SimServer extends Omit<CloudServer, 'sudoPassword'> {
  readonly password: Secret<string>;
  /** Sealed also for a GET, as Scaleway does once its time for disclosing it is over. */
  readonly isSealed: boolean;
  /** How often the disk was really erased. Nothing on the wire tells. */
  readonly wipes: number;
}

const TRANSIENT: readonly ServerStatus[] = [
  ...(['starting', 'rebooting', 'updating', 'locking', 'unlocking', 'reinstalling', 'busy'] as const),
];

export const isTransient = ({ status }: SimServer): boolean => TRANSIENT.includes(status);

/** The answer to a GET. */
export const showOne = ({ password, isSealed, wipes: _, ...shown }: SimServer): CloudServer => ({
  ...shown,
  sudoPassword: isSealed ? undefined : password,
});

/** One row of a list, and the answer to every write. */
export const showSealed = (server: SimServer): CloudServer => ({ ...showOne(server), sudoPassword: undefined });

/** What a deleted server answers: the same as one that we may not see. */
export const permissionsDenied = (serverId: string): FleetError =>
  new FleetError('denied', {
    code: 'PermissionsDenied',
    message: `Scaleway refuses access to server ${serverId}: insufficient permissions`,
    hint: 'The server was deleted, or the API key has no right to it; a list of the project tells which.',
    details: { serverId },
  });

export const serverNotFound = (serverId: string): FleetError =>
  new FleetError('not-found', {
    code: 'ServerNotFound',
    message: `Scaleway knows no server ${serverId} in this zone`,
    hint: 'Check the zone and the id.',
    details: { serverId },
  });

export const transientState = ({ id, status }: SimServer): FleetError =>
  new FleetError('conflict', {
    code: 'TransientState',
    message: `server ${id} is ${status} and takes no other order meanwhile`,
    hint: 'Wait until it is ready, then ask again.',
    details: { serverId: id, status },
  });

export const invalidArgument = (argument: string, reason: string): FleetError =>
  new FleetError('invalid', {
    code: 'InvalidArguments',
    message: `Scaleway refuses the request: ${argument} ${reason}`,
    hint: `Correct ${argument}.`,
    details: { argument },
  });

export const cloudAway = (): FleetError =>
  new FleetError('unavailable', {
    code: 'CloudUnavailable',
    message: 'Scaleway does not answer',
    hint: 'Try again later; status.scaleway.com tells about incidents.',
  });
