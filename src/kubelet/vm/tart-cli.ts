/** One call is one run of the `tart` command: the words, how long they may take, and what a bad end means. */
import { FleetError } from '../../base/errors.ts';
import type { CommandPort, CommandResult } from '../host/command-port.ts';
import { toTartError } from './tart-errors.ts';

const MINUTE_MS = 60_000;

/** How long each may take, in milliseconds. What hangs is killed. */
export const TART_LIMITS_MS = {
  version: 30_000,
  list: 30_000,
  fqn: 30_000,
  pull: 20 * MINUTE_MS,
  clone: 5 * MINUTE_MS,
  set: MINUTE_MS,
  delete: 5 * MINUTE_MS,
  ip: 45_000,
} as const;

export interface TartCall {
  /** For messages: "tart clone". */
  readonly doing: string;
  readonly words: readonly string[];
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  readonly outputBytesMax?: number;
  readonly signal: AbortSignal;
}

export interface TartCli {
  readonly binary: string;
  /** Standard output. Throws what a bad end means. */
  ask(call: TartCall): Promise<string>;
  /** As it ended. Throws only when it could not run or did not end in time. */
  run(call: TartCall): Promise<CommandResult>;
}

export interface TartCliOptions {
  readonly commands: CommandPort;
  readonly binary: string;
}

export const createTartCli = ({ commands, binary }: TartCliOptions): TartCli => {
  const run: TartCli['run'] = async ({ doing, words, ...rest }) => {
    try {
      return await commands.run({ argv: [binary, ...words], ...rest });
    } catch (thrown) {
      throw toCallError(doing, binary, thrown);
    }
  };
  return {
    binary,
    run,
    ask: async (call) => {
      const result = await run(call);
      if (result.code !== 0) throw toTartError(call.doing, result);
      return result.stdout;
    },
  };
};

const toCallError = (doing: string, binary: string, thrown: unknown): unknown => {
  if (!(thrown instanceof FleetError)) return thrown;
  if (thrown.code === 'ProgramMissing') {
    return new FleetError('unavailable', {
      code: 'TartMissing',
      message: `${doing}: there is no tart at ${binary}`,
      hint: 'Install Tart on the Mac, or name its place with --tart-binary.',
      cause: thrown,
    });
  }
  if (thrown.code !== 'CommandTimedOut') return thrown;
  return new FleetError('unavailable', {
    code: 'TartHangs',
    message: `${doing}: ${thrown.message}`,
    hint: 'See what holds it up on the Mac: disk, network, or a dialog that waits for somebody.',
    cause: thrown,
  });
};
