/** What a log of requests wants to know about each of them, once it is answered, and the id by which both ends name one. */
import type { Ids } from '../../base/ids.ts';
import { type ApiRequest, type ApiResponse, withHeaders } from '../api/http.ts';
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

const AUDIT_ID = 'audit-id';
const COUNT_DIGITS = 12;

/** Every answer says the id of its request: the one that the client chose, or a new one. */
export const withAuditIds = (handle: Handle, ids: Ids): Handle => {
  // Counted on from a random one: nobody guesses by them, and a request costs no randomness.
  const prefix = ids.uuid().slice(0, -COUNT_DIGITS);
  let count = 0;
  return (request) => {
    const response = handle(request);
    count += 1;
    const id = request.headers[AUDIT_ID] || `${prefix}${count.toString(16).padStart(COUNT_DIGITS, '0')}`;
    return withHeaders(response, { [AUDIT_ID]: id });
  };
};
