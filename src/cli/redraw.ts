/** The newest state of something, shown in place on a terminal, and below the last one elsewhere. */
import type { CliIo } from './io.ts';

export const createRedraw = ({
  stdout,
  isTerminal,
}: Pick<CliIo, 'stdout' | 'isTerminal'>): ((text: string) => void) => {
  let drawnLines = 0;
  return (text) => {
    stdout(isTerminal && drawnLines > 0 ? `\u001b[${drawnLines}A\u001b[J${text}\n` : `${text}\n`);
    drawnLines = text.split('\n').length;
  };
};
