/**
 * Images of this Mac as a port. An image is pulled once and kept as a *golden* base, a local VM that never runs; VMs are
 * clones of it, made without network and almost without space.
 */
import type { Secret } from '../../base/secret.ts';

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface RegistryCredentials {
  readonly host: string;
  readonly username: string;
  readonly password: Secret<string>;
}

export interface EnsureImage {
  readonly image: string;
  readonly policy: PullPolicy;
  /** The one for the image's host is used. */
  readonly credentials?: readonly RegistryCredentials[];
  /** Per cent, each at most once. */
  readonly onProgress?: (percent: number) => void;
  /** Giving up ends the pull only when nobody else waits for it. */
  readonly signal: AbortSignal;
}

/** A base that stays until it is released, whatever the collector finds. */
export interface HeldImage {
  readonly golden: string;
  /** `sha256:…`; undefined for a base that an earlier agent made. */
  readonly digest?: string;
  /** Whether it was there (warm) or had to be made (cold). */
  readonly path: 'warm' | 'cold';
  release(): void;
  /** Releases it, and has it made again next time: it turned out not to be there. */
  lost(): Promise<void>;
}

export interface Needed {
  /** Images that Pods of this Node name. */
  readonly images: readonly string[];
  /** Images whose VMs run now; their bases are spared even when space is short. */
  readonly runningImages: readonly string[];
  /** VMs that belong to a Pod. */
  readonly vms: readonly string[];
}

export interface CollectImages {
  /** As of now. Asked again right before each deletion, and for as long as a later pull may want room: Pods come meanwhile. */
  readonly needed: () => Needed;
  /** Whether a name is of a kind that we may delete at all. */
  readonly owns: (vm: string) => boolean;
  readonly signal: AbortSignal;
}

export interface Collected {
  readonly vms: readonly string[];
  readonly goldens: readonly string[];
  readonly cached: readonly string[];
}

export interface ImagePort {
  /**
   * Brings the image's base here. One pull at a time per image, however many wait. Errors: `not-found` (ImageNotFound),
   * `denied` (ImagePullDenied), `no-capacity` (NoSpace), `invalid` (BadImageName), `contract` (DigestMismatch),
   * `unavailable` (ImagePullFailed, ImagePullStalled), and ImageNotPresent where the policy says never to pull.
   */
  ensure(request: EnsureImage): Promise<HeldImage>;
  /** Whether its base is here, as far as is known without asking. */
  has(image: string): boolean;
  /** Learns which bases are here; until then, or until the first `ensure` or `collect`, none is known. */
  look(signal: AbortSignal): Promise<void>;
  /** Names of all bases known to be here, for the Node's labels. */
  goldens(): readonly string[];
  /**
   * Deletes what nobody needs. Only to be called with what a complete answer of the API said: an empty one deletes all.
   * Never touches what runs, what is held, and what is being made.
   */
  collect(request: CollectImages): Promise<Collected>;
}
