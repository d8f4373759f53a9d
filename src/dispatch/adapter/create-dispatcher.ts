/** The dispatcher over HTTP: requests as the Go original sends them, answers taken with distrust. */
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { Dispatcher, Standing } from '../port/dispatcher.ts';
import type { DispatchResponse, DispatchTransport } from '../port/transport.ts';
import { DRAIN_PROTOCOL, type DrainBody, PROTOCOL_HEADER, SESSION_PATHS, type StopBody } from '../port/wire.ts';
import { parseSignals, parseStanding, refusedBy, requireAccepted } from './parse-answer.ts';

export interface DispatcherDeps {
  readonly transport: DispatchTransport;
  readonly clock: Clock;
  /** Read anew for every call: tokens of ServiceAccounts rotate. */
  readonly token: (signal: AbortSignal) => Promise<Secret<string>>;
  readonly scalingUrl: string | undefined;
  readonly sessionsUrl: string | undefined;
}

const TIMEOUT_MS = 5_000;

interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: StopBody | DrainBody;
}

export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  let protocol: 1 | 2 | undefined;
  const call = async ({ method, url, body }: Call, signal: AbortSignal): Promise<DispatchResponse> => {
    const limit = { clock: deps.clock, timeoutMs: TIMEOUT_MS, signal, doing: `${method} ${withoutQuery(url)}` };
    const answer = await withDeadline(limit, async (within) => {
      const bearer = await deps.token(within);
      const headers = {
        accept: 'application/json',
        authorization: `Bearer ${bearer.reveal()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const text = body === undefined ? undefined : JSON.stringify(body);
      return deps.transport({ method, url, headers, body: text, signal: within });
    });
    // What stands in between (a proxy's 502, a login page) says nothing about the server behind it.
    if (isFromServer(answer)) protocol = protocolOf(answer);
    return answer;
  };
  const standing = async (asked: Call & { readonly podUid: string }, signal: AbortSignal): Promise<Standing> => {
    const answer = await call(asked, signal);
    if (protocolOf(answer) === 2) return parseStanding(answer, asked);
    if (answer.status === 401 || answer.status === 403 || answer.status === 429 || answer.status >= 500)
      throw refusedBy(asked.url, answer);
    return { protocol: 1 };
  };
  return {
    get protocol() {
      return protocol;
    },
    signals: async (fleet, signal) => {
      const url = new URL(required(deps.scalingUrl, '--scaling-signals-url'));
      url.searchParams.set('fleet', fleet);
      return parseSignals(await call({ method: 'GET', url: url.href }, signal), fleet);
    },
    reportStop: async ({ podName, endedAt }, signal) => {
      const url = `${sessions(deps)}${SESSION_PATHS.stopped}`;
      const body: StopBody = { pod_name: named(podName), ended_at: endedAt };
      requireAccepted(await call({ method: 'POST', url, body }, signal), url);
    },
    drain: ({ podName, podUid }, signal) => {
      const url = `${sessions(deps)}${SESSION_PATHS.drain(named(podName))}`;
      return standing({ method: 'POST', url, body: { pod_uid: podUid }, podUid }, signal);
    },
    look: ({ podName, podUid }, signal) => {
      const url = `${sessions(deps)}${SESSION_PATHS.pod(named(podName))}?uid=${encodeURIComponent(podUid)}`;
      return standing({ method: 'GET', url, podUid }, signal);
    },
  };
};

const protocolOf = ({ headers }: DispatchResponse): 1 | 2 => (headers[PROTOCOL_HEADER] === DRAIN_PROTOCOL ? 2 : 1);

const isFromServer = (answer: DispatchResponse): boolean =>
  protocolOf(answer) === 2 || (answer.status < 500 && ![401, 403, 407, 429].includes(answer.status));

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url;

const sessions = ({ sessionsUrl }: DispatcherDeps): string =>
  required(sessionsUrl, '--sessions-url').replace(/\/+$/, '');

const required = (url: string | undefined, flag: string): string => {
  if (url !== undefined) return url;
  throw new FleetError('bug', { code: 'NoDispatchUrl', message: `the dispatcher was asked without ${flag}` });
};

const named = (podName: string): string => {
  if (podName !== '') return podName;
  throw new FleetError('bug', { code: 'NoPodName', message: 'the dispatcher was asked about a Pod without a name' });
};
