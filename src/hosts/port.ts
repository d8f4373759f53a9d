/**
 * The ports of src/hosts. Below it stand `Hosts`: sessions on a Mac, implemented by the SSH adapter and by the simulated Macs
 * (src/sim/mac). Above it stands `HostPreparer`: whole pieces of work on a Mac, implemented here on top of sessions
 * (host-preparer.ts) and used by provider/host, which knows no step.
 */
import type { Secret } from '../base/secret.ts';

export interface HostTarget {
  readonly address: string;
  /** 22 unless given. */
  readonly port?: number;
  readonly user: string;
  /** The fleet's private key, OpenSSH format. */
  readonly privateKey: Secret<string>;
  /** Fingerprint that the Mac must show; undefined before the first session after a wipe. */
  readonly pinnedHostKey: string | undefined;
}

export interface Hosts {
  /**
   * Rejects with `unavailable` (refused, timeout, lost), or with `denied` and code `HostKeyChanged` or
   * `AuthenticationFailed`. Nothing was run then.
   */
  open(target: HostTarget, signal: AbortSignal): Promise<HostSession>;
}

export type StepPhase = 'check' | 'apply' | 'verify';

export interface StepCall {
  readonly step: string;
  readonly phase: StepPhase;
  /** The Mac refuses the call if it has seen a higher one (R10): `conflict`, code `StaleEpoch`. */
  readonly epoch: number;
  readonly inputs: Readonly<Record<string, string>>;
  /** Sent on standard input only. */
  readonly secrets: Readonly<Record<string, Secret<string>>>;
}

export interface StepAnswer {
  readonly exitCode: number;
  /** The end of the output, bounded. Holds no secret. */
  readonly output: string;
}

export interface HostSession {
  /** `SHA256:` fingerprint of the key that the Mac showed. */
  readonly hostKey: string;
  /**
   * A non-zero exit is an answer. Rejects with `unavailable` when the connection is lost, after which a phase may have run
   * or not; with `conflict` and code `StaleEpoch` (`details.seen` is the epoch on the Mac), `NotWiped` (the Mac bears the
   * marks of another claim) or `NotFenced` (it has no epoch file, and the step is none that may run without); in each
   * of the three nothing was done; with `bug` when the session is closed (`SessionClosed`) or was opened without a pin
   * (`HostKeyNotPinned`): what a host showed is put on record before anything is sent to it. An abort rejects at once.
   */
  run(call: StepCall, signal: AbortSignal): Promise<StepAnswer>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface StepProgress {
  readonly id: string;
  readonly state: 'pending' | 'running' | 'done' | 'failed' | 'skipped';
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly message?: string;
}

export interface Preparation {
  readonly target: HostTarget;
  readonly epoch: number;
  /** Who the Mac works for, such as the machine's UID: what a Mac that was not wiped tells apart (R9). */
  readonly claim: string;
  readonly nodeName: string;
  readonly providerId: string;
  readonly fleet: string;
  readonly kubeconfig: Secret<string>;
  /** Absent when Scaleway seals it: the Mac must then already let us in without. */
  readonly sudoPassword: Secret<string> | undefined;
  readonly onProgress: (steps: readonly StepProgress[]) => void;
}

export interface HostPreparer {
  /** The fingerprint of the host key, to be pinned before anything is sent. Runs nothing. */
  lookAtHostKey(target: HostTarget, signal: AbortSignal): Promise<string>;
  /**
   * Brings the Mac to where its agent runs: every step is checked, applied where needed, and verified. Safe to repeat.
   * Rejects with what stopped it; code `NotWiped` when the marks of another claim are there (R9).
   */
  prepare(preparation: Preparation, signal: AbortSignal): Promise<void>;
  /** Stops the agent, if there is one. */
  stopAgent(work: Pick<Preparation, 'target' | 'epoch'>, signal: AbortSignal): Promise<void>;
}
