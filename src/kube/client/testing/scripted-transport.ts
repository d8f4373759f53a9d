/** A Transport that answers from a script, remembers what it was asked, and misbehaves on request. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortable } from '../../../base/abort.ts';
import { FleetError } from '../../../base/errors.ts';
import type { ManualClock } from '../../../base/testing/manual-clock.ts';
import { NOTHING_SENT, type Transport, type TransportRequest } from '../transport.ts';

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body in the chunks in which it arrives. */
  readonly chunks?: readonly (string | Uint8Array)[];
  /** What follows the last chunk: the proper end, a broken connection, or silence until the request is aborted. */
  readonly ending?: 'end' | 'break' | 'silence';
}

/** An answer; a failure to send; or no answer, ever. */
export type ScriptedReply = ScriptedAnswer | FleetError | 'silence';

export interface ScriptedTransport extends Transport {
  readonly requests: readonly TransportRequest[];
  /** Bodies that were neither read to their end nor given up. */
  readonly openBodies: number;
  /** The most requests that waited for their answer at the same time. */
  readonly inFlightPeak: number;
}

/** Replies in order, or whatever the function says to the n-th request, counted from 0. */
export const createScriptedTransport = (
  script: readonly ScriptedReply[] | ((request: TransportRequest, at: number) => ScriptedReply),
): ScriptedTransport => {
  const requests: TransportRequest[] = [];
  let openBodies = 0;
  let inFlight = 0;
  let inFlightPeak = 0;

  async function* play({ chunks = [], ending = 'end' }: ScriptedAnswer, signal: AbortSignal) {
    try {
      for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (ending === 'silence') await abortable(new Promise<never>(() => undefined), signal);
      if (ending === 'break') throw lost();
    } finally {
      openBodies -= 1;
    }
  }

  const answer = async (request: TransportRequest) => {
    const at = requests.push(request) - 1;
    const reply = typeof script === 'function' ? script(request, at) : script[at];
    await nextTurn();
    if (reply === undefined) throw new FleetError('bug', { code: 'ScriptOver', message: `no reply number ${at}` });
    if (reply === 'silence') return abortable(new Promise<never>(() => undefined), request.signal);
    if (reply instanceof FleetError) throw reply;
    openBodies += 1;
    return { status: reply.status, headers: reply.headers ?? {}, body: play(reply, request.signal) };
  };

  return {
    requests,
    get openBodies() {
      return openBodies;
    },
    get inFlightPeak() {
      return inFlightPeak;
    },
    send: async (request) => {
      inFlight += 1;
      inFlightPeak = Math.max(inFlightPeak, inFlight);
      try {
        return await answer(request);
      } finally {
        inFlight -= 1;
      }
    },
    close: async () => undefined,
  };
};

export const answerJson = (value: unknown, status = 200): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(value)],
});

/** A refusal as an API server words it. */
export const answerStatus = (code: number, reason: string, extra: Readonly<Record<string, unknown>> = {}) =>
  answerJson(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason}!`, ...extra },
    code,
  );

export const refused = (): FleetError =>
  new FleetError('unavailable', { code: NOTHING_SENT, message: 'connection refused' });

export const lost = (): FleetError =>
  new FleetError('unavailable', { code: 'ConnectionLost', message: 'connection reset' });

/** Lets the clock run until the work settles, and gives what it gave. Fails when it never does. */
export const letTimePass = async <T>(clock: ManualClock, work: Promise<T>): Promise<T> => {
  let isSettled = false;
  const settled = work.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  for (let turns = 0; turns < 5_000 && !isSettled; turns += 1) {
    await nextTurn();
    if (!isSettled) clock.advance(50);
  }
  if (!isSettled) throw new Error('the work never settled');
  return settled;
};
