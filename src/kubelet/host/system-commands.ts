/** The real CommandPort: child processes. A program that is given up is interrupted first, so that it can tidy up. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { kill as killProcess } from 'node:process';
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { boundedText } from './bounded-text.ts';
import type { Command, CommandPort, CommandResult, ProcessSignal } from './command-port.ts';
import { parseProcesses } from './process-table.ts';
import { RECORDED_RUN } from './recorded-run.ts';

export interface SystemCommandsOptions {
  readonly clock: Clock;
  /** The environment that every program starts from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const OUTPUT_BYTES = 1024 * 1024;
/** Between the interrupt and the kill, and again until we stop listening to what it left behind. */
const PATIENCE_MS = 2_000;
const PROCESS_LIST_MS = 10_000;

export const createSystemCommands = (options: SystemCommandsOptions): CommandPort => {
  const port: CommandPort = {
    run: (command) => run(options, command),
    startRecorded: async ({ argv, env, recordDir, logPath }) => {
      const words = ['-c', RECORDED_RUN, 'tart-run-record', recordDir, logPath, ...argv];
      const child = start(options, { argv: ['/bin/sh', ...words], ...(env === undefined ? {} : { env }) }, 'ignore');
      await hasStarted(child, '/bin/sh');
      child.unref();
    },
    processes: async (signal) => {
      const { code, stdout, stderr } = await port.run({
        // One option per column: macOS takes everything after an equals sign for the title of that column.
        argv: ['ps', '-axww', '-o', 'pid=', '-o', 'lstart=', '-o', 'command='],
        env: { LC_ALL: 'C', TZ: 'UTC' },
        timeoutMs: PROCESS_LIST_MS,
        outputBytesMax: 16 * OUTPUT_BYTES,
        signal,
      });
      if (code === 0) return parseProcesses(stdout);
      throw new FleetError('unavailable', {
        code: 'ProcessListFailed',
        message: `ps ended with ${code ?? 'a signal'}: ${stderr.trim()}`,
      });
    },
    isAlive: (pid) => send(pid, 0),
    kill: send,
  };
  return port;
};

const start = (
  { env }: SystemCommandsOptions,
  { argv: [program, ...words], env: more }: Pick<Command, 'argv' | 'env'>,
  stdio: StdioOptions,
): ChildProcess => spawn(program, words, { detached: true, env: { ...env, ...more }, stdio });

const hasStarted = (child: ChildProcess, program: string): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause: NodeJS.ErrnoException) => reject(notStarted(program, cause)));
  });

const notStarted = (program: string, cause: NodeJS.ErrnoException): FleetError => {
  const isMissing = cause.code === 'ENOENT';
  return new FleetError(isMissing ? 'not-found' : 'unavailable', {
    code: isMissing ? 'ProgramMissing' : 'ProgramNotStarted',
    message: isMissing ? `there is no program ${program}` : `${program} could not be started: ${cause.message}`,
    cause,
  });
};

/** Whether there was a process to send it to; one of another user counts. */
const send = (pid: number, signal: ProcessSignal | 0): boolean => {
  try {
    return killProcess(pid, signal);
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
};

const run = async (options: SystemCommandsOptions, command: Command): Promise<CommandResult> => {
  if (command.signal.aborted) throw reasonOf(command.signal);
  const child = start(options, command, 'pipe');
  const started = hasStarted(child, command.argv[0]);
  const streams = collect(child, command);
  // A program need not read what it is given.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(command.stdin ?? '');
  await started;
  const leash = holdOnLeash(options.clock, child, command);
  try {
    const end = await endOf(options.clock, child);
    if (leash.reason !== undefined) throw leash.reason;
    return { ...end, ...streams() };
  } finally {
    leash.release();
  }
};

const collect = (child: ChildProcess, { outputBytesMax = OUTPUT_BYTES, onLine }: Command) => {
  const stdout = boundedText(outputBytesMax, onLine);
  const stderr = boundedText(outputBytesMax);
  child.stdout?.on('data', stdout.add);
  child.stderr?.on('data', stderr.add);
  return () => ({ stdout: stdout.end(), stderr: stderr.end() });
};

/** Ends when its streams have, or shortly after the program when somebody it left behind keeps them open. */
const endOf = (clock: Clock, child: ChildProcess): Promise<Pick<CommandResult, 'code' | 'killedBy'>> =>
  new Promise((resolve) => {
    let stopWaiting = (): void => undefined;
    child.once('exit', () => {
      stopWaiting = clock.schedule(PATIENCE_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
    });
    child.once('close', (code, killedBy) => {
      stopWaiting();
      resolve({ ...(code === null ? {} : { code }), ...(killedBy === null ? {} : { killedBy }) });
    });
  });

interface Leash {
  readonly reason: FleetError | undefined;
  release(): void;
}

/** Ends the program and its children at the deadline or the abort, and remembers why. */
const holdOnLeash = (clock: Clock, child: ChildProcess, { signal, timeoutMs, argv }: Command): Leash => {
  let reason: FleetError | undefined;
  let cancelKill = (): void => undefined;
  const give = (why: FleetError): void => {
    if (reason !== undefined) return;
    reason = why;
    const group = -(child.pid ?? 0);
    if (group === 0) return;
    send(group, 'SIGINT');
    cancelKill = clock.schedule(PATIENCE_MS, () => send(group, 'SIGKILL'));
  };
  const onAbort = (): void => give(reasonOf(signal));
  const cancelTimer = clock.schedule(timeoutMs, () => give(tookTooLong(argv, timeoutMs)));
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    get reason() {
      return reason;
    },
    release: () => {
      cancelTimer();
      cancelKill();
      signal.removeEventListener('abort', onAbort);
    },
  };
};

const reasonOf = ({ reason }: AbortSignal): FleetError =>
  reason instanceof FleetError
    ? reason
    : new FleetError('cancelled', { code: 'Cancelled', message: 'the work was cancelled' });

const tookTooLong = ([program, verb = '']: Command['argv'], timeoutMs: number): FleetError =>
  new FleetError('unavailable', {
    code: 'CommandTimedOut',
    message: `${`${program} ${verb}`.trim()} took longer than ${timeoutMs} ms and was killed`,
    details: { timeoutMs },
  });
