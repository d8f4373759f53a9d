/**
 * Answers that are facts: an answer leaves only when everything it is based on is durable. When that fails, a write is
 * refused with the reason, and a read is read again, without what was taken back.
 */
import type { Settled } from '../store/group-commit.ts';
import type { Store } from '../store/store.ts';
import { type ApiRequest, type ApiResponse, withHeaders } from './http.ts';
import { ApiRefusal, replyRefusal } from './refusal.ts';

type Handle = (request: ApiRequest) => ApiResponse;
type AnswerLater = (request: ApiRequest) => Promise<ApiResponse>;

export const whenDurable =
  (store: Pick<Store, 'whenSettled'>, handle: Handle): AnswerLater =>
  async (request) => {
    const response = handle(request);
    const settled = await new Promise<Settled>((resolve) => store.whenSettled(resolve));
    if (settled.is === 'durable') return response.later?.() ?? response;
    if (request.method === 'GET') return whenDurable(store, handle)(request);
    const refusal = new ApiRefusal('InternalError', `Internal error occurred: ${settled.error.message}`);
    const { 'audit-id': id } = response.headers;
    return withHeaders(replyRefusal(refusal), id === undefined ? {} : { 'audit-id': id });
  };
