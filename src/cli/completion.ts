/** `macfleet completion`: what makes a shell complete our commands. The work is in completion/. */
import { Argument, type Command } from 'commander';
import type { Shell } from './completion/render-completion.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Examples:
  source <(macfleet completion bash)                                  # this shell; into ~/.bashrc for all
  macfleet completion zsh >"\${fpath[1]}/_macfleet"
  macfleet completion fish >~/.config/fish/completions/macfleet.fish
`;

export const addCompletionCommand = (program: Command, io: CliIo): void => {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', notes(HELP))
    .action(async (shell: Shell) => {
      const { renderCompletion } = await import('./completion/render-completion.ts');
      const { toCommandTree } = await import('./completion/command-tree.ts');
      io.stdout(renderCompletion(shell, toCommandTree(program)));
    });
};
