/** Every file says at its top why it exists. */
import { isTest, type Rule } from '../tree.ts';

const MESSAGE = 'the file does not say why it exists; begin it with /** … */, one or two plain sentences';

export const fileHeader: Rule = {
  name: 'file-header',
  check: ({ sources }) =>
    sources
      .filter(({ path, text }) => !isTest(path) && !/^(#![^\n]*\n)?\s*\/\*\*/.test(text))
      .map(({ path }) => ({ path, line: 1, message: MESSAGE })),
};
