/** `macfleet up`: a whole fleet on this machine, with simulated Macs. */
import type { Command } from 'commander';
import { FleetError } from '../base/errors.ts';

export const addUpCommand = (program: Command): void => {
  program
    .command('up')
    .description('start a control plane, the controllers and simulated Macs on this machine (not built yet)')
    .action(() => {
      throw new FleetError('unavailable', {
        code: 'NotBuiltYet',
        message: '`macfleet up` is not built yet: the controllers and the simulated Macs it would start do not exist',
        hint: 'See "Status" in README.md for what exists; `npm cit` proves that part on this machine.',
      });
    });
};
