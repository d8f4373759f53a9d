/** Tells an audit log of each request as it was answered: after its write is on the disk, or was taken back. */
import type { Clock } from '../../base/clock.ts';
import type { ApiRequest, ApiResponse } from '../api/http.ts';
import { parseAttempt } from '../auth/attempt.ts';
import type { Authorize } from '../auth/decision.ts';
import { impersonate } from '../auth/impersonate.ts';
import type { User } from '../auth/user.ts';
import { type AuditEvent, isRead, toAuditEvent } from './audit-event.ts';

export interface AuditLog {
  readonly covers: 'writes' | 'all';
  /** Returns at once, and never throws. */
  write(event: AuditEvent): void;
}

export interface AuditDeps {
  readonly log: AuditLog;
  readonly clock: Clock;
  readonly authorize: Authorize;
}

type Answer = (request: ApiRequest) => Promise<ApiResponse>;

export const withAuditLog =
  (answer: Answer, { log, clock, authorize }: AuditDeps): Answer =>
  async (request) => {
    if (log.covers === 'writes' && isRead(parseAttempt(request))) return answer(request);
    const receivedMs = clock.now();
    // Before it is served: what it writes may change its own rights.
    const actingAs = findActingAs(request, authorize);
    const response = await answer(request);
    log.write(toAuditEvent({ request, response, actingAs, receivedMs, answeredMs: clock.now() }));
    return response;
  };

/** Nobody else where the request did not ask for that, or may not have it. */
const findActingAs = (request: ApiRequest, authorize: Authorize): User | undefined => {
  if (request.headers['impersonate-user'] === undefined) return undefined;
  try {
    return impersonate(request, authorize);
  } catch {
    // The API refuses it for the same reason, which is what its code tells.
    return undefined;
  }
};
