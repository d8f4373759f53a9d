/** Commands of a simulated Mac, with the shape of the agent's port for commands. */
import { throwIfAborted, withTimeLimit } from '../../../base/abort.ts';
import { FleetError } from '../../../base/errors.ts';
import type { MemoryFiles } from './memory-files.ts';
import { createTartProcesses, type TartProcesses, type TartProcessPorts } from './tart-process.ts';

export interface StepCommand {
  readonly argv: readonly [program: string, ...words: readonly string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly onLine?: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface StepRecordedProgram {
  readonly argv: readonly [program: string, ...words: readonly string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly recordDir: string;
  readonly logPath: string;
}

export interface CommandEnd {
  readonly code?: number;
  readonly killedBy?: string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StepCommandsOptions extends TartProcessPorts {
  readonly tartBinary: string;
  /** Commands that are not Tart's, such as `launchctl`. Undefined: there is no such program. */
  readonly otherCommand?: (argv: readonly string[]) => Promise<CommandEnd> | undefined;
}

export type StepCommands = ReturnType<typeof createStepCommands>;

const SHELL_CODES: Readonly<Record<string, number>> = { SIGKILL: 137, SIGTERM: 143 };

export const createStepCommands = (options: StepCommandsOptions) => {
  const { processes, files, tartBinary } = options;
  const tarts = createTartProcesses(options);
  const isThere = (program: string): boolean => program === tartBinary && !options.home.settings().isMissing;
  return {
    run: async (command: StepCommand): Promise<CommandEnd> => {
      throwIfAborted(command.signal);
      const [program] = command.argv;
      const other = program === tartBinary ? undefined : options.otherCommand?.(command.argv);
      if (other !== undefined) return other;
      if (!isThere(program)) throw noProgram(program);
      return runWithin(options, tarts, command);
    },
    startRecorded: async ({ argv: [program, ...words], env = {}, recordDir, logPath }: StepRecordedProgram) => {
      if (!isThere(program)) throw noProgram(program);
      const { signal } = new AbortController();
      const log = (line: string): void => files.now.append(logPath, keepSecret(files, recordDir, line));
      const { pid, done } = tarts.start({ words, env, out: log, err: log, signal });
      files.now.write(`${recordDir}/pid`, `${pid}\n`);
      void done.then((end) => {
        if (processes.isLost(pid) || !files.now.has(recordDir)) return;
        files.now.write(`${recordDir}/exit`, `${typeof end === 'number' ? end : (SHELL_CODES[end] ?? 1)}\n`);
      });
    },
    processes: async (signal: AbortSignal) => {
      throwIfAborted(signal);
      return processes.list().map(({ pid, startedAtMs, command }) => ({ pid, startedAtMs, command }));
    },
    losePower: tarts.losePower,
    isAlive: (pid: number) => processes.isAlive(pid),
    kill: (pid: number, signal: string) => processes.kill(pid, signal),
  };
};

const runWithin = async (
  { clock }: StepCommandsOptions,
  tarts: TartProcesses,
  { argv: [program, ...words], env = {}, timeoutMs, signal, onLine }: StepCommand,
): Promise<CommandEnd> => {
  const text = { stdout: '', stderr: '' };
  const out = (line: string): void => {
    text.stdout += line;
    for (const whole of line.split('\n').slice(0, -1)) onLine?.(whole);
  };
  const err = (line: string): void => {
    text.stderr += line;
  };
  const limit = { clock, timeoutMs, signal, doing: `${program} ${words[0] ?? ''}` };
  const end = await asCommandLimit(
    withTimeLimit(limit, async (limited) => {
      const ended = await tarts.start({ words, env, out, err, signal: limited }).done;
      throwIfAborted(limited);
      return ended;
    }),
  );
  return typeof end === 'number' ? { code: end, ...text } : { killedBy: end, ...text };
};

const noProgram = (program: string): FleetError =>
  new FleetError('not-found', { code: 'ProgramMissing', message: `there is no program ${program}` });

/** A limit of the clock is told as the agent's port tells it. */
const asCommandLimit = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof FleetError) || thrown.code !== 'DeadlineExceeded') throw thrown;
    throw new FleetError('unavailable', { code: 'CommandTimedOut', message: thrown.message, details: thrown.details });
  }
};

/** The address of a screen goes into a file of its own; the log shows it without the password. */
const keepSecret = (files: MemoryFiles, recordDir: string, line: string): string => {
  const address = /vnc:\/\/(.*@.*)$/.exec(line.trimEnd())?.[1];
  if (address === undefined) return line;
  files.now.write(`${recordDir}/vnc`, `${address}\n`);
  return line.replace(/vnc:\/\/.*@/, 'vnc://:REDACTED@');
};
