/** From what `up` wrote to a terminal to a picture of it for the README. Pure. */

/** Where each block of the live table begins. */
const HEADINGS = [/^MAC /m, /^POD /m, /^CI JOB /m];

/** What src/cli/redraw.ts writes between two frames: up to the first line, and clear. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told what to do by control characters.
const REDRAW = /\u001b\[\d+A\u001b\[J/;

/** The last frame with every block of the table that was drawn over by another, so that its end is known; undefined without one. */
export const findLastFrame = (written: string): string | undefined => {
  const drawn = written.replaceAll('\r\n', '\n').split(REDRAW).slice(1, -1);
  return drawn.findLast((frame) => HEADINGS.every((heading) => heading.test(frame)))?.trimEnd();
};

/** The words of each heading of a table, in order. */
export const findHeadings = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => HEADINGS.some((heading) => heading.test(line)))
    .map((line) => line.trim().split(/ {2,}/));

const CHARACTER_WIDTH = 8.5;
const LINE_HEIGHT = 19;
const MARGIN = 16;

/** A terminal with the command and the frame below it. */
export const renderSvg = (command: string, frame: string): string => {
  const lines = [`$ ${command}`, '', ...frame.split('\n')];
  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * CHARACTER_WIDTH) + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const text = lines.map((line, at) => {
    const y = MARGIN + (at + 1) * LINE_HEIGHT - 5;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${escapeXml(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeXml(command)}</title>`,
    '<rect width="100%" height="100%" rx="8" fill="#16181d"/>',
    '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#d6dae3">',
    ...text,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
};

/** The lines of text in such a picture. */
export const readSvg = (svg: string): string =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, line = '']) => unescapeXml(line)).join('\n');

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const unescapeXml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
