/**
 * What a scripted Pod has printed, and which part of it somebody wants to read. A function of the Pod's status and the time: a
 * first line with its command, one for each second that it runs, and a last one with its end. Pure.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';

export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** What there is by now. */
export interface PodLog {
  readonly lines: readonly LogLine[];
  /** When there will be more, if time alone brings it; undefined when nothing follows. */
  readonly moreAtMs: number | undefined;
}

export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Nothing from before. */
  readonly sinceMs?: number;
}

const TICK_MS = 1_000;
/** Older ones are gone, as from a log that was rotated. */
const TICKS_KEPT = 1_000;

export const readLogOf = (pod: Pod, containerName: string, nowMs: number): PodLog => {
  const container = pod.spec.containers.find(({ name }) => name === containerName);
  if (container === undefined)
    throw refuse('NoSuchContainer', `container ${containerName} is not in Pod ${nameOf(pod)}`);
  const { state } = pod.status?.containerStatuses?.find(({ name }) => name === containerName) ?? {};
  const { running, terminated } = state ?? {};
  const startedMs = parseTimestamp(terminated?.startedAt ?? running?.startedAt);
  if (startedMs === undefined) {
    const why = state?.waiting?.reason ?? 'ContainerCreating';
    throw refuse('NotStarted', `container "${containerName}" in pod "${nameOf(pod)}" is waiting to start: ${why}`);
  }
  const endedMs = parseTimestamp(terminated?.finishedAt);
  const untilMs = Math.min(nowMs, endedMs ?? nowMs);
  const command = [...(container.command ?? []), ...(container.args ?? [])].join(' ');
  const ticks = Math.max(0, Math.floor((untilMs - startedMs) / TICK_MS));
  const firstTick = Math.max(1, ticks - TICKS_KEPT);
  const lines = [
    ...(firstTick === 1 ? [{ atMs: startedMs, text: `$ ${command === '' ? (container.image ?? '') : command}` }] : []),
    ...Array.from({ length: Math.max(0, ticks - firstTick + 1) }, (_, at) => {
      const tick = firstTick + at;
      return { atMs: startedMs + tick * TICK_MS, text: `running for ${tick} s` };
    }),
    ...(terminated === undefined ? [] : [{ atMs: endedMs ?? nowMs, text: `ended with code ${terminated.exitCode}` }]),
  ];
  return { lines, moreAtMs: terminated === undefined ? startedMs + (ticks + 1) * TICK_MS : undefined };
};

const nameOf = ({ metadata }: Pod): string => metadata.name;

const refuse = (code: string, message: string): FleetError => new FleetError('invalid', { code, message });

/** As the API server sends them; it has checked them. Throws `invalid` for what a scripted Pod does not have. */
export const readLogOptions = (query: URLSearchParams, nowMs: number): LogOptions => {
  if (query.get('previous') === 'true') {
    throw refuse('NoPreviousContainer', 'previous terminated container not found: a scripted Pod runs once');
  }
  const numberOf = (name: string): number | undefined => {
    const text = query.get(name);
    return text === null ? undefined : Number(text);
  };
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map(numberOf);
  const sinceMs =
    sinceSeconds === undefined ? parseTimestamp(query.get('sinceTime') ?? undefined) : nowMs - sinceSeconds * 1_000;
  return {
    follow: query.get('follow') === 'true',
    timestamps: query.get('timestamps') === 'true',
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceMs !== undefined && { sinceMs }),
  };
};

/** The lines that are asked for of those that are there at the beginning. */
export const selectLines = (lines: readonly LogLine[], { sinceMs = 0, tailLines }: LogOptions): readonly LogLine[] => {
  const recent = lines.filter(({ atMs }) => atMs >= sinceMs);
  if (tailLines === undefined) return recent;
  return tailLines === 0 ? [] : recent.slice(-tailLines);
};

export const renderLines = (lines: readonly LogLine[], { timestamps }: LogOptions): string =>
  lines.map(({ atMs, text }) => `${timestamps ? `${toTimestamp(atMs)} ` : ''}${text}\n`).join('');
