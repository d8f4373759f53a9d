/** One request to the simulated API from its first byte to its last: who asks, which route, faults before and after, the answer. */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { SIMULATED_KEY } from '../../scaleway/port/simulated-key.ts';
import type { ApiAnswer, ApiRequest } from '../http/api-message.ts';
import { type CallEntry, type Caller, NOBODY } from './call-log.ts';
import type { CloudCore } from './cloud-core.ts';
import type { FaultAnswer } from './fault-switch.ts';
import { drawFault } from './faults.ts';
import { cloudAway, invalidArgument, notFound, parseWire, unauthenticated } from './refusals.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { createVerbs } from './verbs.ts';

/** Undefined: the connection breaks without an answer. */
export const serve = (core: CloudCore, request: ApiRequest): ApiAnswer | undefined => {
  const { state } = core;
  state.requests += 1;
  const asked = describeRequest(core, request);
  const before = state.servers.get(asked.serverId);
  const writes = state.audit.length;
  const { answer, outcome } = answerOrRefuse(core, asked);
  if (state.audit.length === writes) noteCall(core, asked, { before, outcome });
  return answer;
};

/** One request, read as far as it can be read. */
interface Asked {
  readonly request: ApiRequest;
  readonly who: Caller;
  readonly query: URLSearchParams;
  /** Undefined: there is no such path. */
  readonly match: Match | undefined;
  readonly serverId: string;
}

const describeRequest = (core: CloudCore, request: ApiRequest): Asked => {
  const { target, method, headers, caller } = request;
  const who = { caller, principal: principalOf(core, headers) };
  const url = URL.parse(target, 'http://simulated');
  const match = url === null ? undefined : findRoute(method, url.pathname);
  return {
    request,
    who,
    match,
    query: url?.searchParams ?? new URLSearchParams(),
    serverId: match?.params['id'] ?? '',
  };
};

const principalOf = ({ apiKeys = [SIMULATED_KEY] }: CloudCore, headers: ApiRequest['headers']): string =>
  apiKeys.find(({ secretKey }) => secretKey === headers['x-auth-token'])?.accessKey ?? NOBODY;

interface Outcome {
  readonly answer: ApiAnswer | undefined;
  readonly outcome: string;
}

const answerOrRefuse = (core: CloudCore, asked: Asked): Outcome => {
  try {
    return answerAsked(core, asked);
  } catch (error) {
    const wire = parseWire(error);
    if (wire === undefined || !(error instanceof FleetError)) throw error;
    return { answer: toAnswer(core, wire.status, wire.body, wire.headers), outcome: error.code };
  }
};

const answerAsked = (core: CloudCore, { request, who, query, match, serverId }: Asked): Outcome => {
  if (core.clock.now() < core.state.awayUntilMs) throw cloudAway();
  if (match === undefined) throw notFound('path', request.target);
  if (core.apiKeys !== undefined && who.principal === NOBODY) throw unauthenticated();
  const { route, params } = match;
  const call = { verb: route.verb, serverId };
  const before = drawFault(core, { ...call, when: 'before' });
  if (before?.do === 'lose' || before?.do === 'refuse') return standIn(core, before);
  const body = parseBody(request.body);
  const result = route.handle({ core, verbs: createVerbs(core, who), params, query, body });
  const after = drawFault(core, { ...call, when: 'after' });
  if (after?.do === 'lose' || after?.do === 'refuse') return standIn(core, after);
  const faults = [before, after];
  const shown = faults.reduce((value, fault) => alter(value, fault), result);
  const answer = shown === undefined ? toAnswer(core, 204, '') : toAnswer(core, 200, shown);
  const delay = faults.find((fault) => fault?.do === 'delay');
  return { answer: delay === undefined ? answer : { ...answer, delayMs: delay.delayMs }, outcome: 'accepted' };
};

const noteCall = (
  { state, clock }: CloudCore,
  { request, who, match, serverId }: Asked,
  met: Pick<CallEntry, 'before' | 'outcome'>,
): void => {
  state.calls += 1;
  state.otherCalls.note({
    ...{ number: state.calls, atMs: clock.now(), ...who, verb: match?.route.verb ?? request.method, serverId },
    ...{ argument: request.target, ...met, after: state.servers.get(serverId) },
  });
};

const standIn = (core: CloudCore, fault: Extract<FaultAnswer, { do: 'lose' | 'refuse' }>): Outcome => {
  if (fault.do === 'lose') return { answer: undefined, outcome: 'lost' };
  const { status, body, headers } = fault.wire;
  return { answer: toAnswer(core, status, body, headers), outcome: `answered ${status}` };
};

const alter = (shown: object | undefined, fault: FaultAnswer | undefined): object | undefined => {
  const rows: unknown = isRecord(shown) ? shown['servers'] : undefined;
  if (fault?.do === 'change-server') {
    if (!Array.isArray(rows)) return { ...shown, ...fault.fields };
    return { ...shown, servers: rows.map((row: unknown) => ({ ...(isRecord(row) ? row : {}), ...fault.fields })) };
  }
  if (fault?.do !== 'change-rows' || !Array.isArray(rows)) return shown;
  if (fault.how === 'empty') return { ...shown, total_count: 0, servers: [] };
  return { ...shown, servers: fault.how === 'drop-one' ? rows.slice(1) : [...rows.slice(0, 1), ...rows.slice(0, -1)] };
};

interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

const findRoute = (method: string, pathname: string): Match | undefined => {
  for (const { route, pattern } of PATTERNS) {
    const match = route.method === method ? pattern.exec(pathname) : null;
    if (match !== null) return { route, params: { ...match.groups } };
  }
  return undefined;
};

const parseBody = (text: string): Readonly<Record<string, unknown>> => {
  if (text === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // Refused below, as anything else that is no object.
  }
  throw invalidArgument('body', 'must be a JSON object');
};

const toRequestId = (count: number): string => `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;

/** The content type is exactly this: the official JavaScript SDK reads no other. */
const toAnswer = (
  { clock, state }: CloudCore,
  status: number,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer => ({
  status,
  headers: {
    'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
    date: new Date(clock.now()).toUTCString(),
    server: 'Scaleway API Gateway (simulated)',
    'x-request-id': toRequestId(state.requests),
    ...headers,
  },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
