/**
 * What carries requests to the simulated dispatcher inside one process: at once, in real time, and as two-step calls of a kernel
 * actor, so that lost requests, lost answers and late effects come from the kernel.
 */
import { abortable } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { DispatchRequest, DispatchTransport } from '../../dispatch/port/transport.ts';
import type { ApiAnswer } from '../http/api-message.ts';
import type { Actor } from '../kernel/actor.ts';
import type { SimDispatch } from './sim-dispatch.ts';

/** `caller` is for the audit. */
export const createSimDispatchTransport =
  (dispatch: SimDispatch, { clock, caller }: { readonly clock: Clock; readonly caller: string }): DispatchTransport =>
  async (request) => {
    const { delayMs = 0, ...answer } = await abortable(answerOf(dispatch, request, caller), request.signal);
    if (delayMs > 0) await sleep(clock, delayMs, request.signal);
    return answer;
  };

/** Sites: `dispatch:GET`, `dispatch:POST`. The caller of a request is the actor, unless the request says which Pod it is. */
export const createKernelDispatchTransport =
  (dispatch: SimDispatch, actor: Actor, caller: string = actor.name): DispatchTransport =>
  async (request) => {
    const { delayMs = 0, ...answer } = await actor.call({
      site: `dispatch:${request.method}`,
      effect: () => answerOf(dispatch, request, caller),
      signal: request.signal,
    });
    if (delayMs > 0) await sleep(actor.clock, delayMs, request.signal);
    return answer;
  };

/** What has begun at the server goes on there, whether its caller still waits or not. */
const answerOf = async (
  dispatch: SimDispatch,
  { method, url, headers, body = '' }: DispatchRequest,
  caller: string,
): Promise<ApiAnswer> => {
  const { pathname, search } = new URL(url);
  const answer = await dispatch.serve({ method, target: `${pathname}${search}`, headers, body, caller });
  if (answer !== undefined) return answer;
  throw new FleetError('unavailable', {
    code: 'DispatcherUnreachable',
    message: 'the connection broke before an answer came',
  });
};
