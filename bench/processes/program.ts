/**
 * A program as people start it, through `./macfleet`, which becomes the process of the program. It ends with this process, also when that
 * is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FleetError } from '../../src/base/errors.ts';
import { until } from '../control-plane/until.ts';

export interface Program {
  readonly pid: number;
  isOver(): boolean;
  said(what: RegExp): boolean;
  /** From its start to the first line that says so, in milliseconds; not a number while there is none. */
  saidAfterMs(what: RegExp): number;
  until(what: RegExp): Promise<void>;
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
}

interface Line {
  readonly text: string;
  readonly afterMs: number;
}

const MACFLEET = fileURLToPath(new URL('../../macfleet', import.meta.url));
const GUARD = new URL('./ended-with-parent.ts', import.meta.url).href;

export const startMacfleet = (args: readonly string[], env: NodeJS.ProcessEnv = process.env): Program => {
  const guarded = { ...env, NODE_OPTIONS: `--import=${GUARD}` };
  const startedMs = performance.now();
  const child: ChildProcess = spawn(MACFLEET, args, { stdio: ['pipe', 'pipe', 'inherit'], env: guarded });
  const lines: Line[] = [];
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (text) =>
      lines.push({ text, afterMs: performance.now() - startedMs }),
    );
  const said = (what: RegExp): boolean => lines.some(({ text }) => what.test(text));
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: Number(child.pid),
    isOver,
    said,
    saidAfterMs: (what) => lines.find(({ text }) => what.test(text))?.afterMs ?? Number.NaN,
    until: (what) =>
      until(`macfleet ${args[0]} to say ${what.source}`, async () => {
        if (said(what) || !isOver()) return said(what);
        const message = `macfleet ${args[0]} ended: ${lines
          .slice(-3)
          .map(({ text }) => text)
          .join(' ')}`;
        throw new FleetError('unavailable', { code: 'BenchChildFailed', message });
      }),
    end: async (signal) => {
      if (isOver()) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
};
