/**
 * How a guest runs what a Pod's container says: a script in the share, which any guest agent can start, and which goes on
 * without us. Images that bring their own work (a runner's dispatch loop) have Pods without a command. Pure.
 */
import type { Container } from '../../kube/types/pod.ts';
import { expandVariables } from './expand-variables.ts';

export const COMMAND_FILE = 'command.sh';

export const hasCommand = ({ command = [], args = [] }: Container): boolean => command.length + args.length > 0;

/** A word that any shell reads back as it is. */
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Sets the environment and becomes the container's command. Arguments without a command go to the guest's shell, as an
 * image's entry point would get them.
 */
export const renderCommandFile = (
  { command = [], args = [], workingDir }: Container,
  env: ReadonlyMap<string, string>,
): string => {
  const words = [...(command.length > 0 ? command : ['/bin/sh']), ...args].map((word) => expandVariables(word, env));
  const odd = [...env].filter(([name]) => !isForShells(name)).map(([name, value]) => quote(`${name}=${value}`));
  return [
    '#!/bin/sh',
    ...[...env].filter(([name]) => isForShells(name)).map(([name, value]) => `export ${name}=${quote(value)}`),
    ...(workingDir === undefined ? [] : [`cd ${quote(workingDir)} || exit 126`]),
    ...(odd.length === 0 ? [] : [`exec /usr/bin/env -- ${odd.join(' ')} \\`]),
    `${odd.length === 0 ? 'exec ' : ''}${words.map(quote).join(' ')}`,
    '',
  ].join('\n');
};

/**
 * Names that a shell can export. Kubernetes has others (the keys of a Secret: `tls.crt`), at which dash ends and which bash loses, and some
 * that shells keep for themselves and do not let anybody set: `env` sets those. Its words can be seen in the guest, and only there.
 */
const isForShells = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEPT_BY_SHELLS.has(name);

const KEPT_BY_SHELLS: ReadonlySet<string> = new Set(
  '_ UID EUID PPID GROUPS RANDOM SECONDS LINENO OPTIND OPTERR FUNCNAME DIRSTACK SHELLOPTS BASHOPTS BASH_VERSINFO'.split(
    ' ',
  ),
);

/**
 * Starts the script once, however often it is asked to, and returns at once. The script's output and exit code go to
 * the status share; the agent sees the code there and switches the VM off. `set -m` gives the script a process group of
 * its own, which outlives the one that asked; bash can do that without a terminal.
 */
export const LAUNCHER = `
shares="\${SHARES:-/Volumes/My Shared Files}"
test -d "$shares/status" || exit 1
mkdir "$shares/status/launched" 2>/dev/null || exit 0
set -m
nohup /bin/sh -c '
  /bin/sh "$0/env/${COMMAND_FILE}" >>"$0/status/runner.log" 2>&1
  code=$?
  printf %s "$code" >"$0/status/runner-rc.part" && mv "$0/status/runner-rc.part" "$0/status/runner-rc"
' "$shares" >/dev/null 2>&1 </dev/null &
`;
