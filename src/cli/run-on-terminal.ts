/** Adapter: another program in the place of this one, on the person's own terminal. */
import { spawn } from 'node:child_process';

/** Its exit code. Whoever stops this program stops that one. Rejects when it cannot be started. */
export const runOnTerminal = (program: string, args: readonly string[], signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    const stop = (): void => void child.kill();
    signal.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    child.on('close', (exitCode) => {
      signal.removeEventListener('abort', stop);
      resolve(exitCode ?? 1);
    });
  });
