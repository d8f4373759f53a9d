/**
 * How a command is started on a Mac so that it can be ended again. sshd hands the line to the login shell, which may be any
 * and may print things of its own first; from there on it is /bin/bash (3.2 on macOS) and this script:
 *
 * - The command becomes the leader of a process group of its own (`set -m`; macOS has no setsid), and says which before its
 *   first byte of output. A second channel ends that group.
 * - A watcher ends the group when the time is up, or when sshd is gone because the connection is. So a process of ours that
 *   lost its lease, or its network, leaves nothing behind that goes on changing the Mac.
 * - What the command left running in its group ends with it, and cannot hold the channel open.
 *
 * A simulated Mac reads the same line by `parseRemoteLine`.
 */
import { parseWords, quoteWords } from './shell-words.ts';

const NAME_RUN = 'macfleet-run';
const NAME_KILL = 'macfleet-kill';

/** `$1` is the limit in seconds; the rest is the command. */
const RUN_SCRIPT = `set -m
limit=$1
shift
/bin/sh -c 'echo "<macfleet-run $$>"; exec "$@"' sh "$@" &
group=$!
exec 2>/dev/null
(
  while sleep 2; do
    limit=$((limit - 2))
    parent=$(ps -o ppid= -p $$)
    [ "$limit" -gt 0 ] && [ "$((parent))" -eq "$PPID" ] && continue
    kill -KILL -- "-$group"
    sudo -n kill -KILL -- "-$group"
    exit
  done
) </dev/null >/dev/null &
watcher=$!
wait "$group"
code=$?
kill -KILL -- "-$group" "-$watcher"
exit "$code"`;

/** First politely, so that temporary files are removed; after three seconds not so. Parts may belong to root. */
const KILL_SCRIPT = `to_group() {
  kill "$1" -- "-$2"
  sudo -n kill "$1" -- "-$2"
}
lives() { kill -0 -- "-$1" || sudo -n kill -0 -- "-$1"; }
exec >/dev/null 2>&1
to_group -TERM "$1"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  lives "$1" || exit 0
  sleep 0.3
done
to_group -KILL "$1"
exit 0`;

/** For shellcheck. */
export const REMOTE_SCRIPTS: Readonly<Record<string, string>> = { [NAME_RUN]: RUN_SCRIPT, [NAME_KILL]: KILL_SCRIPT };

/**
 * The words that run a script in bash, whatever the shell around it is. Under sshd bash reads the user's .bashrc for `-c`
 * too, each time, unless told not to.
 */
export const bashArgv = (script: string, words: readonly string[]): readonly string[] => [
  ...['/bin/bash', '--norc', '-c', script],
  ...words,
];

/** The words that follow the script, with the script; undefined for words that bashArgv did not make. */
export const parseBashArgv = ([path, norc, option, script, ...words]: readonly string[]) =>
  path === '/bin/bash' && norc === '--norc' && option === '-c' && script !== undefined ? { script, words } : undefined;

const inBash = (script: string, words: readonly string[]): string => `exec ${quoteWords(bashArgv(script, words))}`;

export interface RunLine {
  readonly argv: readonly string[];
  /** When the Mac itself ends the command. */
  readonly limitSeconds: number;
}

export const renderRunLine = ({ argv, limitSeconds }: RunLine): string =>
  inBash(RUN_SCRIPT, [NAME_RUN, String(limitSeconds), ...argv]);

export const renderKillLine = (group: number): string => inBash(KILL_SCRIPT, [NAME_KILL, String(group)]);

export type RemoteLine =
  | { readonly do: 'run'; readonly argv: readonly string[] }
  | { readonly do: 'kill'; readonly group: number };

/** Undefined for a line that is none of ours. */
export const parseRemoteLine = (line: string): RemoteLine | undefined => {
  if (!line.startsWith('exec ')) return undefined;
  const parsed = parseBashArgv(parseWords(line.slice('exec '.length)) ?? []);
  if (parsed === undefined) return undefined;
  const { script, words } = parsed;
  const [name, first, ...argv] = words;
  if (script === RUN_SCRIPT && name === NAME_RUN) return { do: 'run', argv };
  if (script === KILL_SCRIPT && name === NAME_KILL) return { do: 'kill', group: Number(first) };
  return undefined;
};

/** The first thing that a command's output says; before it stands only what the login shell said. */
export const renderMark = (group: number): string => `<macfleet-run ${group}>\n`;

const MARK = /<macfleet-run (\d+)>\n/;
/** Longer than any mark: what may be the beginning of one. */
export const MARK_LENGTH_MAX = 40;

export interface FoundMark {
  readonly group: number;
  /** Bytes up to and with the mark. */
  readonly length: number;
}

export const findMark = (bytes: Buffer): FoundMark | undefined => {
  const found = MARK.exec(bytes.toString('latin1'));
  return found === null ? undefined : { group: Number(found[1]), length: found.index + found[0].length };
};
