/**
 * The Kubernetes API as a plain function: a request goes in, an answer comes out, all of it synchronous on the store. Who
 * may do what, and whether a write is acceptable, is decided behind the gate.
 */
import type { Clock } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Store } from '../store/store.ts';
import { type ApiDeps, parseCall, parseTarget, type Target } from './call.ts';
import { withJsonBody } from './decode/protobuf.ts';
import { dispatch } from './dispatch.ts';
import { type Gate, openGate } from './gate.ts';
import { type ApiRequest, type ApiResponse, replyText, withWarnings } from './http.ts';
import { createInitialObjects } from './initial-objects.ts';
import { createRegistry } from './kinds/registry.ts';
import { createTypeBook, type TypeBook } from './kinds/types/builtin-schema.ts';
import { findUnsupported, refuseUnsupported } from './kinds/unsupported-kinds.ts';
import type { OpenNodeLog } from './node-log.ts';
import { checkTimeout } from './options.ts';
import { ApiRefusal, replyRefusal, unknownPath } from './refusal.ts';
import { discover, groupVersionsOf } from './show/discovery.ts';
import { createRequestMetrics, type RequestMetrics } from './show/metrics.ts';
import { present } from './show/negotiate.ts';
import { createOpenApi, type DescribeOpenApi } from './show/openapi.ts';
import { describeServer } from './show/server-paths.ts';
import { whenDurable } from './when-durable.ts';

export interface ApiServer {
  /** Never throws: every failure is an answer. */
  handle(request: ApiRequest): ApiResponse;
  /** The same for whoever is outside this process: resolves when the answer is durable, or refuses when it cannot be. */
  answer(request: ApiRequest): Promise<ApiResponse>;
  /** Ends all watches; later requests are still answered. */
  close(): void;
}

export interface ApiServerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Without it everybody may do everything. */
  readonly gate?: Gate;
  /** Without it logs of Pods are refused. */
  readonly openNodeLog?: OpenNodeLog;
  /** How often a watch tells how far it is. */
  readonly bookmarkEveryMs?: number;
}

const BOOKMARK_EVERY_MS = 12_000;

export const createApiServer = (options: ApiServerDeps): ApiServer => {
  const { store, clock, ids, logger, gate = openGate, openNodeLog, bookmarkEveryMs = BOOKMARK_EVERY_MS } = options;
  const book = createTypeBook();
  const deps: ApiDeps = {
    store,
    clock,
    ids,
    gate,
    openNodeLog,
    bookmarkEveryMs,
    registry: createRegistry(store, book),
    watches: new Set(),
  };
  const metrics = createRequestMetrics(deps);
  const handling: Handling = { deps, metrics, logger, book, openApi: createOpenApi(deps.registry) };
  const handle = (request: ApiRequest): ApiResponse => {
    const warnings: string[] = [];
    const response = answerSafely(handling, request, (text) => void warnings.push(text));
    metrics.count(request, response.status);
    return present(withWarnings(response, warnings), request);
  };
  // They are there before anybody may ask for them, so nobody is asked.
  const unguarded: Handling = { ...handling, deps: { ...deps, gate: openGate } };
  createInitialObjects(store, (request) => answerSafely(unguarded, request, () => undefined));
  return {
    handle,
    answer: whenDurable(store, handle),
    close: () => {
      for (const end of [...deps.watches]) end();
    },
  };
};

interface Handling {
  readonly deps: ApiDeps;
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  readonly book: TypeBook;
  readonly openApi: DescribeOpenApi;
}

type Warn = (text: string) => void;

const answerSafely = (handling: Handling, request: ApiRequest, warn: Warn): ApiResponse => {
  const { deps, metrics, logger, book } = handling;
  try {
    // Nobody who may not ask makes the server read a body.
    const entered = withJsonBody(deps.gate.enter(request), book);
    return deps.gate.answer(entered) ?? metrics.answer(entered) ?? answer(handling, entered, warn);
  } catch (thrown) {
    if (thrown instanceof ApiRefusal) return replyRefusal(thrown);
    const error = toFleetError(thrown);
    logger.error('A request failed inside the server', { method: request.method, path: request.path, error });
    return replyRefusal(new ApiRefusal('InternalError', `Internal error occurred: ${error.message}`));
  }
};

const answer = (handling: Handling, request: ApiRequest, warn: Warn): ApiResponse => {
  const { deps } = handling;
  const [path = '', query = ''] = request.path.split(/\?(.*)/s);
  checkTimeout(query);
  const target = parseTarget(path);
  const call = target === undefined ? undefined : parseCall(request, target, { registry: deps.registry, warn });
  if (call !== undefined) return dispatch(deps, call);
  const described = request.method === 'GET' ? describe(handling, request) : undefined;
  if (described !== undefined) return described;
  if (!isOfKnownGroup(deps, path)) return replyText(404, '404 page not found\n');
  throw refusalFor(target);
};

const describe = ({ deps: { registry }, openApi }: Handling, request: ApiRequest): ApiResponse | undefined => {
  const { path, headers } = request;
  const [bare = '', query = ''] = path.split(/\?(.*)/s);
  const trimmed = bare.length > 1 ? bare.replace(/\/$/, '') : bare;
  return (
    describeServer(trimmed, new URLSearchParams(query)) ??
    discover(registry, trimmed, headers['accept'] ?? '') ??
    openApi(request)
  );
};

/** Where no group is served, a real API server has no page, and no Status either. */
const isOfKnownGroup = ({ registry }: ApiDeps, path: string): boolean => {
  const [, root, group] = path.split('/');
  if (root === 'api') return true;
  return root === 'apis' && groupVersionsOf(registry).some((one) => one.group === group);
};

const refusalFor = (target: Target | undefined): ApiRefusal => {
  const unsupported = target === undefined ? undefined : findUnsupported(target);
  return unsupported === undefined ? unknownPath() : refuseUnsupported(unsupported);
};
