/** What the dispatcher's word about a runner allows. Pure. */
import { unreachable } from '../../base/errors.ts';
import type { Standing } from '../../dispatch/port/dispatcher.ts';

export type DrainVerdict =
  /** No job is or comes: it may be deleted. */
  | 'delete'
  /** It has a job, and ends by itself. */
  | 'leave'
  /** Its one job is over: it ends by itself, or is made to. */
  | 'over'
  /** Nothing is certain: ask again. */
  | 'ask-again'
  /** The server cannot be asked: only what never had a VM may be deleted, the label ends the rest. */
  | 'only-unstarted';

export const judgeStanding = (standing: Standing): DrainVerdict => {
  if (standing.protocol === 1) return 'only-unstarted';
  const { state, refused } = standing;
  switch (state) {
    case 'idle':
      return refused ? 'delete' : 'ask-again';
    case 'claimed':
    case 'running':
    case 'finishing':
      return 'leave';
    case 'finished':
      return 'over';
    case 'unknown':
      return 'ask-again';
    default:
      return unreachable(state);
  }
};
