/** Secrets that stand in a text by mistake. Pure, and of use where there is no gitleaks: in `npm run check:static`. */
import { SECRET_KINDS } from './secret-kinds.ts';

export interface FoundSecret {
  readonly what: string;
  /** Where in the text. */
  readonly index: number;
}

export const findSecrets = (text: string): readonly FoundSecret[] =>
  SECRET_KINDS.flatMap(({ what, pattern, madeUp }) =>
    [...text.matchAll(pattern)]
      .filter(([whole, secret = whole]) => madeUp?.test(secret) !== true)
      .map(({ index }) => ({ what, index })),
  );
