/** Jobs for the runners of `up`: queued one after the other, and summed up when all are done. */
import type { Clock } from '../../base/clock.ts';
import type { SimDispatch } from '../../sim/dispatch/sim-dispatch.ts';
import type { JobRow } from './fleet-picture.ts';
import { lookAtCiJob } from './look-at-work.ts';
import { renderSeconds } from './render-picture.ts';

export interface JobFlowOptions {
  readonly dispatch: SimDispatch;
  readonly clock: Clock;
  readonly pool: string;
  /** How many in all; `endless`: always a few more than are done. */
  readonly count: number | 'endless';
}

export interface JobFlow {
  /** Queues the first now and the others after it; once. */
  begin(): void;
  rows(): readonly JobRow[];
  /** Every job has come to its end, good or bad, and the end of every runner was told. */
  isDone(): boolean;
  /** Those that came to another end than their own: a line each. */
  failures(): readonly string[];
  /** What is open beside the jobs in `rows`. */
  remains(): readonly string[];
  summary(): string;
  onChange(run: () => void): () => void;
  stop(): void;
}

const QUEUE_EVERY_MS = 200;
/** Of endless ones, so many wait or run at most. */
const OPEN_MAX = 4;
/** In life, one after the other. */
const DURATIONS_MS = [60_000, 180_000, 120_000, 300_000, 240_000];

export const createJobFlow = ({ dispatch, clock, pool, count }: JobFlowOptions): JobFlow => {
  let queued = 0;
  let cancel = (): void => undefined;
  const queueNext = (): void => {
    if (count !== 'endless' && queued >= count) return;
    const isDue = count !== 'endless' || dispatch.jobs().filter(({ state }) => state !== 'done').length < OPEN_MAX;
    if (isDue) dispatch.queue({ pool, durationMs: DURATIONS_MS[queued % DURATIONS_MS.length] ?? 0 });
    if (isDue) queued += 1;
    cancel = clock.schedule(QUEUE_EVERY_MS, queueNext);
  };
  const openSessions = (): number => dispatch.sessions().filter(({ endedAtMs }) => endedAtMs === undefined).length;
  const isDone = (): boolean =>
    queued === count && dispatch.jobs().every(({ state }) => state === 'done') && openSessions() === 0;
  return {
    begin: () => {
      if (queued === 0) queueNext();
    },
    rows: () => dispatch.jobs().map((job) => lookAtCiJob(job, clock.now())),
    isDone,
    failures: () =>
      dispatch
        .jobs()
        .filter(({ state, conclusion }) => state === 'done' && conclusion !== 'success')
        .map(({ id, conclusion }) => `CI job ${id} did not run to its end: ${conclusion ?? 'nobody knows why'}.`),
    remains: () => [
      ...(count === 'endless' || queued >= count ? [] : [`${queued} of ${count} CI jobs have been queued.`]),
      ...(openSessions() === 0 ? [] : [`${openSessions()} sessions of runners are open.`]),
    ],
    summary: () => renderSummary(dispatch),
    onChange: (run) => dispatch.onEntry(run),
    stop: () => cancel(),
  };
};

/** How long jobs waited, how they ended, and whether anything was left behind. */
const renderSummary = (dispatch: SimDispatch): string => {
  const jobs = dispatch.jobs();
  const waitsMs = jobs
    .map(({ startedAtMs, queuedAtMs }) => (startedAtMs ?? queuedAtMs) - queuedAtMs)
    .toSorted((left, right) => left - right);
  const median = waitsMs[Math.floor(waitsMs.length / 2)] ?? 0;
  const ended = jobs.filter(({ conclusion }) => conclusion === 'success').length;
  const open = dispatch.sessions().filter(({ endedAtMs }) => endedAtMs === undefined).length;
  const runners = new Set(jobs.flatMap(({ runner }) => runner?.uid ?? [])).size;
  return [
    `${ended} of ${jobs.length} CI jobs ran to their end, each in a VM of its own (${runners} VMs).`,
    `They waited ${renderSeconds(median)} at the median and ${renderSeconds(waitsMs.at(-1))} at most. ${open === 0 ? 'No session is' : `${open} sessions are`} left open.`,
  ].join('\n');
};
