/** A program inside a comment of another. */

const BEGIN = '\n/* The agent:\n';
const END = '\n*/\n';
/** What would end the comment, and what is there in its place: no source has a control character. */
const [ENDS, STANDS] = ['*/', '*\u0001/'] as const;

/** Both are text of one byte per character. */
export const fold = (front: string, program: string): string =>
  `${front}${BEGIN}${program.replaceAll(ENDS, STANDS)}${END}`;

/** The program again. The front may name the marks that it looks for; the last ones count. */
export const unfold = (text: string): string =>
  text.slice(text.lastIndexOf(BEGIN) + BEGIN.length, -END.length).replaceAll(STANDS, ENDS);
