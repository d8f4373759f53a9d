/** How help looks: on lines that fit, in a narrow terminal too. Pure. */
import type { Command, HelpConfiguration } from 'commander';
import { PLAIN } from './look.ts';
import { wrapText } from './wrap.ts';

/** Of a pipe, and of what asks no terminal. */
export const HELP_COLUMNS = 80;
/** A description in less than this is read word by word. */
const BESIDE_LEAST = 36;
const MARGIN = 2;
const GAP = 2;
const BELOW = 6;

const wrap = (text: string, columns: number): readonly string[] =>
  wrapText(text, { look: { ...PLAIN, columns: Math.max(columns, 1) } });

/** Name and description beside each other where there is room, and below each other where there is none. */
const formatItem: NonNullable<HelpConfiguration['formatItem']> = (term, termWidth, description, helper) => {
  const columns = helper.helpWidth ?? HELP_COLUMNS;
  const margin = ' '.repeat(MARGIN);
  if (description === '') return `${margin}${term}`;
  const beside = columns - MARGIN - termWidth - GAP;
  if (beside >= BESIDE_LEAST) {
    const lines = wrap(description, beside);
    return `${margin}${term.padEnd(termWidth + GAP)}${lines.join(`\n${' '.repeat(MARGIN + termWidth + GAP)}`)}`;
  }
  return [`${margin}${term}`, ...wrap(description, columns - BELOW).map((line) => `${' '.repeat(BELOW)}${line}`)].join(
    '\n',
  );
};

export const HELP_FORMAT: HelpConfiguration = { formatItem, minWidthToWrap: 10 };

/** Prose is wrapped; what is indented is a command or a table, and stays as it is. */
const formatNotes = (notes: string, columns = HELP_COLUMNS): string => {
  const done: string[] = [];
  let prose: string[] = [];
  const flush = (): void => {
    if (prose.length > 0) done.push(...wrap(prose.join(' '), columns));
    prose = [];
  };
  for (const line of notes.split('\n')) {
    if (line !== '' && !line.startsWith(' ')) prose.push(line);
    else {
      flush();
      done.push(line);
    }
  }
  flush();
  return done.join('\n');
};

/** What stands below the options of a command: what is good to know, and examples. */
export const notes =
  (text: string | (() => string)) =>
  ({ command }: { readonly command: Command }): string =>
    formatNotes(typeof text === 'string' ? text : text(), command.configureOutput().getOutHelpWidth?.());
