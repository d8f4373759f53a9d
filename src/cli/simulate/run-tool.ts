/** Adapter: tools/simulate.ts as a process. It works with mutants, which are test code, and so is in a clone and in no image. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../base/errors.ts';
import { runOnTerminal } from '../run-on-terminal.ts';

const TOOL = join(import.meta.dirname, '..', '..', '..', 'tools', 'simulate.ts');

/** Its exit code. */
export const runSimulateTool = async (flags: readonly string[], signal: AbortSignal): Promise<number> => {
  if (existsSync(TOOL)) return runOnTerminal(process.execPath, [TOOL, ...flags], signal);
  throw new FleetError('not-found', {
    code: 'NoSimulateTool',
    message: 'simulate is not part of this installation',
    hint: 'Run it in a clone of the repository.',
  });
};
