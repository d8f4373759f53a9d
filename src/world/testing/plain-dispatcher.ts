/**
 * A dispatcher for tests of the controller alone: a queue, one job per runner, and the wire of src/dispatch. Its labels get
 * lost, it can be down, deny, or know only the original protocol. What really happened is in `jobs` and `stops`.
 */
import type { DispatchRequest, DispatchResponse } from '../../dispatch/port/transport.ts';
import type { RunnerState } from '../../dispatch/port/wire.ts';
import { LABELS } from '../../kinds/labels.ts';

export interface PlainJob {
  readonly durationMs: number;
  /** The Pods that began it: one, if all is well. */
  readonly by: string[];
  state: 'queued' | 'running' | 'done' | 'killed';
}

export interface PollingRunner {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}

export type PollAnswer = { readonly is: 'wait' | 'go-home' } | { readonly is: 'job'; readonly job: PlainJob };

export interface PlainDispatcher {
  readonly jobs: PlainJob[];
  readonly stops: { readonly pod: string; readonly endedAt: string }[];
  readonly states: Map<string, RunnerState>;
  /** How it is: good, or what it answers everybody. */
  mood: 'good' | 'down' | 401 | 'html';
  /** The load that it tells of, when that is no good. */
  signals: 'good' | 'negative' | 'stale';
  protocol: 1 | 2;
  /** What guests do when their job is done; mute ones never ask for any. */
  guests: 'go-home' | 'hang' | 'mute';
  queue(count: number, durationMs: number): void;
  poll(runner: PollingRunner): PollAnswer;
  /** The VM is over; with a job under way that is lost. */
  over(uid: string): void;
  answer(request: DispatchRequest): DispatchResponse;
}

export const createPlainDispatcher = (): PlainDispatcher => {
  const jobs: PlainJob[] = [];
  const stops: { readonly pod: string; readonly endedAt: string }[] = [];
  const states = new Map<string, RunnerState>();
  const refused = new Set<string>();
  const held = new Map<string, PlainJob>();
  const self: PlainDispatcher = {
    ...{ jobs, stops, states, mood: 'good', signals: 'good', protocol: 2, guests: 'go-home' },
    queue: (count, durationMs) => {
      for (let at = 0; at < count; at += 1) jobs.push({ durationMs, by: [], state: 'queued' });
    },
    poll: ({ name, uid, labels }) => {
      if (self.mood !== 'good') return { is: 'wait' };
      const isMarked = labels[LABELS.runnerOperatorDrain] === 'true';
      if (isMarked || refused.has(uid) || states.get(uid) === 'finished') return { is: 'go-home' };
      const job = jobs.find(({ state }) => state === 'queued');
      if (job === undefined) return { is: 'wait' };
      job.state = 'running';
      job.by.push(name);
      states.set(uid, 'running');
      held.set(uid, job);
      return { is: 'job', job };
    },
    over: (uid) => {
      const job = held.get(uid);
      if (job?.state === 'running') job.state = 'killed';
      states.set(uid, 'finished');
    },
    answer: (request) => {
      if (self.mood === 'down') return { status: 503, headers: {}, body: '' };
      if (self.mood === 401) return { status: 401, headers: {}, body: '' };
      if (self.mood === 'html') return { status: 200, headers: {}, body: '<html></html>' };
      return { headers: headersOf(self), ...respond(request) };
    },
  };

  const respond = ({ method, url, body = '{}' }: DispatchRequest): Omit<DispatchResponse, 'headers'> => {
    const { pathname, searchParams } = new URL(url);
    const said: unknown = JSON.parse(body);
    if (pathname.endsWith('/desired_replicas')) return { status: 200, body: JSON.stringify(signals()) };
    if (pathname.endsWith('/pods/stopped')) {
      stops.push({ pod: fieldOf(said, 'pod_name'), endedAt: fieldOf(said, 'ended_at') });
      return { status: 204, body: '' };
    }
    const isDrain = method === 'POST' && pathname.endsWith('/drain');
    const isLook = method === 'GET' && pathname.includes('/pods/');
    if (self.protocol === 1 || !(isDrain || isLook)) return { status: 404, body: '<html>not found</html>' };
    const uid = isDrain ? fieldOf(said, 'pod_uid') : (searchParams.get('uid') ?? '');
    if (isDrain) refused.add(uid);
    const standing = { pod_uid: uid, state: states.get(uid) ?? 'idle', refused: refused.has(uid) };
    return { status: 200, body: JSON.stringify(standing) };
  };

  const signals = () => {
    const count = (state: PlainJob['state']): number => jobs.filter((job) => job.state === state).length;
    return { claimed: count('running'), queued: self.signals === 'negative' ? -1 : count('queued') };
  };
  return self;
};

const headersOf = ({ protocol, signals }: PlainDispatcher): Readonly<Record<string, string>> => ({
  ...(protocol === 2 ? { 'tuist-runners-protocol': '2' } : {}),
  ...(signals === 'stale' ? { age: '3600' } : {}),
});

const fieldOf = (body: unknown, name: string): string => {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === 'string' ? value : '';
};
