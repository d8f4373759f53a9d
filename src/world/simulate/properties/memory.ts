/** What a judge of a quiet world remembers of the time before, and what it makes of that in the end. */
import type { Happening, Truth, Violation } from '../truth.ts';

export type Finding = Pick<Violation, 'property' | 'message'>;

export interface Memory {
  hear(happening: Happening, truth: Truth): void;
  judge(truth: Truth): readonly Finding[];
}
