/** Prose broken into lines that fit. Pure. */
import { type Look, PLAIN } from './look.ts';

export interface WrapOptions {
  readonly indent?: number;
  readonly look?: Look;
}

/** A word that is longer than a line stays whole: it is a command or an address, to be copied. */
export const wrapText = (text: string, { indent = 0, look = PLAIN }: WrapOptions = {}): readonly string[] => {
  const margin = ' '.repeat(indent);
  if (look.columns === undefined) return [`${margin}${text}`];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent + longer.length > look.columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((part) => `${margin}${part}`);
};
