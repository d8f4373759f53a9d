/** The simulated `tart` as a program. Its home is TART_HOME, as of the real one; `run` is the process of a VM. */
import { join } from 'node:path';
import { createSystemClock } from '../../base/clock.ts';
import { createSystemRandom } from '../../base/random.ts';
import { askAgent } from './program/agent-socket.ts';
import { createDiskHome, vmFolder } from './program/disk-home.ts';
import { bootProcessGuest } from './program/guest-process.ts';
import { runTart } from './tart.ts';
import type { RunSignal, TartContext } from './tart-context.ts';
import type { TartHome } from './tart-home.ts';
import { loopbackOf } from './tart-settings.ts';

const { env } = process;
/** By which name it was called, and its words. */
const [program = 'tart', ...argv] = process.argv.slice(2);
const root = env['TART_HOME'] ?? join(env['HOME'] ?? '.', '.tart');
const clock = createSystemClock();
const disk = createDiskHome(root);
/** Where several Macs share one machine, each says where its guests are. */
const { SIM_TART_LOOPBACK: loopback } = env;
const settings: TartHome['settings'] = () => ({ ...disk.settings(), ...(loopback === undefined ? {} : { loopback }) });
const home: TartHome = { ...disk, settings };
const interrupt = new AbortController();
const listeners = new Set<(signal: RunSignal) => void>();

// Whoever looks for a VM's process looks for these words.
process.title = [program, ...argv].join(' ');
// The paths of sockets are short from here.
process.chdir(root);

for (const name of ['SIGINT', 'SIGUSR1', 'SIGUSR2'] as const) {
  process.on(name, () => {
    if (listeners.size === 0 && name === 'SIGINT') interrupt.abort();
    for (const listener of listeners) listener(name);
  });
}

const context: TartContext = {
  ...{ home, clock, env, random: createSystemRandom(), pid: process.pid, signal: interrupt.signal },
  out: (text) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
  err: (text) => process.stderr.write(text.endsWith('\n') ? text : `${text}\n`),
  onSignal: (listener) => listeners.add(listener),
  kill: (pid, signal) => process.kill(pid, signal),
  dieOf: (signal) => {
    process.kill(process.pid, signal);
    return new Promise(() => undefined);
  },
  boot: (boot) =>
    bootProcessGuest(
      { clock, env, folder: vmFolder(root, boot.vm), loopback: loopbackOf(settings(), boot.address) },
      boot,
    ),
  exec: (vm, words, io) => askAgent(vmFolder(root, vm), words, io),
};

process.exitCode = await runTart(context, argv);
// A VM that has ended leaves nothing behind, whatever still holds a handle.
process.exit();
