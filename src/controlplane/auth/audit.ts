/** What a log of requests wants to know about each of them, once it is answered. */
import type { ApiRequest, ApiResponse } from '../api/http.ts';
import { type Attempt, parseAttempt } from './attempt.ts';

export interface AnsweredRequest {
  /** Who sent it, and what was asked. */
  readonly attempt: Attempt;
  /** In whose name, if the sender asked for that. It may have been refused. */
  readonly actingAs: string | undefined;
  /** HTTP status of the answer. */
  readonly code: number;
}

export type OnRequest = (answered: AnsweredRequest) => void;

type Handle = (request: ApiRequest) => ApiResponse;

export const withAudit = (handle: Handle, onRequest: OnRequest | undefined): Handle => {
  if (onRequest === undefined) return handle;
  return (request) => {
    const response = handle(request);
    const actingAs = request.headers['impersonate-user'];
    onRequest({ attempt: parseAttempt(request), actingAs, code: response.status });
    return response;
  };
};
