/** Where a Pod is in its life at one time: what its script or its process says, before it becomes a status. */

/** Why its container does not run, as a kubelet words it. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

interface Facts {
  /** How often its container was started again. */
  readonly restarts?: number;
  /** Where it can be reached, if anywhere. */
  readonly podIp?: string;
}

export type PodMoment = Facts &
  (
    | { readonly phase: 'Pending'; readonly untilMs?: number; readonly waiting?: Waiting }
    /** Without an end it runs on. It is ready unless it says otherwise. */
    | {
        readonly phase: 'Running';
        readonly startedMs: number;
        readonly untilMs?: number;
        readonly isReady?: boolean;
        /** Between two starts of its container. */
        readonly waiting?: Waiting;
      }
    | {
        readonly phase: 'Succeeded' | 'Failed';
        readonly startedMs: number;
        readonly endedMs: number;
        readonly exitCode: number;
      }
  );
