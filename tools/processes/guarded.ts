/**
 * Child processes that never outlive us. Each is started by a shell that first leaves a watcher behind, on the other end
 * of a pipe that only this process holds. When the pipe ends, because we close it or because we are gone (kill -9
 * included), the watcher kills that one process, which the shell has become, and nothing else.
 *
 * They are in sessions of their own, so that Ctrl-C reaches us alone, and they do not keep our event loop alive.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { FleetError } from '../../src/base/errors.ts';

/** A line on the pipe means that the process has ended already: its number may belong to somebody else by then. */
const WATCHED = '(read -r _ <&3 || kill -KILL $$) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

/** Removes a folder into which processes that are just being killed may still write. */
const REMOVE_LATER =
  'read -r _ <&3; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$1" 2>/dev/null && exit 0; sleep 0.2; done; exit 1';

export interface GuardedCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As in node:child_process: a file number, or a pipe. */
  readonly stdin: 'ignore' | 'pipe';
  readonly output: 'pipe' | number;
}

export interface Guarded {
  readonly child: ChildProcess;
  /** Kills the process and settles when it has ended; nothing when it has already. */
  stop(): Promise<void>;
}

export const spawnGuarded = ({ path, args, env, stdin, output }: GuardedCommand): Guarded => {
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', path, ...args], {
    env: { ...env },
    stdio: [stdin, output, output, 'pipe'],
    detached: true,
  });
  const lifeline = lifelineOf(child);
  child.once('exit', () => lifeline.end('\n'));
  child.unref();
  return { child, stop: () => stopAt(child, lifeline) };
};

/** Removes the folder when `stop` is called, or when we are gone. */
export const guardDirectory = (dir: string): Guarded => {
  const child = spawn('/bin/sh', ['-c', REMOVE_LATER, 'sh', dir], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const lifeline = lifelineOf(child);
  child.unref();
  return { child, stop: () => stopAt(child, lifeline) };
};

const lifelineOf = (child: ChildProcess): Socket => {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket))
    throw new FleetError('bug', { code: 'NoLifeline', message: 'the pipe to a child is no pipe' });
  // The watcher may end first; what is written then is of no interest to anybody.
  pipe.on('error', () => undefined);
  pipe.unref();
  return pipe;
};

const stopAt = async (child: ChildProcess, lifeline: Socket): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const gone = once(child, 'exit');
  lifeline.destroy();
  await gone;
};
