/** A started launcher, with what it and the fake commands under it say. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { type Stream, Writable } from 'node:stream';

/** Besides the usual three, one on which the fake commands tell what they do, and one on which gated ones wait. */
export const STREAMS: StdioOptions = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'];

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the stream's text so far matches; `commands` is what the fake commands tell. */
  saw(stream: 'stdout' | 'stderr' | 'commands', pattern: RegExp): Promise<void>;
  /** Resolves when its gated npm has started, which then waits for `openGate`. */
  npmStarted(): Promise<void>;
  openGate(): void;
  /** To the launcher and all it started, as a terminal does. Too late is no error. */
  killAll(signal: NodeJS.Signals): void;
}

export const watch = (child: ChildProcess): Running => {
  const text = { stdout: '', stderr: '', commands: '' };
  const [stdin, stdout, stderr, commands, gate] = child.stdio;
  const changed = new EventEmitter().setMaxListeners(0);
  const collect = (name: keyof typeof text, stream: Stream | null | undefined): void => {
    stream?.on('data', (chunk: Buffer) => {
      text[name] += chunk.toString();
      changed.emit('text');
    });
  };
  collect('stdout', stdout);
  collect('stderr', stderr);
  collect('commands', commands);
  if (stdin instanceof Writable) stdin.end();

  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, stdout: text.stdout, stderr: text.stderr }));
  });
  const saw = async (name: keyof typeof text, pattern: RegExp): Promise<void> => {
    const over = ended.then(() => 'over' as const);
    while (!pattern.test(text[name])) {
      const next = await Promise.race([once(changed, 'text'), over]);
      if (next === 'over') throw new Error(`ended without ${pattern} on ${name}: ${text.stdout}${text.stderr}`);
    }
  };
  return {
    process: child,
    ended,
    saw,
    npmStarted: () => saw('commands', /started/),
    openGate: () => {
      if (gate instanceof Writable) gate.end('go\n');
    },
    killAll: (signal) => {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      if (child.pid !== undefined && !isOver) process.kill(-child.pid, signal);
    },
  };
};
