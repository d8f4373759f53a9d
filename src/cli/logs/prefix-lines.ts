/** Whole lines with a word before each, out of pieces that end anywhere: so that several logs can be told apart. */
export const createLinePrefixer = (prefix: string, write: (text: string) => void) => {
  let rest = '';
  return {
    push: (text: string): void => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) write(lines.map((line) => `${prefix}${line}\n`).join(''));
    },
    /** What had no end of line gets one. */
    end: (): void => {
      if (rest !== '') write(`${prefix}${rest}\n`);
      rest = '';
    },
  };
};
