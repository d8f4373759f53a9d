/** A place in a pattern's text that moves on, by whole characters. */

export interface Cursor {
  readonly at: number;
  readonly length: number;
  isAtEnd(): boolean;
  /** The character here, without moving; empty at the end. */
  peek(): string;
  next(): string;
  skip(units: number): void;
  /** Moves past the text if it is here. */
  take(text: string): boolean;
  /** The same for a sticky expression. */
  takePattern(pattern: RegExp): RegExpExecArray | undefined;
  /** From there to here, or to `end`. */
  slice(start: number, end?: number): string;
}

export const createCursor = (text: string): Cursor => {
  let at = 0;
  const peek = (): string => {
    const code = text.codePointAt(at);
    return code === undefined ? '' : String.fromCodePoint(code);
  };
  const skip = (units: number): void => {
    at = Math.min(text.length, at + units);
  };
  return {
    get at() {
      return at;
    },
    length: text.length,
    isAtEnd: () => at >= text.length,
    peek,
    skip,
    next: () => {
      const char = peek();
      skip(char.length);
      return char;
    },
    take: (wanted) => {
      if (!text.startsWith(wanted, at)) return false;
      skip(wanted.length);
      return true;
    },
    takePattern: (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) return undefined;
      skip(found[0].length);
      return found;
    },
    slice: (start, end = at) => text.slice(start, end),
  };
};
