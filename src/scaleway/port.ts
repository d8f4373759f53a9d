/**
 * The cloud port: the few things we ask of Scaleway, in domain words. Implemented by the adapter on the official SDK and by
 * the simulator (src/sim/cloud). Only provider/host calls the verbs that change something.
 *
 * Every verb rejects with a FleetError: `not-found`; `denied` (also what a deleted server answers, so one look never
 * means gone, R19); `conflict` with code `TransientState` (the server is busy with something else) or
 * `PreconditionFailed`; `invalid` (a name or a family it does not take); `throttled`; `unavailable`. After `unavailable` a write may or may not have happened.
 */
import type { Secret } from '../base/secret.ts';

export const SERVER_STATUSES = [
  'unknown_status',
  'starting',
  'ready',
  'error',
  'rebooting',
  'updating',
  'locking',
  'locked',
  'unlocking',
  'reinstalling',
  'busy',
] as const;

export type ServerStatus = (typeof SERVER_STATUSES)[number];

/** Which server is meant. */
export interface ServerRef {
  readonly zone: string;
  readonly id: string;
}

export interface CloudServer extends ServerRef {
  readonly projectId: string;
  readonly name: string;
  readonly type: string;
  readonly status: ServerStatus;
  /** Release family of the installed macOS, such as `Tahoe`. */
  readonly osFamily: string;
  /** True from the first delivery on. */
  readonly isDelivered: boolean;
  readonly address: string;
  readonly sshUser: string;
  /** Absent when Scaleway seals it, as it does in the answer to every write. */
  readonly sudoPassword: Secret<string> | undefined;
}

export interface Cloud {
  /** All servers of the project in one zone: complete, or an error. Never with a password. */
  listServers(zone: string, signal: AbortSignal): Promise<readonly CloudServer[]>;
  getServer(server: ServerRef, signal: AbortSignal): Promise<CloudServer>;
  /** Unconditional: the last writer wins. Repeating it is harmless. */
  renameServer(server: ServerRef, name: string, signal: AbortSignal): Promise<CloudServer>;
  /** Wipes the disk and installs the newest image of the family. Accepted when the answer's status is `reinstalling`. */
  reinstallServer(server: ServerRef, osFamily: string, signal: AbortSignal): Promise<CloudServer>;
  /** Pulls the power. */
  rebootServer(server: ServerRef, signal: AbortSignal): Promise<CloudServer>;
}
