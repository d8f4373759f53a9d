/** Which VMs run, by the processes of the Mac. A process counts by its program and its words, never by a part of its text. Pure. */
import type { ProcessInfo } from '../host/command-port.ts';

export interface VmProcess {
  readonly vm: string;
  readonly pid: number;
  readonly startedAtMs: number;
}

/** Options of `tart run` that are followed by a value. */
const WITH_VALUE = new Set([
  ...['--serial-path', '--disk', '--rosetta', '--dir', '--net-bridged', '--root-disk-opts', '--provisioning-opts'],
  ...['--net-softnet-allow', '--net-softnet-block', '--net-softnet-expose', '--net-softnet-control-fd'],
]);

export const findVmProcesses = (processes: readonly ProcessInfo[]): readonly VmProcess[] =>
  processes.flatMap(({ pid, startedAtMs, command }) => {
    const vm = vmOf(command.split(' '));
    return vm === undefined ? [] : [{ vm, pid, startedAtMs }];
  });

/** A shell that runs Tart's wrapper counts as Tart. */
const vmOf = (words: readonly string[]): string | undefined => {
  const [first = '', second = ''] = words;
  const at = isTart(first) ? 1 : isShell(first) && isTart(second) ? 2 : undefined;
  if (at === undefined || words[at] !== 'run') return undefined;
  return firstPositional(words.slice(at + 1));
};

const isTart = (word: string): boolean => /^(.*\/)?tart$/.test(word);
const isShell = (word: string): boolean => /^(.*\/)?(ba|z|da)?sh$/.test(word);

const firstPositional = (words: readonly string[]): string | undefined => {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) return word;
    if (WITH_VALUE.has(word)) at += 1;
  }
  return undefined;
};
