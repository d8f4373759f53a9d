/** The process around an entry point: its words, its streams, and the wish of a person or the system that it stops. */
import { cancelled } from '../src/base/errors.ts';
import type { CliIo } from '../src/cli/io.ts';
import { readerGone } from '../src/cli/reader-gone.ts';
import { reportFailure } from '../src/cli/report-failure.ts';

export interface OpenedProcess {
  /** What was typed after the program's name. */
  readonly args: readonly string[];
  readonly io: CliIo;
  /** Aborts the signal, as a person would. */
  stop(): void;
}

export interface ProcessWish {
  /** A controller works on although nobody reads its log; what is shown to a person stops, in order, when the person looks away. */
  readonly unread: 'go-on' | 'stop';
}

/** To be called once: from then on SIGINT and SIGTERM abort the signal, the second of a kind ends the process, and a reader that went away (`… | head`) is no error. */
export const openProcess = ({ unread }: ProcessWish = { unread: 'go-on' }): OpenedProcess => {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    let isAsked = false;
    // Listened to on: with `once` a second one that came before the first was heard, as while modules load, would be lost.
    process.on(name, () => {
      if (isAsked) endBy(name);
      isAsked = true;
      stopping.abort(cancelled(`stopped by ${name}`));
    });
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (unread === 'stop') stopping.abort(readerGone());
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    args: process.argv.slice(2),
    io: {
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
      get stdin() {
        return process.stdin;
      },
      env: process.env,
      platform: process.platform,
      isTerminal: process.stdout.isTTY === true,
      get columns() {
        return process.stdout.columns;
      },
      get rows() {
        return process.stdout.rows;
      },
      signal: stopping.signal,
    },
    stop: () => stopping.abort(),
  };
};

/** As if nobody had listened. */
const endBy = (name: NodeJS.Signals): void => {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
};

/** One life of a program: its failure is told and becomes the exit code; at its end everything it opened is closed. */
export const runToEnd = async (
  { args, io, stop }: OpenedProcess,
  run: (closing: AsyncDisposableStack) => Promise<void>,
): Promise<void> => {
  const closing = new AsyncDisposableStack();
  try {
    await run(closing);
  } catch (error) {
    process.exitCode = reportFailure({ args, io }, error);
  } finally {
    stop();
    await closing.disposeAsync();
  }
};
