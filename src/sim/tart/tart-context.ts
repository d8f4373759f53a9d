/** What every simulated subcommand works with, in real time and on the virtual clock alike. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Guest, GuestBoot } from './guest.ts';
import type { TartHome } from './tart-home.ts';

export type RunSignal = 'SIGINT' | 'SIGUSR1' | 'SIGUSR2';

export interface ExecIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface TartContext {
  readonly home: TartHome;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Aborted by an interrupt, except in `run`, which listens itself. */
  readonly signal: AbortSignal;
  /** Ends when the VM has. */
  readonly onSignal: (listener: (signal: RunSignal) => void) => void;
  readonly kill: (pid: number, signal: RunSignal | 'SIGKILL') => void;
  /** Ends this very process by a signal (F83). */
  readonly dieOf: (signal: 'SIGKILL' | 'SIGTERM') => Promise<never>;
  readonly boot: (boot: GuestBoot) => Guest;
  /** Undefined when nobody in the VM answers. */
  readonly exec: (vm: string, argv: readonly string[], io: ExecIo) => Promise<number | undefined>;
}
