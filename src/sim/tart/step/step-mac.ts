/**
 * A Mac with Tart on the virtual clock, in the shape of the agent's ports: commands, processes, files and a disk. The very same
 * subcommands work here as in the program; only time, processes and guests are steps. It outlives whoever uses it, and
 * `seenBy` gives it to an actor of the kernel, for whom every command and every write is an effect of its own.
 */
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { GuestPrograms } from '../guest.ts';
import type { TartHome } from '../tart-home.ts';
import { DEFAULT_SETTINGS, type SimTartSettings } from '../tart-settings.ts';
import { createMemoryFiles, type MemoryFiles } from './memory-files.ts';
import { createMemoryHome } from './memory-home.ts';
import { type CommandEnd, createStepCommands, type StepCommands } from './step-commands.ts';
import { createStepProcesses, type StepProcesses } from './step-processes.ts';

export interface StepMacOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Commands that are not Tart's, such as `launchctl`. Undefined: there is no such program. */
  readonly otherCommand?: (argv: readonly string[]) => Promise<CommandEnd> | undefined;
  /** Programs that its images bring, beside the few words of bash that its guests understand. */
  readonly guestPrograms?: GuestPrograms;
  /** For the whole disk; what images take is off it. */
  readonly diskBytes?: number;
}

export interface StepMac {
  readonly commands: StepCommands;
  readonly files: MemoryFiles;
  readonly measureDisk: (path: string) => Promise<{ readonly totalBytes: number; readonly freeBytes: number }>;
  readonly home: TartHome;
  readonly processes: StepProcesses;
  readonly tartHome: string;
  readonly tartBinary: string;
  /** What was set before stays unless it is named. */
  configure(settings: Partial<SimTartSettings>): void;
  /** Everything that runs is gone at once; what the disk has got stays. */
  losePower(): void;
}

const TART_HOME = '/Users/m1/.tart';
const TART_BINARY = '/usr/local/bin/tart';
const GB = 1e9;

export const createStepMac = (options: StepMacOptions): StepMac => {
  const { clock, diskBytes = 500 * GB } = options;
  let settings: SimTartSettings = DEFAULT_SETTINGS;
  const processes = createStepProcesses(clock);
  const files = createMemoryFiles({ now: clock.now, tell: (listener) => void clock.schedule(0, listener) });
  const home = createMemoryHome({ settings: () => settings, isAlive: processes.isAlive });
  const usedBytes = (): number => home.cached().reduce((sum, { vm }) => sum + vm.sizeGb * GB, 0);
  const commands = createStepCommands({
    ...options,
    home,
    files,
    processes,
    tartHome: TART_HOME,
    tartBinary: TART_BINARY,
  });
  return {
    ...{ commands, files, home, processes, tartHome: TART_HOME, tartBinary: TART_BINARY },
    measureDisk: async () => ({ totalBytes: diskBytes, freeBytes: Math.max(diskBytes - usedBytes(), 0) }),
    configure: (changes) => {
      settings = { ...settings, ...changes };
    },
    losePower: () => {
      commands.losePower();
      files.losePower();
    },
  };
};
