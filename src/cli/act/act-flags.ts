/** The flags of every command that changes something. */
import type { Command } from 'commander';

export const addActFlags = (command: Command): Command =>
  command
    .option('-y, --yes', 'do it without asking', false)
    .option('--dry-run', 'only say what would be done; the server checks whether it would let you', false);
