/** What is on the disk of a simulated Mac: everything that a reboot keeps and a wipe forgets. */
import type { Secret } from '../../base/secret.ts';

/** Who works on the Mac, and the highest epoch that was seen. */
export interface EpochFile {
  readonly claim: string;
  readonly epoch: number;
}

/** The launchd job of the agent. */
export interface AgentJob {
  readonly nodeName: string;
  readonly providerId: string;
  readonly fleet: string;
}

/** Who keeps others from changing the Mac (F58). */
export interface MacLock {
  readonly owner: string;
  readonly expiresAtMs: number;
}

export interface MacDisk {
  /** SHA256 fingerprint of the SSH host key. */
  hostKey: string;
  /** Whether the fleet's key may log in: Scaleway puts it there at install. */
  isKeyAuthorized: boolean;
  readonly password: Secret<string>;
  hasSudoers: boolean;
  kcpassword: Uint8Array | undefined;
  hostname: string | undefined;
  kubeconfig: Secret<string> | undefined;
  agentJob: AgentJob | undefined;
  /** What the agent keeps: its key and certificate. */
  agentMemory: Secret<string> | undefined;
  epochFile: EpochFile | undefined;
  lock: MacLock | undefined;
  /** What steps left that leave nothing else to look at: their ids, with the checksum of what they installed. */
  readonly done: Set<string>;
  /** The digests of verified steps. */
  readonly recorded: Map<string, string>;
  /** Checksums of uploaded files. */
  readonly artefacts: Set<string>;
}

export const freshDisk = (hostKey: string, password: Secret<string>): MacDisk => ({
  ...{ hostKey, password, isKeyAuthorized: true, hasSudoers: false },
  ...{ kcpassword: undefined, hostname: undefined, kubeconfig: undefined },
  ...{ agentJob: undefined, agentMemory: undefined, epochFile: undefined, lock: undefined },
  ...{ done: new Set(), recorded: new Map(), artefacts: new Set() },
});
