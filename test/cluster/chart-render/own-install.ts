/** `macfleet install`, as a person runs it. */
import { join } from 'node:path';
import type { CommandResult } from '../bench/cluster.ts';
import { runCommand } from '../bench/run-command.ts';
import { ROOT } from './render.ts';

export const macfleetInstall = (kubeconfig: string, args: readonly string[]): Promise<CommandResult> =>
  runCommand({
    path: process.execPath,
    args: [join(ROOT, 'bin', 'macfleet.ts'), 'install', ...args],
    env: { KUBECONFIG: kubeconfig },
  });
