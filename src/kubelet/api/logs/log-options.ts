/** Which part of a log is wanted, as the API server asks for it. */
import { parseTimestamp } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import type { LogStream } from './log-line.ts';

export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly run: 'current' | 'previous';
  readonly streams: readonly LogStream[];
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Nothing from before. */
  readonly sinceMs?: number;
}

const STREAMS: ReadonlyMap<string, readonly LogStream[]> = new Map([
  ['All', ['stdout', 'stderr']],
  ['Stdout', ['stdout']],
  ['Stderr', ['stderr']],
]);

/** Throws `invalid` for what a kubelet refuses too. */
export const parseLogOptions = (query: URLSearchParams, nowMs: number): LogOptions => {
  const tail = query.get('tail');
  const tailLines = tail === null || tail === 'all' ? parseCount(query, 'tailLines', 0) : Number(tail);
  const limitBytes = parseCount(query, 'limitBytes', 1);
  const sinceMs = parseSince(query, nowMs);
  const streams = STREAMS.get(query.get('stream') ?? 'All');
  if (streams === undefined) throw refuse(`invalid stream type "${query.get('stream')}"`);
  if (streams.length === 1 && tailLines !== undefined) throw refuse('tailLines goes with all streams only');
  return {
    follow: isSet(query, 'follow'),
    timestamps: isSet(query, 'timestamps'),
    run: isSet(query, 'previous') ? 'previous' : 'current',
    streams,
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceMs !== undefined && { sinceMs }),
  };
};

/** `?follow` alone means yes, as in Kubernetes. */
const isSet = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name);
  return value !== null && value !== 'false' && value !== '0';
};

const parseCount = (query: URLSearchParams, name: string, least: number): number | undefined => {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least) return value;
  throw refuse(`${name} must be a whole number of at least ${least}`);
};

const parseSince = (query: URLSearchParams, nowMs: number): number | undefined => {
  const seconds = parseCount(query, 'sinceSeconds', 1);
  const time = query.get('sinceTime');
  if (seconds !== undefined && time !== null) throw refuse('at most one of sinceTime and sinceSeconds may be given');
  if (seconds !== undefined) return nowMs - seconds * 1_000;
  if (time === null) return undefined;
  const atMs = parseTimestamp(time);
  if (atMs === undefined) throw refuse('sinceTime must be an RFC 3339 time');
  return atMs;
};

const refuse = (message: string): FleetError => new FleetError('invalid', { code: 'BadLogOptions', message });
