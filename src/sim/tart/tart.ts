/** The simulated `tart` command: one call is one invocation, from its words to its exit code. */
import { sleep } from '../../base/clock.ts';
import { isKind, messageOf } from '../../base/errors.ts';
import { clone, remove, rename, set } from './commands/change.ts';
import { pull } from './commands/pull.ts';
import { exec, ip, stop, suspend } from './commands/reach.ts';
import { run } from './commands/run.ts';
import { fqn, get, list } from './commands/show.ts';
import { create, login, logout, prune, push } from './commands/store.ts';
import type { TartContext } from './tart-context.ts';
import { foreignError, TartFailure, usageError } from './tart-failure.ts';

type Subcommand = (context: TartContext, argv: readonly string[]) => number | Promise<number>;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  ...{ create, clone, run, set, get, list, login, logout, ip, exec, pull, push, prune, rename, stop },
  ...{ delete: remove, fqn, suspend },
};

const FOREVER_MS = 24 * 3_600_000;
const INTERRUPTED = 130;

export const runTart = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  try {
    return await dispatch(context, argv);
  } catch (thrown) {
    if (context.signal.aborted && isKind(thrown, 'cancelled')) return INTERRUPTED;
    const failure = thrown instanceof TartFailure ? thrown : foreignError(messageOf(thrown));
    context.err(failure.text);
    return failure.exitCode;
  }
};

const dispatch = async (context: TartContext, [verb = '', ...argv]: readonly string[]): Promise<number> => {
  const settings = context.home.settings();
  if (settings.hangs.includes(verb)) await sleep(context.clock, FOREVER_MS, context.signal);
  if (settings.garbles.includes(verb)) {
    context.out('{"Name" : "half a li');
    return 0;
  }
  if (verb === '--version') {
    context.out(settings.version);
    return 0;
  }
  if (verb === '--help' || verb === '') {
    context.out(`USAGE: tart <subcommand>\n\nSUBCOMMANDS:\n  ${Object.keys(SUBCOMMANDS).join('\n  ')}`);
    return 0;
  }
  const subcommand = SUBCOMMANDS[verb];
  if (subcommand === undefined) {
    throw usageError(`Unexpected argument '${verb}'`, { command: '', line: 'tart <subcommand>' });
  }
  return subcommand(context, argv);
};
