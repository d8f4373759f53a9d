/** Runs of the simulated `tart` as processes of a Mac on the virtual clock: they have a pid, take signals, and hold VMs. */
import { linkedController } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { GuestPrograms } from '../guest.ts';
import { runTart } from '../tart.ts';
import type { RunSignal, TartContext } from '../tart-context.ts';
import type { TartHome } from '../tart-home.ts';
import type { MemoryFiles } from './memory-files.ts';
import { bootStepGuest, type StepGuest } from './step-guest.ts';
import type { StepProcesses } from './step-processes.ts';

export interface TartProcessPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly home: TartHome;
  readonly files: MemoryFiles;
  readonly processes: StepProcesses;
  readonly tartHome: string;
  readonly guestPrograms?: GuestPrograms;
}

export interface TartInvocation {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Its abort is an interrupt. */
  readonly signal: AbortSignal;
}

export interface TartProcess {
  readonly pid: number;
  /** Its code, or the signal that ended it. */
  readonly done: Promise<number | string>;
}

export interface TartProcesses {
  start(invocation: TartInvocation): TartProcess;
  /** What runs is gone at once, and its guests end without a word. */
  losePower(): void;
}

export const createTartProcesses = (ports: TartProcessPorts): TartProcesses => {
  const { processes } = ports;
  const guests = new Map<string, StepGuest>();
  return {
    start: (invocation) => {
      const { words, signal } = invocation;
      const { promise: killed, resolve: onKilled } = Promise.withResolvers<string>();
      const listeners = new Set<(which: RunSignal) => void>();
      const interrupt = linkedController(signal);
      const onSignal = (which: string): void => {
        if (!isRunSignal(which)) return;
        if (listeners.size === 0 && which === 'SIGINT') interrupt.abort();
        for (const listener of listeners) listener(which);
      };
      const { pid, end } = processes.start({ command: `tart ${words.join(' ')}`, onSignal, onKilled });
      const context = contextOf(ports, { ...invocation, signal: interrupt.signal, pid, guests, listeners });
      const finished = runTart(context, words).finally(end);
      // A VM dies with its process.
      void killed.then(() => guests.get(words[1] ?? '')?.powerOff());
      return { pid, done: Promise.race([finished, killed]).finally(() => interrupt.release()) };
    },
    losePower: () => {
      processes.loseAll();
      for (const guest of guests.values()) guest.powerOff();
    },
  };
};

const isRunSignal = (signal: string): signal is RunSignal =>
  signal === 'SIGINT' || signal === 'SIGUSR1' || signal === 'SIGUSR2';

interface Started extends TartInvocation {
  readonly pid: number;
  readonly guests: Map<string, StepGuest>;
  readonly listeners: Set<(signal: RunSignal) => void>;
}

const withEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

const contextOf = (ports: TartProcessPorts, started: Started): TartContext => {
  const { clock, random, home, files, processes, tartHome, guestPrograms: programs = {} } = ports;
  const { pid, env, out, err, guests, listeners, signal } = started;
  return {
    ...{ home, clock, random, env, pid, signal },
    out: (text) => out(withEnd(text)),
    err: (text) => err(withEnd(text)),
    onSignal: (listener) => listeners.add(listener),
    kill: (target, which) => void processes.kill(target, which),
    dieOf: (which) => {
      processes.kill(pid, which);
      return new Promise(() => undefined);
    },
    boot: (boot) => {
      const socket = `${tartHome}/vms/${boot.vm}/control.sock`;
      files.now.makeFolder(`${tartHome}/vms/${boot.vm}`);
      files.now.write(socket, '');
      const guest = bootStepGuest({ clock, files: files.now, programs }, boot);
      guests.set(boot.vm, guest);
      void guest.ended.then(() => files.now.remove(socket));
      return guest;
    },
    exec: async (vm, argv, io) => guests.get(vm)?.exec(argv, io),
  };
};
