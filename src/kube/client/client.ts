/** The contract of the Kubernetes client; created by create-client.ts on any Transport. */
import type { KubeList, KubeObject, ObjectKey } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';

export interface ListOptions<T extends KubeObject> {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects per page; the whole list is read in any case. */
  readonly pageSize?: number;
  /** Called on every object as its page arrives, before it is kept: drop what is not needed. */
  readonly transform?: (object: T) => T;
  readonly signal: AbortSignal;
}

export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion: string;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface WatchSeconds {
  readonly least: number;
  readonly spread: number;
  /** The longest wait before a lost watch is tried again. */
  readonly retryMost?: number;
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly sizeBytes: number }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WriteOptions {
  readonly subresource?: 'status' | 'scale' | 'approval' | 'finalize';
  /** Instead of the client's own. */
  readonly fieldManager?: string;
  readonly dryRun?: 'All';
  readonly permit?: Permit;
  readonly signal: AbortSignal;
}

/**
 * May throw, and then nothing is sent. Asked right before every sending: between a call and its first byte there may be
 * a queue, a handshake, a credential plugin, a wait before a repetition, or a process that was frozen.
 */
export type Permit = () => void;

export type PatchBody =
  /** RFC 7386. A `resourceVersion` inside metadata makes it conditional. */
  | { readonly type: 'merge'; readonly body: unknown }
  /**
   * RFC 6902. Replacing `/metadata/resourceVersion` by the version seen makes it conditional. A failed `test` is
   * `invalid`: servers do not tell it from a path that is not there.
   */
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'strategic-merge'; readonly body: unknown }
  /** Server-side apply. The body says its apiVersion, kind and metadata.name. */
  | { readonly type: 'apply'; readonly body: unknown; readonly force?: true };

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: 'All';
  readonly permit?: Permit;
  readonly signal: AbortSignal;
}

export interface SubresourceRequest<B extends KubeObject> {
  readonly subresource: string;
  readonly body: B;
  readonly permit?: Permit;
  readonly signal: AbortSignal;
}

/**
 * Every call but `watch` has a deadline (retries and waiting included) and rejects with a FleetError whose kind comes
 * from the server's Status (status-error.ts).
 *
 * Reads are repeated after a passing fault (retry.ts). A write is repeated when the server did not do it (429, nothing
 * sent), or when repeating cannot do harm: apply, or a resourceVersion or uid precondition. The answer to such a write
 * may have been lost although it took effect; its repetition is then refused by its own precondition. So `conflict`
 * (for a delete also `not-found`) after a conditional write does not mean that somebody else wrote: re-read and decide
 * again.
 */
export interface KubeClient {
  /** How long the watches of caches last: `least` and a random part of `spread`; chosen by the cache unless given. */
  readonly watchSeconds?: WatchSeconds;
  get<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: { readonly signal: AbortSignal },
  ): Promise<T>;
  /** The whole list, page by page: complete, or an error. */
  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions<T>): Promise<KubeList<T>>;
  /**
   * Events until the server ends the watch (the iteration ends) or trouble comes (it throws). A resource version that
   * the server no longer remembers is `conflict` with code `WatchExpired`: list again. No deadline: whoever iterates
   * must notice a stall and abort.
   */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * The name is the object's own, or made by the server out of `generateName`. With neither it is a question that nobody
   * stores (TokenReview, SubjectAccessReview), and the answer carries the metadata of the question.
   */
  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions): Promise<T>;
  /** PUT; the object's resourceVersion makes it conditional. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: PatchBody,
    options: WriteOptions,
  ): Promise<T>;
  /** Settles when the server took the request; the object may live on until its finalizers are gone. */
  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: DeleteOptions): Promise<void>;
  /** Any other path (`/version`, `/readyz`): the parsed JSON, or the text when it is not JSON. */
  getRaw(path: string, options: { readonly signal: AbortSignal }): Promise<unknown>;
  /**
   * POST to a subresource that is an object of its own: `pods/eviction`, `pods/binding`, `serviceaccounts/token`. Gives
   * what the server answered, or the request's own body when that is but a Status. (`approval` is an `update`.)
   */
  createSubresource<B extends KubeObject, T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    request: SubresourceRequest<B>,
  ): Promise<B>;
}
