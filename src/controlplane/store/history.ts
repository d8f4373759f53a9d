/**
 * What watches can look back on: the last changes, bounded in number, age and size. Revisions have no gaps, so a revision
 * is a position.
 */
import type { Change } from './change.ts';

export interface HistoryBounds {
  readonly changesMax: number;
  readonly ageMaxMs: number;
  readonly charsMax: number;
}

export interface History {
  add(change: Change): void;
  /** Changes after that revision, oldest first; undefined when some of them are forgotten, or it is yet to come. */
  since(revision: number): readonly Change[] | undefined;
}

export interface HistoryOptions extends HistoryBounds {
  /** The revision before the first change. */
  readonly start: number;
  readonly now: () => number;
}

interface Remembered {
  readonly change: Change;
  readonly atMs: number;
}

/** Forgotten changes are cut off in steps of this many, so that adding one stays cheap. */
const CUT_STEP = 512;

export const createHistory = ({ start, now, changesMax, ageMaxMs, charsMax }: HistoryOptions): History => {
  let kept: Remembered[] = [];
  /** Position of the oldest change that is remembered; what is before it waits to be cut off. */
  let head = 0;
  let forgottenTo = start;
  let chars = 0;

  const isOver = (nowMs: number): boolean => {
    const oldest = kept[head];
    if (oldest === undefined) return false;
    return kept.length - head > changesMax || chars > charsMax || nowMs - oldest.atMs > ageMaxMs;
  };
  const forget = (nowMs: number): void => {
    while (isOver(nowMs)) {
      chars -= kept[head]?.change.entry.chars ?? 0;
      head += 1;
      forgottenTo += 1;
    }
    if (head < CUT_STEP && head < kept.length) return;
    kept = kept.slice(head);
    head = 0;
  };

  return {
    add: (change) => {
      const atMs = now();
      kept.push({ change, atMs });
      chars += change.entry.chars;
      forget(atMs);
    },
    since: (revision) => {
      const latest = forgottenTo + kept.length - head;
      if (revision < forgottenTo || revision > latest || !Number.isSafeInteger(revision)) return undefined;
      return kept.slice(head + revision - forgottenTo).map(({ change }) => change);
    },
  };
};
