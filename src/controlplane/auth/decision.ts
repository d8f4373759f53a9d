/** What an authorizer answers. There is no "no": who has no opinion leaves it to the next, and nobody's yes is a no. */
import type { Attempt } from './attempt.ts';

export interface Decision {
  readonly isAllowed: boolean;
  /** Why; may be empty. */
  readonly reason: string;
}

export type Authorize = (attempt: Attempt) => Decision;

export const allowed = (reason = ''): Decision => ({ isAllowed: true, reason });

export const noOpinion = (reason = ''): Decision => ({ isAllowed: false, reason });
