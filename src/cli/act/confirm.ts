/** Before something is changed: what will be done is said, and a person says yes. */
import { FleetError } from '../../base/errors.ts';
import type { CliIo } from '../io.ts';

export interface ActFlags {
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/** Whether to go on. A dry run never does; without anybody to ask, only `--yes` is an answer. */
export const confirm = async (plan: readonly string[], { yes, dryRun }: ActFlags, io: CliIo): Promise<'yes' | 'no'> => {
  io.stdout(plan.map((line) => `${line}\n`).join(''));
  if (dryRun) {
    io.stdout('Nothing was changed (--dry-run).\n');
    return 'no';
  }
  if (yes) return 'yes';
  if (io.stdin?.isTTY !== true) {
    throw new FleetError('invalid', {
      code: 'NotConfirmed',
      message: 'nobody is there to be asked whether to go on',
      hint: 'Say --yes if this is what you want, or --dry-run to only see it.',
    });
  }
  io.stdout('Go on? [y/N] ');
  if (/^y(es)?$/i.test((await readLine(io.stdin)).trim())) return 'yes';
  io.stdout('Nothing was changed.\n');
  return 'no';
};

const readLine = async (stdin: NonNullable<CliIo['stdin']>): Promise<string> => {
  let text = '';
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
};
