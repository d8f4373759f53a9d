/** What is left of `--data "$DIR"` when DIR is not set: taken for a path it would be the working directory. */
import type { Command, Option } from 'commander';
import { FleetError } from '../base/errors.ts';

/** Of the command and all below it: every flag whose value the help calls a file or a folder. */
export const refuseEmptyPaths = (command: Command): Command => {
  for (const option of command.options.filter(takesPath)) option.argParser((text) => parsePath(option, text));
  command.commands.forEach(refuseEmptyPaths);
  return command;
};

export const takesPath = ({ flags }: Option): boolean => /<(file|folder)>$/.test(flags);

const parsePath = ({ long, flags }: Option, text: string): string => {
  if (text !== '') return text;
  throw new FleetError('invalid', {
    code: 'EmptyPath',
    message: `${long ?? flags} was given an empty path`,
    hint: 'Name a file or folder, or leave the flag out; a variable of the shell may not be set.',
  });
};
