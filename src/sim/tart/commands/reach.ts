/** `stop`, `suspend`, `ip` and `exec`: what is done to a VM that runs. */
import { sleep } from '../../../base/clock.ts';
import { parseWords } from '../arguments.ts';
import type { TartContext } from '../tart-context.ts';
import { notRunning, runtimeError } from '../tart-failure.ts';
import { vmFaultsOf } from '../tart-settings.ts';
import { openVm } from './show.ts';

const STOP_POLL_MS = 100;
const IP_POLL_MS = 1_000;
const FOREVER_MS = 24 * 3_600_000;

export const stop = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  const words = parseWords({ command: 'stop', positionals: ['name'], options: ['--timeout'] }, argv);
  const [name = ''] = words.positionals;
  const { home, clock, signal, kill } = context;
  const vm = openVm(context, name);
  const holder = home.holderOf(name);
  if (holder === undefined) {
    if (!vm.isSuspended) throw notRunning(name);
    home.putVm(name, { ...vm, isSuspended: false });
    return 0;
  }
  if (vmFaultsOf(home.settings(), name).stopHangs === true) await sleep(clock, FOREVER_MS, signal);
  kill(holder, 'SIGINT');
  const deadlineMs = clock.elapsed() + Number(words.option('--timeout') ?? 30) * 1_000;
  while (home.holderOf(name) === holder && clock.elapsed() < deadlineMs) await sleep(clock, STOP_POLL_MS, signal);
  if (home.holderOf(name) === holder) kill(holder, 'SIGKILL');
  return 0;
};

export const suspend = (context: TartContext, argv: readonly string[]): number => {
  const [name = ''] = parseWords({ command: 'suspend', positionals: ['name'] }, argv).positionals;
  openVm(context, name);
  const holder = context.home.holderOf(name);
  // Tart wraps its own sentence into itself.
  if (holder === undefined) throw notRunning(`VM "${name}" is not running`);
  context.kill(holder, 'SIGUSR1');
  return 0;
};

/** By the lease of its MAC address: a VM that is gone still answers. */
export const ip = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  const words = parseWords({ command: 'ip', positionals: ['name'], options: ['--wait', '--resolver'] }, argv);
  const [name = ''] = words.positionals;
  const { home, clock, signal, out } = context;
  openVm(context, name);
  const deadlineMs = clock.elapsed() + Number(words.option('--wait') ?? 0) * 1_000;
  do {
    const { macAddress } = openVm(context, name);
    const lease = home.leases().find((held) => held.macAddress === macAddress);
    if (lease !== undefined) {
      out(lease.address);
      return 0;
    }
    await sleep(clock, IP_POLL_MS, signal);
  } while (clock.elapsed() < deadlineMs);
  const isRunning = home.holderOf(name) !== undefined;
  throw runtimeError(`no IP address found${isRunning ? '' : ', is your VM running?'}`);
};

export const exec = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  const grammar = {
    command: 'exec',
    positionals: ['name', 'command'],
    takesRest: true,
    flags: ['--interactive', '-t', '--tty'],
  };
  const [name = '', ...command] = parseWords(grammar, argv).positionals;
  const { home, out, err } = context;
  openVm(context, name);
  if (home.holderOf(name) === undefined) throw notRunning(name);
  const code = await context.exec(name, command, { out, err });
  if (code !== undefined) return code;
  const why = 'The operation couldn’t be completed. (Network.NWError error 61 - Connection refused)';
  throw runtimeError(`Failed to connect to the VM using its control socket: ${why}, is the Tart Guest Agent running?`);
};
