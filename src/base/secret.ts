/**
 * A value that does not print. Strings, JSON, templates, `inspect`, errors and logs show `[redacted]`; the one way to
 * the value is `reveal`, which is easy to grep for.
 */
import { inspect } from 'node:util';

export const REDACTED = '[redacted]';

export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself. Only an adapter that hands it to the outside may call this. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
