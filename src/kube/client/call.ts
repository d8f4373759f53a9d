/**
 * One call to the API server: a deadline around everything, a place among the requests in flight for every sending,
 * repetition where retry.ts allows it, and a typed error for every refusal.
 */
import { withDeadline } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { readBody } from './body.ts';
import { decideRetryMs, type Repetition, type RetryPolicy } from './retry.ts';
import { type ExpiredCode, toStatusError } from './status-error.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Call {
  readonly method: TransportRequest['method'];
  readonly path: string;
  /** As a person would say it, for errors: "patching pods/status default/x". */
  readonly doing: string;
  readonly repetition: Repetition;
  readonly signal: AbortSignal;
  readonly permit?: (() => void) | undefined;
  readonly body?: string;
  readonly contentType?: string;
  /** The code of a 410 to this call. */
  readonly expiredCode?: ExpiredCode;
}

export interface ResponseInfo {
  readonly method: TransportRequest['method'];
  readonly host: string;
  /** The HTTP status, or undefined when no answer came. */
  readonly status: number | undefined;
}

export interface CallerDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called once for every sending, for `rest_client_requests_total`. */
  readonly onResponse?: (info: ResponseInfo) => void;
  readonly options: CallOptions;
}

export interface CallOptions {
  readonly userAgent: string;
  /** Names the cluster in `onResponse`. */
  readonly host: string;
  /** The most that any call but a watch may take, waiting and repeating included. */
  readonly timeoutMs: number;
  /** Watches do not count. */
  readonly requestsInFlightMax: number;
  readonly retry: RetryPolicy;
}

export interface Caller {
  /** The body of a 2xx answer. */
  call(call: Call): Promise<Buffer>;
  /** A 2xx answer whose body is still to be read: no deadline, no place taken, no repetition. */
  open(call: Call): Promise<TransportResponse>;
}

export const createCaller = ({ transport, clock, random, logger, onResponse, options }: CallerDeps): Caller => {
  const limiter = createLimiter(options.requestsInFlightMax);

  const send = async (call: Call, signal: AbortSignal): Promise<TransportResponse> => {
    call.permit?.();
    let status: number | undefined;
    try {
      const response = await transport.send(toRequest(call, options.userAgent, signal));
      status = response.status;
      return response;
    } finally {
      onResponse?.({ method: call.method, host: options.host, status });
    }
  };

  const refuse = async (call: Call, response: TransportResponse): Promise<never> => {
    const { status, headers } = response;
    const body = (await readBody(response.body, call.doing)).toString('utf8');
    const { doing, expiredCode = 'Expired' } = call;
    throw toStatusError({ doing, status, headers, body, expiredCode, nowMs: clock.now() });
  };

  const exchange = async (call: Call, signal: AbortSignal): Promise<Buffer> => {
    const response = await send(call, signal);
    return isSuccess(response) ? readBody(response.body, call.doing) : refuse(call, response);
  };

  const repeat = async (call: Call, signal: AbortSignal): Promise<Buffer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await limiter.run(() => exchange(call, signal), signal);
      } catch (thrown) {
        const error = toFleetError(thrown);
        const waitMs = decideRetryMs({ error, tries, repetition: call.repetition }, options.retry, random);
        if (waitMs === undefined) throw error;
        logger.debug('Repeating a request', { doing: call.doing, tries, waitMs, error });
        await sleep(clock, waitMs, signal);
      }
    }
  };

  return {
    call: (call) =>
      withDeadline({ clock, timeoutMs: options.timeoutMs, signal: call.signal, doing: call.doing }, (signal) =>
        repeat(call, signal),
      ),
    open: async (call) => {
      const response = await send(call, call.signal);
      return isSuccess(response) ? response : refuse(call, response);
    },
  };
};

const isSuccess = ({ status }: TransportResponse): boolean => status >= 200 && status < 300;

const toRequest = (call: Call, userAgent: string, signal: AbortSignal): TransportRequest => {
  const { method, path, body, permit } = call;
  if (body === undefined) return { method, path, headers: { accept: JSON_TYPE, 'user-agent': userAgent }, signal };
  const headers = { accept: JSON_TYPE, 'user-agent': userAgent, 'content-type': call.contentType ?? JSON_TYPE };
  return { method, path, headers, body, signal, ...(permit && { permit }) };
};

const JSON_TYPE = 'application/json';
