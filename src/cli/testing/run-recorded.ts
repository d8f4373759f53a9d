/** One command from its start to its end, in this process, with everything it said. */
import { runCli } from '../run-cli.ts';

export interface Recorded {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const runRecorded = async (
  args: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<Recorded> => {
  const said = { stdout: '', stderr: '' };
  const io = {
    stdout: (text: string) => {
      said.stdout += text;
    },
    stderr: (text: string) => {
      said.stderr += text;
    },
    env: {},
    signal,
  };
  const exitCode = await runCli({ args, version: '1.2.3', io });
  return { exitCode, ...said };
};
