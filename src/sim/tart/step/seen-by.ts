/**
 * A simulated Mac as an actor of the kernel sees it. Every command and every change of a file is a call: the actor may be
 * killed before its effect and before its answer, and what it started on the Mac goes on.
 */
import type { Actor } from '../../kernel/actor.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { StepCommand, StepCommands, StepRecordedProgram } from './step-commands.ts';
import type { StepMac } from './step-mac.ts';

export type SeenMac = Pick<StepMac, 'measureDisk'> & {
  readonly commands: Omit<StepCommands, 'losePower'>;
  readonly files: Omit<MemoryFiles, 'now' | 'losePower'>;
};

export const seenBy = (actor: Actor, mac: StepMac): SeenMac => ({
  commands: seeCommands(actor, mac.commands),
  files: seeFiles(actor, mac.files),
  measureDisk: (path) => actor.call({ site: 'mac:disk', effect: () => mac.measureDisk(path) }),
});

const seeCommands = (actor: Actor, commands: StepCommands): SeenMac['commands'] => ({
  run: (command: StepCommand) => {
    const { argv, onLine, signal } = command;
    const heard = inOrder(actor, onLine ?? (() => undefined));
    const effect = () => commands.run(onLine === undefined ? command : { ...command, onLine: heard });
    return actor.call({ site: `mac:${nameOf(argv)}`, effect, signal });
  },
  startRecorded: (program: StepRecordedProgram) =>
    actor.call({ site: `mac:${nameOf(program.argv)}`, effect: () => commands.startRecorded(program) }),
  processes: (signal: AbortSignal) => actor.call({ site: 'mac:ps', effect: () => commands.processes(signal), signal }),
  isAlive: commands.isAlive,
  kill: commands.kill,
});

/** Timers of one moment go off in any order; lines keep theirs. */
const inOrder = (actor: Actor, listener: (line: string) => void): ((line: string) => void) => {
  const waiting: string[] = [];
  return (line) => {
    waiting.push(line);
    actor.clock.schedule(0, () => {
      const next = waiting.shift();
      if (next !== undefined) listener(next);
    });
  };
};

const nameOf = ([program, verb = '']: readonly [string, ...(readonly string[])]): string =>
  `${program.slice(program.lastIndexOf('/') + 1)} ${verb}`.trim();

const seeFiles = (actor: Actor, files: MemoryFiles): SeenMac['files'] => {
  const change = <T>(what: string, effect: () => Promise<T>): Promise<T> =>
    actor.call({ site: `mac:file ${what}`, effect });
  return {
    readText: files.readText,
    readTail: files.readTail,
    readBytes: files.readBytes,
    list: files.list,
    look: files.look,
    writeText: (...written: Parameters<MemoryFiles['writeText']>) => change('write', () => files.writeText(...written)),
    appendText: (path: string, text: string) => change('append', () => files.appendText(path, text)),
    makeDirectory: (path: string) => change('make', () => files.makeDirectory(path)),
    remove: (path: string) => change('remove', () => files.remove(path)),
    rename: (from: string, to: string) => change('rename', () => files.rename(from, to)),
    moveContent: (from: string, to: string) => change('move', () => files.moveContent(from, to)),
    watch: (directory: string, onChange: () => void) =>
      files.watch(directory, () => void actor.clock.schedule(0, onChange)),
  };
};
