/** One request to the simulated dispatcher from its first byte to its last: who asks, which route, faults, the answer. */
import { FleetError, isKind } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { DRAIN_PROTOCOL, PROTOCOL_HEADER } from '../../dispatch/port/wire.ts';
import type { ApiAnswer, ApiRequest } from '../http/api-message.ts';
import type { DispatchCore } from './dispatch-core.ts';
import { drawFault, effectOf, type FaultyCall } from './faults.ts';
import { identify } from './identify.ts';
import { type Reply, type Route, refusal, type ServeDeps } from './route.ts';
import { ROUTES } from './routes.ts';

/** Undefined: the connection breaks without an answer. */
export const serve = async (
  deps: ServeDeps,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiAnswer | undefined> => {
  const { core, calls } = deps;
  const { method, target, caller } = request;
  const match = findRoute(core, method, URL.parse(target, 'http://dispatch'));
  const answer = await answerMatch(deps, { request, match, signal });
  calls.note({
    ...{ atMs: core.clock.now(), caller, verb: match?.route.verb ?? method, target },
    outcome: answer?.status ?? 'lost',
  });
  return answer;
};

interface Match {
  readonly route: Route;
  readonly url: URL;
  /** What stood in the path at `{pod}`. */
  readonly pod: string;
}

interface Asked {
  readonly request: ApiRequest;
  readonly match: Match | undefined;
  readonly signal: AbortSignal;
}

const answerMatch = async (deps: ServeDeps, { request, match, signal }: Asked): Promise<ApiAnswer | undefined> => {
  const { core } = deps;
  if (core.clock.now() < core.state.awayUntilMs) return toAnswer(core, { status: 503, body: { message: 'away' } });
  if (match === undefined) return toAnswer(core, { status: 404, body: { message: 'not found' } });
  const call = { verb: match.route.verb, pod: podOf(request, match) };
  const before = effectOf(drawFault(core, 'before', call));
  if (before?.do === 'lose') return undefined;
  if (before?.do === 'answer') return toStandIn(before);
  const reply = await carryOut(deps, { request, match, signal, call });
  const after = effectOf(drawFault(core, 'after', call));
  if (after?.do === 'lose') return undefined;
  const answer = toAnswer(core, reply);
  return after?.do === 'delay' ? { ...answer, delayMs: after.delayMs } : answer;
};

const carryOut = async (
  deps: ServeDeps,
  { request, match: { route, url, pod }, signal, call }: Asked & { readonly match: Match; readonly call: FaultyCall },
): Promise<Reply> => {
  try {
    const who = await identify(deps, { request, needs: route.needs, call, signal });
    const body = parseBody(request.body);
    return await route.handle({ ...deps, who, pod, query: url.searchParams, body, signal });
  } catch (error) {
    if (!(error instanceof FleetError) || isKind(error, 'bug')) throw error;
    return toReply(error);
  }
};

const STATUS = new Map([
  ['invalid', 400],
  ['denied', 401],
  ['not-found', 404],
  ['unavailable', 503],
]);

const toReply = ({ kind, code, message, details }: FleetError): Reply => ({
  status: typeof details['status'] === 'number' ? details['status'] : (STATUS.get(kind) ?? 500),
  body: { code, message },
});

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll('{pod}', '(?<pod>[^/]+)')}$`),
}));

const findRoute = ({ protocol }: DispatchCore, method: string, url: URL | null): Match | undefined => {
  if (url === null) return undefined;
  for (const { route, pattern } of PATTERNS) {
    const found = route.method === method && route.since <= protocol ? pattern.exec(url.pathname) : null;
    if (found !== null) return { route, url, pod: decodeURIComponent(found.groups?.['pod'] ?? '') };
  }
  return undefined;
};

/** The Pod that a call is about, as far as it can be told before anybody is asked. */
const podOf = ({ caller, body }: ApiRequest, { pod }: Match): string => {
  if (pod !== '') return pod;
  const named = /"pod_name":\s*"([^"]*)"/.exec(body)?.[1];
  return named ?? caller;
};

const parseBody = (text: string): Readonly<Record<string, unknown>> => {
  if (text === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // Refused below, as anything else that is no object.
  }
  throw refusal(400, 'the body must be a JSON object');
};

const toAnswer = ({ clock, protocol }: DispatchCore, { status, body, headers }: Reply): ApiAnswer => ({
  status,
  headers: {
    'content-type': 'application/json',
    date: new Date(clock.now()).toUTCString(),
    ...(protocol === 2 ? { [PROTOCOL_HEADER]: DRAIN_PROTOCOL } : {}),
    ...headers,
  },
  body: body === undefined ? '' : JSON.stringify(body),
});

/** What stands in the way of the server does not speak its protocol. */
const toStandIn = ({ status, body }: { readonly status: number; readonly body: object | string }): ApiAnswer => ({
  status,
  headers: { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
