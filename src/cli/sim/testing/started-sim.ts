/** `macfleet sim …` started, watched and stopped as a person does it. */
import assert from 'node:assert/strict';
import { runCli } from '../../run-cli.ts';

export interface StartedSim {
  /** What the welcome says behind this word. */
  told(word: string): string;
  out(): string;
  err(): string;
  readonly ended: Promise<number>;
  /** It says how to stop it, or has ended. */
  readonly ready: Promise<unknown>;
  stop(): void;
}

export const startSim = (args: readonly string[]): StartedSim => {
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  let [stdout, stderr] = ['', ''];
  const io = {
    stdout: (text: string) => {
      stdout += text;
      if (stdout.includes('Ctrl-C stops it.')) ready.resolve();
    },
    stderr: (text: string) => {
      stderr += text;
    },
    env: {},
    signal: stopping.signal,
  };
  const ended = runCli({ args: ['sim', ...args], version: '1.2.3', io });
  return {
    told: (word) => new RegExp(`${word}[=:]\\s*(\\S+)`).exec(stdout)?.[1] ?? '',
    out: () => stdout,
    err: () => stderr,
    ended,
    ready: Promise.race([ready.promise, ended]),
    stop: () => stopping.abort(),
  };
};

/** Runs the command, the body as soon as it says how to stop it, and stops it: all without a word of an error. */
export const runSim = async (args: readonly string[], body: (sim: StartedSim) => Promise<void>): Promise<string> => {
  const sim = startSim(args);
  await sim.ready;
  assert.equal(sim.err(), '');
  try {
    await body(sim);
  } finally {
    sim.stop();
  }
  assert.equal(await sim.ended, 0, sim.err());
  return sim.out();
};
