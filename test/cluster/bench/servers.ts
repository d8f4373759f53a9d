/** The long-running processes of one cluster: started with a log file each, watched while others wait for them. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';
import { FleetError } from '../../../src/base/errors.ts';
import { type Guarded, spawnGuarded } from '../../../tools/processes/guarded.ts';

export interface ServerCommand {
  /** Of the log file and in messages; one process per name. */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Servers {
  start(command: ServerCommand): void;
  /** Kills it, without a chance to say goodbye. */
  stop(name: string): Promise<void>;
  /** To one that runs. */
  signal(name: string, signal: NodeJS.Signals): void;
  stopAll(): Promise<void>;
  /**
   * Asks again and again until `isSo` says true. Ends with an error at the deadline, or when one of the processes dies;
   * `what` is the thing waited for: "kube-apiserver to be ready".
   */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** Throws the error of the first process that has died. */
  checkAlive(): void;
}

const POLL_MS = 50;
const LOG_LINES_SHOWN = 12;
const LINE_LENGTH_SHOWN = 400;

export const createServers = (logDir: string, readyMs: number): Servers => {
  const clock = createSystemClock();
  const running = new Map<string, Guarded>();
  const logOf = (name: string): string => join(logDir, `${name}.log`);

  const start = ({ name, path, args, env = {} }: ServerCommand): void => {
    const log = openSync(logOf(name), 'a');
    try {
      running.set(name, spawnGuarded({ path, args, env, stdin: 'ignore', output: log }));
    } finally {
      closeSync(log);
    }
  };
  const stop = async (name: string): Promise<void> => {
    const server = running.get(name);
    running.delete(name);
    await server?.stop();
  };
  const checkAlive = (): void => {
    for (const [name, { child }] of running) {
      if (child.exitCode !== null || child.signalCode !== null) throw died(name, child, logOf(name));
    }
  };
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    const deadlineMs = clock.elapsed() + readyMs;
    while (!(await isSo())) {
      checkAlive();
      if (clock.elapsed() > deadlineMs) throw late({ what, readyMs, logs: [...running.keys()].map(logOf) });
      await sleep(clock, POLL_MS, neverAborted());
    }
  };
  return {
    start,
    stop,
    signal: (name, signal) => {
      running.get(name)?.child.kill(signal);
    },
    until,
    checkAlive,
    stopAll: async () => {
      await Promise.all([...running.keys()].map(stop));
    },
  };
};

interface ExitStatus {
  readonly exitCode: number | null;
  readonly signalCode: string | null;
}

const died = (name: string, { exitCode, signalCode }: ExitStatus, log: string): FleetError => {
  const how = exitCode === null ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`;
  const tail = readTail(log);
  return new FleetError('unavailable', {
    code: /address already in use/.test(tail) ? 'PortTaken' : 'ClusterProcessDied',
    message: `${name} ${how}; its log ends:\n${tail}`,
    hint: 'Set MACFLEET_KEEP=1 to keep the whole log.',
  });
};

interface Lateness {
  readonly what: string;
  readonly readyMs: number;
  readonly logs: readonly string[];
}

const late = ({ what, readyMs, logs }: Lateness): FleetError =>
  new FleetError('unavailable', {
    code: 'ClusterNotReady',
    message: `waited ${readyMs / 1_000} s for ${what}; the logs end:\n${logs.map(readTail).join('\n')}`,
    hint: 'Is the machine busy? Set MACFLEET_KEEP=1 to keep the logs.',
  });

const readTail = (log: string): string =>
  readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-LOG_LINES_SHOWN)
    .map((line) => `  ${line.slice(0, LINE_LENGTH_SHOWN)}`)
    .join('\n');
