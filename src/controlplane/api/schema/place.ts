/** Where in an object a check is, and what it knows there. */
import type { PatternBook } from './patterns.ts';

export interface Place {
  /** `spec.replicas`; empty for the object itself. */
  readonly path: string;
  /** The value before, undefined when there was none. */
  readonly old: unknown;
}

export interface JudgedPlace extends Place {
  readonly patterns: PatternBook;
}
