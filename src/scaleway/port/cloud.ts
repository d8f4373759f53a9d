/**
 * The cloud port: the few things we ask of Scaleway, in domain words. Implemented by the adapter on the official SDK and by
 * the simulator (src/sim/cloud). Only provider/host calls the verbs that change something.
 *
 * Every verb rejects with a FleetError, by the table of wire-errors.ts: `not-found`; `denied` (code `PermissionsDenied` is
 * also what a deleted server answers, so one look never means gone, R19); `conflict` with code `TransientState` (busy with
 * something else) or `PreconditionFailed`; `exists`; `invalid` (a name or a family it does not take); `no-capacity` (quota,
 * stock); `throttled`; `unavailable`; `contract` (an answer that cannot be read). After the last two a write may or may not have happened: each verb says
 * what a second look shows then.
 */
import type { Secret } from '../../base/secret.ts';
import type { OsImage } from './os-family.ts';

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
  /** What Scaleway calls a status that we do not know reads as `unknown_status`. */
  readonly status: ServerStatus;
  /** Release family of the installed macOS, such as `Tahoe`. */
  readonly osFamily: string;
  /** True from the first delivery on. */
  readonly isDelivered: boolean;
  /** Empty while it has none. */
  readonly address: string;
  readonly sshUser: string;
  /** Wall clock; before it Scaleway refuses to delete the server. Absent when it does not say. */
  readonly deletableAtMs: number | undefined;
  /** Scaleway deletes it as soon as it may. */
  readonly isDeletionScheduled: boolean;
}

/** What only a look at one server shows. No list and no answer to a write does (000-1). */
export interface ServerAccess extends CloudServer {
  /** On the monotonic clock: when the request left that this answers. It was so then, or later (R13). */
  readonly askedAtMs: number;
  /** Absent while Scaleway seals it. */
  readonly sudoPassword: Secret<string> | undefined;
}

export interface ServerOrder {
  readonly zone: string;
  readonly type: string;
  readonly imageId: string;
}

export const STOCKS = ['unknown_stock', 'no_stock', 'low_stock', 'high_stock'] as const;

export interface ServerType {
  readonly name: string;
  /** What Scaleway calls a stock that we do not know reads as `unknown_stock`. */
  readonly stock: (typeof STOCKS)[number];
  /** A server of this type is paid for at least so long. */
  readonly minimumLeaseMs: number;
}

export interface Diagnosis {
  readonly isHealthy: boolean;
  readonly isServerAlive: boolean;
  readonly isSshPortUp: boolean;
  /** What Scaleway thinks may help. */
  readonly supportedActions: readonly ('reboot_server' | 'reinstall_server')[];
}

export interface SshKey {
  readonly id: string;
  readonly name: string;
  /** As in authorized_keys: algorithm, base64, perhaps a comment. */
  readonly publicKey: string;
}

export interface Cloud extends CloudReads, CloudWrites, SshKeys {}

export interface CloudReads {
  /** All servers of the project in one zone, read after this was called: complete, or an error. */
  listServers(zone: string, signal: AbortSignal): Promise<readonly CloudServer[]>;
  getServer(server: ServerRef, signal: AbortSignal): Promise<ServerAccess>;
  /** What can be installed on servers of this type, today. */
  listOsImages(zone: string, serverType: string, signal: AbortSignal): Promise<readonly OsImage[]>;
  listServerTypes(zone: string, signal: AbortSignal): Promise<readonly ServerType[]>;
  /** Scaleway's own look at the server's health; takes seconds. Changes nothing. */
  diagnoseServer(server: ServerRef, signal: AbortSignal): Promise<Diagnosis>;
}

/** How a write is sent. */
export interface WriteCall {
  readonly signal: AbortSignal;
  /**
   * On the monotonic clock: a write that has not left by then never does, and is told as `conflict` `LookTooOld`. What was
   * looked at before it may have changed since (R13).
   */
  readonly sendBeforeMs?: number;
}

export interface CloudWrites {
  /** Unconditional: the last writer wins. Repeating it is harmless; after a lost answer the next look shows the name. */
  renameServer(server: ServerRef, name: string, call: WriteCall): Promise<CloudServer>;
  /**
   * Wipes the disk and installs this image, or the default of the type. Accepted when the answer's status is `reinstalling`. After a
   * lost answer a look that shows `reinstalling` means accepted; anything else means nothing (R12).
   */
  reinstallServer(server: ServerRef, imageId: string | undefined, call: WriteCall): Promise<CloudServer>;
  /** Pulls the power. After a lost answer nothing tells whether it happened: the caller counts it as done. */
  rebootServer(server: ServerRef, call: WriteCall): Promise<CloudServer>;
  /** Costs money from now on. Not idempotent: after a lost answer a list shows whether a server of that name exists (R25). */
  orderServer(order: ServerOrder, name: string, call: WriteCall): Promise<CloudServer>;
  /** All of them or none. As above after a lost answer. */
  orderServers(order: ServerOrder, names: readonly string[], call: WriteCall): Promise<readonly CloudServer[]>;
  /** `PreconditionFailed` before the lease allows it: schedule instead. After a lost answer the server answers as deleted. */
  terminateServer(server: ServerRef, call: WriteCall): Promise<void>;
  /** To be deleted as soon as the lease allows it, or not any more. Repeating it is harmless. */
  scheduleDeletion(server: ServerRef, plan: 'delete' | 'keep', call: WriteCall): Promise<CloudServer>;
}

/** Keys that Scaleway puts on every Mac of the project when it installs it. */
export interface SshKeys {
  listSshKeys(name: string, signal: AbortSignal): Promise<readonly SshKey[]>;
  /** Not idempotent: two calls make two keys. After a lost answer a list shows it. */
  addSshKey(key: Omit<SshKey, 'id'>, signal: AbortSignal): Promise<SshKey>;
  /** Repeating it answers `not-found`. */
  deleteSshKey(id: string, signal: AbortSignal): Promise<void>;
}
