/** How an agent has a guest run what a container says, as far as a guest of steps understands it: by the guest contract. Pure. */
import { COMMAND_FILE } from '../guest.ts';

/** In the status share, so that nothing is launched twice. */
export const LAUNCHED_FOLDER = 'launched';

/** Starts the command file, and returns at once. */
export const isLauncher = (script: string): boolean => script.includes(`/${COMMAND_FILE}`);

/** The words that the command file becomes: its last line, in single quotes. */
export const readCommandFile = (text: string): readonly string[] => {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return [...line.matchAll(QUOTED)].map(([word]) => word.slice(1, -1).replaceAll("'\\''", "'"));
};

const QUOTED = /'(?:[^']|'\\'')*'/g;
