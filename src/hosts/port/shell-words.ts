/** A list of words as a line that every login shell of a Mac or of Linux (sh, bash, zsh) reads as exactly these words. */
import { FleetError } from '../../base/errors.ts';

/** Throws `invalid` for a NUL, which no argument of a process can hold. */
export const quoteWords = (words: readonly string[]): string => words.map(quoteWord).join(' ');

const quoteWord = (word: string): string => {
  if (word.includes('\0')) {
    throw new FleetError('invalid', {
      code: 'BadRemoteArgument',
      message: 'an argument of a remote command holds a NUL byte',
      hint: 'Send binary data on standard input.',
    });
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
};

const WORD = /^(?:'[^']*'|\\')+$/;

/** The way back, for lines that quoteWords made; undefined for any other. */
export const parseWords = (line: string): readonly string[] | undefined => {
  const words = line.match(/(?:'[^']*'|\\')+|[^ ]+/g) ?? [];
  if (words.join(' ') !== line || !words.every((word) => WORD.test(word))) return undefined;
  return words.map((word) => word.replace(/'([^']*)'|\\(')/g, (_whole, plain, quote) => plain ?? quote));
};
