/**
 * The ports of src/hosts. Below it stand `Hosts`: sessions on a Mac, implemented by the SSH adapter and by the simulated Macs
 * (src/sim/mac). Above it stands `HostPreparer`: whole pieces of work on a Mac, implemented here on top of sessions
 * (host-preparer.ts) and used by provider/host, which knows no step.
 */
import type { Secret } from '../base/secret.ts';
import type { SudoTry } from './sudo-tries.ts';

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
  /**
   * `check` looks. `converge` looks, applies unless the step is as wanted and recorded under this digest, and verifies.
   * `verify` looks, and records what it finds as wanted.
   */
  readonly do: 'check' | 'converge' | 'verify';
  readonly inputs: Readonly<Record<string, string>>;
  /** Sent on standard input only. */
  readonly secrets: Readonly<Record<string, Secret<string>>>;
  /** What the Mac records once the step is verified; nothing when it is empty. */
  readonly digest: string;
  /** It begins when all calls of lower stages have ended well; 0 unless given. */
  readonly stage?: number;
}

/**
 * Under which right a batch is sent: the number that a controller raised for its operation (R10), or a person's, who works on
 * a Mac that no controller holds (`by-hand`) or on one that does (`forced`).
 */
export type Epoch = number | 'by-hand' | 'forced';

/**
 * Calls that the Mac runs stage by stage, those of a stage side by side; one that fails ends the batch with its stage. Within its
 * stage `first-look` comes before all others.
 */
export interface Batch {
  /** The Mac refuses a number lower than it has seen (`StaleEpoch`), and `by-hand` if it has seen any (`HostHeld`). */
  readonly epoch: Epoch;
  /** In the order of their stages. */
  readonly calls: readonly StepCall[];
  /** Keeps others from changing the Mac between our batches; the last one releases it. */
  readonly lock?: { readonly owner: string; readonly afterwards: 'keep' | 'release' };
  /** When the Mac ends what still runs. */
  readonly timeoutMs: number;
  /** Told when a call has ended, while others may still run. */
  readonly onAnswer?: (answer: StepAnswer) => void;
}

export interface StepAnswer {
  readonly step: string;
  /** Those that ran, in order; none when the Mac did not come to it. */
  readonly phases: readonly PhaseExit[];
  /** The digest that stands on the Mac after the call. */
  readonly recorded: string | undefined;
  /** The end of the output, bounded. Holds no secret. */
  readonly output: string;
}

export interface PhaseExit {
  readonly phase: StepPhase;
  readonly exitCode: number;
}

/** The Mac as it was when the batch began. */
export interface HostFacts {
  readonly epoch: number | undefined;
  readonly lockOwner: string | undefined;
  /** Checksums of the artefacts that are there. */
  readonly artefacts: readonly string[];
}

export interface BatchAnswer {
  readonly facts: HostFacts;
  /** One for each call, in the order of the calls. */
  readonly steps: readonly StepAnswer[];
}

/** A file that a Mac gets by its checksum, into `~/.macfleet/artefacts/<sha256>`. */
export interface Artefact {
  /** For people. */
  readonly name: string;
  /** Of the whole content, in hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Its content, from the beginning each time. */
  open(): AsyncIterable<Uint8Array>;
}

export interface HostSession {
  /** `SHA256:` fingerprint of the key that the Mac showed. */
  readonly hostKey: string;
  /**
   * Steps that fail are answers. Rejects with `unavailable` when the connection is lost, after which a step may have run
   * or not; with `conflict` and code `StaleEpoch` (`details.seen` is the epoch on the Mac), `NotWiped` (the Mac bears the
   * marks of another claim), `NotFenced` (it has no epoch file, and a step is none that may run without), `HostBusy`
   * (somebody else holds its lock) or `HostHeld` (a controller works there); with `bug` when the session is closed (`SessionClosed`) or was opened without a pin
   * (`HostKeyNotPinned`): what a host showed is put on record before anything is sent to it. An abort rejects at once.
   */
  run(batch: Batch, signal: AbortSignal): Promise<BatchAnswer>;
  /** Each of them whole and checked, or not at all. Rejects as `run` does when the connection is lost, or with `unavailable` and why. */
  upload(artefacts: readonly Artefact[], signal: AbortSignal): Promise<void>;
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

/** The password of the Mac's user, and what is known about trying it: wrong ones lock the account. */
export interface SudoAccess {
  /** Absent when Scaleway seals it: the Mac must then already let us in without. */
  readonly password: Secret<string> | undefined;
  /** Since the Mac was wiped. */
  readonly tries: readonly SudoTry[];
  /** Must be on record, for every later process, before it resolves: only then is the password sent. */
  record(tried: SudoTry, signal: AbortSignal): Promise<void>;
}

export interface Preparation {
  readonly target: HostTarget;
  readonly epoch: number;
  /** Who the Mac works for, such as the machine's key: what a Mac that was not wiped tells apart (R9). */
  readonly claim: string;
  readonly nodeName: string;
  readonly providerId: string;
  readonly fleet: string;
  /** A builder is a self-hosted GitHub runner too. `node` unless given. */
  readonly role?: 'node' | 'builder';
  /** Further inputs of steps, by name; most have a fallback otherwise. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** With which a builder registers; needed only while it is not. */
  readonly githubToken?: Secret<string>;
  /** Absent: the one on the Mac stays. */
  readonly kubeconfig: Secret<string> | undefined;
  readonly sudo: SudoAccess;
  readonly onProgress: (steps: readonly StepProgress[]) => void;
}

export interface Prepared {
  /** Of the whole configuration, as it was verified on the Mac: the same for every host of a fleet. */
  readonly digest: string;
}

export interface HostPreparer {
  /** The digest that a host of this fleet has after `prepare`: a host with another one has drifted. */
  digestOf(fleet: Pick<Preparation, 'fleet' | 'inputs' | 'role'>): string;
  /** The fingerprint of the host key, to be pinned before anything is sent. Runs nothing. */
  lookAtHostKey(target: HostTarget, signal: AbortSignal): Promise<string>;
  /** What `prepare` puts on record as the value of a try, so that one can be there before. */
  fingerprintOf(password: Secret<string>, target: Pick<HostTarget, 'privateKey'>): string;
  /**
   * Brings the Mac to where its agent runs: every step is checked, applied where needed, and verified. Safe to repeat.
   * Rejects with what stopped it; code `NotWiped` when the marks of another claim are there (R9).
   */
  prepare(preparation: Preparation, signal: AbortSignal): Promise<Prepared>;
  /** Stops the agent, if there is one. */
  stopAgent(work: Pick<Preparation, 'target' | 'epoch'>, signal: AbortSignal): Promise<void>;
}
