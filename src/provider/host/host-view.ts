/** What the plan for a Mac is made from, and what it may say: both plain data, so that a pass can be read as a row of a table. */
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { Changes } from '../../kube/controller/outcome.ts';
import type { CloudServer, Diagnosis } from '../../scaleway/port/cloud.ts';

export interface HostTimes {
  /** How long a pending name is held before the final one (R7): longer than 5 s and the HTTP deadline together. */
  readonly claimHoldMs: number;
  /** How long a host is not claimable after the last request that changed it (R13). */
  readonly quietMs: number;
  /** How old the record of a request may be when it is sent. */
  readonly recordMaxAgeMs: number;
  /** How often a server under way to something is looked at. */
  readonly pollMs: number;
}

export interface HostLimits {
  /** Failed bootstraps in a row before the one reboot; 0: no reboot (000-4, 000-6). */
  readonly rebootAfter: number;
  /** Failed bootstraps in a row before the Mac goes back and another is taken; 0: never (000-5, 000-6). */
  readonly releaseAfter: number;
  /** Wipes of one pool within an hour (R20). */
  readonly reinstallsPerHour: number;
  /** Without it Macs whose machine vanished are held until a person says what becomes of them (R15). */
  readonly reclaim?: { readonly claimPrefix: string; readonly afterMs: number };
}

/** The pool a host belongs to, as a whole. */
export interface PoolCensus {
  readonly size: number;
  readonly quarantined: number;
  /** Wipes that were asked for within the last hour. */
  readonly wipedLastHour: number;
  /** Hosts of all pools that lost a machine within an hour of this one, itself included, whatever became of them; 0: it did not. */
  readonly vanishedTogether: number;
  /** Among the Macs of the pool, and among those of all pools. */
  readonly silences: readonly Silence[];
}

/** Macs whose machines were provisioned, and those of them whose Node is not ready, or not there. */
export interface Silence {
  readonly working: number;
  readonly silent: number;
}

/**
 * The machine behind a claim: it names this host; it does, and is being deleted; it names another, or others name this one
 * too; it does not exist; it was taken off its Mac by hand (R16); it lives on in another cluster (R17).
 */
export type Owner = 'names-it' | 'leaving' | 'does-not' | 'gone' | 'detached' | 'moved';

export interface HostView {
  readonly nowMs: number;
  readonly spec: MacHostSpec;
  /** As the cloud showed it in this very pass (R8); undefined when it was not asked or does not show it. */
  readonly server: CloudServer | undefined;
  /** Looked for twice, and in no complete list (R19). */
  readonly isGone: boolean;
  readonly owner: Owner;
  /** The very Cluster that its vanished machine was of is there, by the API itself, and neither paused nor going. Asked only for a reclaim. */
  readonly isClusterActive: boolean;
  /** The machine was provisioned with this very Mac: it gets no other, it is replaced (R22). */
  readonly isProvisioned: boolean;
  readonly node: 'there' | 'absent';
  /** Whether the write on record was put there by this very process, which has not sent it yet. */
  readonly isUnsent: boolean;
  /** Scaleway's own look at a server that keeps failing; undefined when it was not asked, or did not answer. */
  readonly diagnosis: Diagnosis | undefined;
  /** Fingerprint of the configuration that this manager wants on it. */
  readonly configHash: string;
  /** Whether it has drifted from that, and it is its turn. */
  readonly isTurnToRoll: boolean;
  readonly clusterId: string;
  readonly times: HostTimes;
  readonly limits: HostLimits;
  readonly census: () => PoolCensus;
  /** For new names and requests. */
  readonly uuid: () => string;
}

export type HostPlan =
  | { readonly do: 'rest' }
  | { readonly do: 'wait'; readonly afterMs: number; readonly reason?: string; readonly message?: string }
  /** Store this, then look again. `event` tells people why, where it is more than a step on the way. */
  | { readonly do: 'store'; readonly spec: Changes<MacHostSpec>; readonly event?: PlannedEvent }
  | (ToRecord & { readonly do: 'rename'; readonly to: string })
  | { readonly do: 'reboot' }
  | (ToRecord & { readonly do: 'reinstall'; readonly osFamily: string })
  | (ToRecord & { readonly do: 'terminate' })
  | (ToRecord & { readonly do: 'schedule-deletion' })
  /** `halted`: why nothing else is done to it, should that not help (R20, R21). */
  | { readonly do: 'prepare'; readonly halted?: Halt }
  /** Another configuration for a Mac that works. */
  | { readonly do: 'roll' }
  | { readonly do: 'delete-node' }
  /** Take the record away. */
  | { readonly do: 'forget' }
  | { readonly do: 'report'; readonly reason?: string; readonly message: string };

/** Why a Mac is left alone although something is to be done about it. The same words each time. */
export interface Halt {
  readonly reason: string;
  readonly message: string;
}

/** Of a write to the server. */
export interface ToRecord {
  /** To be stored right before it is sent (R13); absent when a record that is fresh says so already. */
  readonly record?: Changes<MacHostSpec>;
}

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
