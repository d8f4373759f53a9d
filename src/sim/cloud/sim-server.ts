/** One simulated server: the whole truth about it, and what of it the API shows. */
import type { Secret } from '../../base/secret.ts';
import type { ServerStatus } from '../../scaleway/port/cloud.ts';

export type Commitment = 'duration_24h' | 'renewed_monthly';
export type VpcStatus = 'vpc_disabled' | 'vpc_updating' | 'vpc_enabled';

/** One private network on one server. */
export interface Attachment {
  readonly id: string;
  readonly serverId: string;
  readonly networkId: string;
  readonly ipIds: readonly string[];
  readonly status: 'attaching' | 'attached' | 'detaching';
  readonly vlan: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** For checkers and for the simulated Mac. The API shows a part of it (wire.ts). */
export interface SimServer {
  readonly id: string;
  readonly zone: string;
  readonly projectId: string;
  readonly name: string;
  readonly type: string;
  readonly status: ServerStatus;
  readonly osId: string;
  /** Of the image, such as `Tahoe`. */
  readonly osFamily: string;
  readonly isDelivered: boolean;
  readonly address: string;
  readonly sshUser: string;
  readonly password: Secret<string>;
  /** Sealed also for a GET, as Scaleway does once its time for disclosing it is over. */
  readonly isSealed: boolean;
  /** Sealed for a GET until then, as after an install or a reboot. */
  readonly sealedUntilMs: number;
  /** The keys that the Mac lets in: those of the project when it was last installed or started by the API. */
  readonly authorizedKeys: readonly string[];
  /** How often the disk was really erased. Nothing on the wire tells. */
  readonly wipes: number;
  /** How often Scaleway only said so (F23). */
  readonly fakedWipes: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly deletableAtMs: number;
  readonly isDeletionScheduled: boolean;
  readonly commitment: Commitment;
  /** Whether it may have private networks. */
  readonly vpc: VpcStatus;
}

const TRANSIENT: readonly ServerStatus[] = [
  ...(['starting', 'rebooting', 'updating', 'locking', 'unlocking', 'reinstalling', 'busy'] as const),
];

export const isTransient = ({ status }: SimServer): boolean => TRANSIENT.includes(status);
