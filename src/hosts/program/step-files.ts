/** Reads the scripts of src/hosts/steps, once, when a process is composed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepFiles } from './compose.ts';

const FOLDER = join(import.meta.dirname, '..', 'steps');
const SUFFIX = '.sh';

export const readStepFiles = (): StepFiles => {
  const texts = Object.fromEntries(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => [name.slice(0, -SUFFIX.length), readFileSync(join(FOLDER, name), 'utf8')]),
  );
  const { lib = '', driver = '', ...steps } = texts;
  return { lib, driver, steps };
};
