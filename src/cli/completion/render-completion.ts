/** Completion for three shells, out of the tree of commands. Nothing of ours runs while a person types. Pure. */
import { unreachable } from '../../base/errors.ts';
import { type CommandNode, flatten, nameOf, type OptionNode } from './command-tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const renderCompletion = (shell: Shell, tree: CommandNode): string => {
  switch (shell) {
    case 'bash':
      return renderBash(tree);
    case 'zsh':
      return `autoload -Uz bashcompinit && bashcompinit\n${renderBash(tree)}`;
    case 'fish':
      return renderFish(tree);
    default:
      return unreachable(shell);
  }
};

const flagsOf = ({ long, short }: OptionNode): readonly string[] =>
  [long, short].flatMap((flag) => (flag === undefined ? [] : [flag]));

const wordsOf = ({ commands, options }: CommandNode): string =>
  [...commands.map(nameOf), ...options.flatMap(flagsOf)].join(' ');

const renderBash = (tree: CommandNode): string => {
  const nodes = flatten(tree);
  const below = nodes.filter(({ path }) => path !== tree.path);
  return [
    '_macfleet() {',
    `  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at='${tree.path}' words='' word`,
    '  COMPREPLY=()',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash.
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$at $word" in',
    `      ${below.map(({ path }) => `'${path}'`).join(' | ')}) at="$at $word" ;;`,
    '    esac',
    '  done',
    '  case "$at $before" in',
    ...nodes.flatMap((node) => node.options.flatMap((option) => renderValues(node, option))),
    '    *)',
    '      case $at in',
    ...nodes.map((node) => `        '${node.path}') words='${wordsOf(node)}' ;;`),
    '      esac',
    '      ;;',
    '  esac',
    '  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")',
    '}',
    'complete -o default -F _macfleet macfleet kubectl-macfleet',
    '',
  ].join('\n');
};

/** After an option that takes a value: its choices, or whatever the shell offers, files above all. */
const renderValues = ({ path }: CommandNode, option: OptionNode): readonly string[] => {
  if (option.takes === 'nothing') return [];
  const places = flagsOf(option).map((flag) => `'${path} ${flag}'`);
  const words = option.takes === 'value' ? '' : option.takes.join(' ');
  return [`    ${places.join(' | ')}) words='${words}' ;;`];
};

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const renderFish = (tree: CommandNode): string =>
  [
    'complete -c macfleet -f',
    ...flatten(tree).flatMap((node) => {
      const condition = conditionOf(tree, node);
      return [
        ...node.commands.map(
          (child) => `complete -c macfleet ${condition} -a ${nameOf(child)} -d ${quote(child.description)}`,
        ),
        ...node.options.map((option) => `complete -c macfleet ${condition} ${renderFishOption(option)}`),
      ];
    }),
    '',
  ].join('\n');

const conditionOf = (tree: CommandNode, { path, commands }: CommandNode): string => {
  const names = commands.map(nameOf).join(' ');
  const without = names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`];
  const within = path
    .split(' ')
    .slice(1)
    .map((name) => `__fish_seen_subcommand_from ${name}`);
  const tests = path === tree.path ? without : [...within, ...without];
  return `-n ${quote(tests.join('; and '))}`;
};

const renderFishOption = ({ long, short, description, takes }: OptionNode): string =>
  [
    ...(long === undefined ? [] : [`-l ${long.replace(/^--/, '')}`]),
    ...(short === undefined ? [] : [`-s ${short.replace(/^-/, '')}`]),
    ...(takes === 'nothing' ? [] : takes === 'value' ? ['-r -F'] : [`-x -a ${quote(takes.join(' '))}`]),
    `-d ${quote(description)}`,
  ].join(' ');
