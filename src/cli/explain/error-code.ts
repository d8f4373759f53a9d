/** What is known of an error code: the places that tell it, each with its words. `…` stands for what differs. */
import type { ErrorKind } from '../../base/errors.ts';

export interface ErrorCase {
  readonly kind: ErrorKind;
  readonly message?: string;
  readonly hint?: string;
}

export interface ErrorCode {
  readonly code: string;
  readonly cases: readonly ErrorCase[];
}
