/**
 * What goes over the wire between the job dispatcher, its runners and the runners controller. Protocol 1 is what the
 * server of the Go original speaks; protocol 2 adds the drain handshake (docs/decisions/dispatch-protocol-2.md).
 * Whoever serves these paths reads this file too.
 */
import { z } from 'zod';

/** Where the server has all of it, unless flags say otherwise. */
export const RUNNERS_PATH = '/api/internal/runners';

/** On every answer of a server that knows the drain handshake. Absent: protocol 1. */
export const PROTOCOL_HEADER = 'tuist-runners-protocol';
export const DRAIN_PROTOCOL = '2';

/** Relative to the sessions URL. */
export const SESSION_PATHS = {
  stopped: '/pods/stopped',
  /** GET, with `?uid=`: how the runner stands. */
  pod: (podName: string): string => `/pods/${encodeURIComponent(podName)}`,
  /** POST: no job from now on, and how it stands. */
  drain: (podName: string): string => `/pods/${encodeURIComponent(podName)}/drain`,
} as const;

/**
 * How a runner stands with the dispatcher, by Pod UID:
 * idle: no job was ever handed to it, whether it polled before or not;
 * claimed: a job is reserved for it, or on its way to it; running; finishing: the job is over, its aftermath is not;
 * finished: its one job is over and done with;
 * unknown: the dispatcher cannot tell.
 */
export const RUNNER_STATES = ['idle', 'claimed', 'running', 'finishing', 'finished', 'unknown'] as const;
export type RunnerState = (typeof RUNNER_STATES)[number];

const COUNT_MAX = 1_000_000;
const count = z.number().int().min(0).max(COUNT_MAX).default(0);

/** The answer to `GET <scaling-url>?fleet=<pool>`. What is absent is 0: server and controller roll independently. */
export const signalsBody = z.object({
  fleet: z.string().optional(),
  claimed: count,
  /** Hosts that are still held, also after GitHub said that the job is over. */
  occupied: count,
  /** What could run now: limits of accounts are taken into account. */
  queued: count,
  /** What waits for a limit of its account. */
  withheld: count,
  p95_concurrent_last_hour: z.number().min(0).max(COUNT_MAX).default(0),
});

/** The body of `POST <sessions-url>/pods/stopped`; 200 or 204. The server keeps the earliest end it was told. */
export const stopBody = z.object({ pod_name: z.string().min(1), ended_at: z.string().min(1) });
export type StopBody = z.infer<typeof stopBody>;

/** The body of `POST <sessions-url>/pods/<pod>/drain`. */
export const drainBody = z.object({ pod_uid: z.string().min(1) });
export type DrainBody = z.infer<typeof drainBody>;

/**
 * The answer to that, and to a look. `refused`: this Pod UID gets no job from now on, for ever. A drain decides state and
 * refusal in one step: `idle` and `refused` together mean that no job is on its way.
 */
export const standingBody = z.object({
  pod_uid: z.string(),
  state: z.enum(RUNNER_STATES),
  refused: z.boolean(),
});
export type StandingBody = z.infer<typeof standingBody>;

/**
 * What a runner that polls `POST <base>/dispatch` is told with 200. An empty JIT config means: ask again. With protocol 2 no job goes to a
 * Pod that does not say Running, or is being deleted: anybody may evict the first, and the second is about to end.
 */
export const dispatchBody = z.object({
  encoded_jit_config: z.string().default(''),
  owner: z.string().default(''),
  workflow_job_id: z.union([z.number(), z.string()]).optional(),
});
export type DispatchBody = z.infer<typeof dispatchBody>;
