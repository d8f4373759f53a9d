/**
 * One call through the official SDK. The SDK knows paths, arguments and shapes; sending, deadlines and what an answer
 * means are ours. A client is made for each call, because the SDK has no other place for a signal.
 */
import {
  type Client,
  createAdvancedClient,
  type Settings,
  withHTTPClient,
  withProfile,
  withUserAgent,
} from '@scaleway/sdk-client';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { FleetError, isKind, messageOf } from '../../base/errors.ts';
import type { CloudResponse, CloudTransport } from '../port/transport.ts';
import { toCloudError, unreadableAnswer } from '../wire-errors.ts';
import type { CredentialSource } from './credentials.ts';
import type { RequestBudget } from './request-budget.ts';

export interface SdkCallDeps {
  readonly transport: CloudTransport;
  readonly credentials: CredentialSource;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly apiUrl: string;
  /** Of one request. How long a lost write may still arrive is reckoned from it (R13). */
  readonly requestTimeoutMs: number;
}

export interface SdkCall<T> {
  /** For errors: `renaming server 1234`. */
  readonly doing: string;
  readonly use: 'read' | 'write';
  readonly signal: AbortSignal;
  /** On the monotonic clock: not sent after it. */
  readonly sendBeforeMs?: number;
  /** Called with when it is sent, on the monotonic clock: after its wait in the budget's line. */
  readonly ask: (client: Client, sentAtMs: number) => Promise<T>;
}

export type CallSdk = <T>(call: SdkCall<T>) => Promise<T>;

/** When Scaleway does not say how long. */
const THROTTLED_MS = 5_000;

export const createSdkCalls = (deps: SdkCallDeps): CallSdk => {
  const { credentials, budget, clock } = deps;
  return async ({ doing, use, signal, sendBeforeMs, ask }) => {
    const shown = await credentials.read(signal);
    await budget.take(use, signal);
    const sentAtMs = clock.elapsed();
    if (sendBeforeMs !== undefined && sentAtMs >= sendBeforeMs) throw lookTooOld(doing);
    try {
      return await withDeadline({ clock, timeoutMs: deps.requestTimeoutMs, signal, doing }, (limited) => {
        const httpClient = createHttpClient(deps, { doing, signal: limited });
        const profile = { accessKey: shown.accessKey, secretKey: shown.secretKey.reveal(), apiURL: deps.apiUrl };
        const client = createAdvancedClient(
          withProfile(profile),
          withUserAgent('macfleet'),
          withHTTPClient(httpClient),
        );
        return ask(client, sentAtMs);
      });
    } catch (thrown) {
      const error = toError(thrown, doing);
      if (error.kind === 'throttled') budget.closeFor(error.retryAfterMs ?? THROTTLED_MS);
      if (error.code === 'AuthenticationDenied') credentials.distrust(shown);
      throw error;
    }
  };
};

const lookTooOld = (doing: string): FleetError =>
  new FleetError('conflict', {
    code: 'LookTooOld',
    message: `${doing}: the server was looked at too long ago to act on it`,
    hint: 'Nothing was sent; it is looked at again.',
  });

interface HttpCall {
  readonly doing: string;
  readonly signal: AbortSignal;
}

const createHttpClient =
  ({ transport, clock }: SdkCallDeps, { doing, signal }: HttpCall): Settings['httpClient'] =>
  async (input) => {
    const request = input instanceof Request ? input : new Request(input);
    const answer = await transport({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: request.body === null ? undefined : await request.text(),
      signal,
    });
    if (answer.status < 200 || answer.status > 299) throw toRefusal(answer, { doing, nowMs: clock.now() });
    if (answer.status === 204) return new Response(null, { status: 204 });
    return toResponse(readableJson(answer, doing));
  };

/** What the SDK reads of an answer, without turning a text of megabytes into bytes and back. */
const toResponse = (text: string): Response => {
  const response = new Response(null, { headers: { 'Content-Type': 'application/json' } });
  return Object.assign(response, { json: async (): Promise<unknown> => JSON.parse(text) });
};

const toRefusal = (
  { status, headers, body }: CloudResponse,
  { doing, nowMs }: { readonly doing: string; readonly nowMs: number },
): FleetError => toCloudError({ status, retryAfter: headers['retry-after'], body: parseJson(body), doing, nowMs });

/** The SDK takes a text of any other type for the answer itself. */
const readableJson = ({ headers, body }: CloudResponse, doing: string): string => {
  const type = headers['content-type'] ?? 'no type';
  if (/^application\/json\b/i.test(type)) return body;
  throw unreadableAnswer({ doing, why: `Scaleway answered with ${type} instead of JSON` });
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What the SDK throws by itself: it could not read a success, or a shape in it. */
const toError = (thrown: unknown, doing: string): FleetError => {
  if (thrown instanceof FleetError) return thrown;
  return unreadableAnswer({ doing, why: messageOf(thrown) });
};

/** For verbs that only look: a failure that came without an answer is tried again, a few times. */
export const isWorthAnotherLook = (error: unknown): boolean => isKind(error, 'unavailable');
