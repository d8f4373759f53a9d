/** What the dispatcher asks a Kubernetes cluster, as a port: who shows a token, and how that runner's Pod and pool are. */

/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export interface ShownAccount extends Account {
  /** Of the Pod that the token is bound to. */
  readonly podUid?: string;
}

export interface SeenPod {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of its first container. */
  readonly image: string | undefined;
  /** Running, and nobody deletes it. */
  readonly isUp: boolean;
}

/** Every call rejects when the cluster cannot be asked; undefined means that it said no. */
export interface ClusterView {
  /** Whose token it is; `audience` is the API's own unless given. */
  review(token: string, audience: string | undefined, signal: AbortSignal): Promise<ShownAccount | undefined>;
  /** The pool that the account's label names. */
  poolOf(account: Account, signal: AbortSignal): Promise<string | undefined>;
  podOf(account: Account, signal: AbortSignal): Promise<SeenPod | undefined>;
  /** Of the pool's spec. */
  imageOf(pool: Account, signal: AbortSignal): Promise<string | undefined>;
  label(
    pod: Account & { readonly uid: string },
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void>;
}
