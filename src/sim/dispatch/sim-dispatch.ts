/**
 * A job dispatcher that exists only in this process, with the GitHub behind it: jobs, claims, sessions and registrations as a
 * synchronous core on an injected clock. It speaks the wire of src/dispatch/port through `serve`, whoever carries the
 * requests (transports.ts, serve-dispatch.ts). Checkers read the truth (`record`), which the wire never shows.
 */
import { neverAborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { ApiAnswer, ApiRequest } from '../http/api-message.ts';
import { createRing, type Recent } from '../http/ring.ts';
import { look, type NewJob, queueJob, type Standing } from './claims.ts';
import type { Account, ClusterView } from './cluster-view.ts';
import { type DispatchCore, emptyState, LIFE_TIMES, note } from './dispatch-core.ts';
import type { DispatchEntry, PodNote } from './dispatch-record.ts';
import type { DispatchFault, DispatchScope } from './fault-switch.ts';
import { switchOff, switchOn } from './faults.ts';
import { cancelJob } from './github-side.ts';
import type { DispatchCall } from './route.ts';
import { serve } from './serve.ts';
import { signalsOf } from './signals.ts';
import type { Registration, Session, Signals, SimJob } from './sim-job.ts';

export interface SimDispatchOptions extends Partial<Pick<DispatchCore, 'times' | 'timeScale' | 'protocol'>> {
  readonly clock: Clock;
  readonly random: Random;
  readonly view: ClusterView;
  /** The account whose word counts about pools and the ends of Pods. */
  readonly controller: Account;
  /** So many calls are kept for `calls`. */
  readonly callsKept?: number;
}

export interface SimDispatch {
  readonly protocol: 1 | 2;
  /** One request over the wire; undefined when the connection breaks. */
  serve(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer | undefined>;
  queue(job: NewJob): SimJob;
  cancel(job: number): void;
  jobs(): readonly SimJob[];
  sessions(): readonly Session[];
  registrations(): readonly Registration[];
  standing(uid: string): Standing;
  signals(pool: string): Signals;
  /** How many jobs of an account may run at once. */
  setLimit(account: string, most: number): void;
  /** What happens to Pods, as the world sees it. */
  notePod(pod: PodNote): void;
  /** All that ever changed; the list goes on growing. */
  record(): readonly DispatchEntry[];
  calls(): Recent<DispatchCall>;
  /** The listener is called in the moment it happens; the returned function takes it back. */
  onEntry(listener: (entry: DispatchEntry) => void): () => void;
  /** One of DISPATCH_FAULTS (fault-list.ts). */
  switchOn(fault: string, scope?: DispatchScope): void;
  switchOff(fault: string): void;
  faults(): readonly DispatchFault[];
  /** Nobody is answered for so long. */
  goAway(forMs: number): void;
  /** No timer stays behind. */
  stop(): void;
}

const CALLS_KEPT = 1_000;

export const createSimDispatch = ({
  view,
  controller,
  callsKept = CALLS_KEPT,
  ...options
}: SimDispatchOptions): SimDispatch => {
  const core: DispatchCore = { times: LIFE_TIMES, timeScale: 1, protocol: 2, ...options, state: emptyState() };
  const { state, clock, protocol } = core;
  const calls = createRing<DispatchCall>(callsKept);
  return {
    protocol,
    serve: (request, signal = neverAborted()) => serve({ core, view, controller, calls }, request, signal),
    queue: (job) => queueJob(core, job),
    cancel: (job) => cancelJob(core, job),
    jobs: () => [...state.jobs.values()],
    sessions: () => [...state.sessions.values()],
    registrations: () => [...state.registrations.values()],
    standing: (uid) => look(core, uid),
    signals: (pool) => signalsOf(core, pool),
    setLimit: (account, most) => void state.limits.set(account, most),
    notePod: (pod) => note(core, pod),
    record: () => state.record,
    calls: calls.recent,
    onEntry: (listener) => {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    switchOn: (fault, scope) => switchOn(core, fault, scope),
    switchOff: (fault) => switchOff(core, fault),
    faults: () => state.faults.filter(({ left, untilMs }) => left > 0 && clock.now() < untilMs),
    goAway: (forMs) => {
      state.awayUntilMs = clock.now() + forMs;
    },
    stop: () => {
      for (const cancel of state.locks.values()) cancel();
      state.locks.clear();
    },
  };
};
