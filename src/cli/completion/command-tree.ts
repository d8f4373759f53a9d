/** The commands as data, out of the parser's own tree: for completion and for the page of commands. Pure. */
import type { Command, Option } from 'commander';

export interface CommandNode {
  /** `macfleet sim cloud`. */
  readonly path: string;
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly commands: readonly CommandNode[];
}

export interface OptionNode {
  readonly long?: string;
  readonly short?: string;
  readonly description: string;
  /** What it takes: nothing, anything, or one of these. */
  readonly takes: 'nothing' | 'value' | readonly string[];
}

export const toCommandTree = (command: Command, before = ''): CommandNode => {
  const path = `${before}${command.name()}`;
  const help = command.createHelp();
  return {
    ...{ path, description: command.description() },
    options: help.visibleOptions(command).map(toOption),
    commands: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => toCommandTree(child, `${path} `)),
  };
};

const toOption = ({ long, short, description, required, optional, argChoices }: Option): OptionNode => ({
  ...(long === undefined || long === null ? {} : { long }),
  ...(short === undefined || short === null ? {} : { short }),
  description,
  takes: argChoices ?? (required || optional ? 'value' : 'nothing'),
});

/** It and all below it. */
export const flatten = (node: CommandNode): readonly CommandNode[] => [node, ...node.commands.flatMap(flatten)];

export const nameOf = ({ path }: CommandNode): string => path.split(' ').at(-1) ?? path;
