/** A guest as a port: real processes for the program, steps on the clock for the simulation. */

import type { Clock } from '../../base/clock.ts';
import type { GuestPlan } from './tart-home.ts';
import type { VmFaults } from './tart-settings.ts';

export interface GuestShare {
  readonly name: string;
  readonly path: string;
  readonly isReadOnly: boolean;
}

export interface GuestBoot {
  readonly vm: string;
  readonly plan: GuestPlan;
  readonly shares: readonly GuestShare[];
  readonly address: string;
  readonly faults: VmFaults;
  /** The guest has its address. */
  readonly onNetwork: () => void;
}

export type GuestEnd =
  | { readonly how: 'shutdown' }
  | { readonly how: 'error'; readonly why: string }
  | { readonly how: 'power-off' };

export interface Guest {
  readonly ended: Promise<GuestEnd>;
  /** As pulling the plug. */
  powerOff(): void;
}

/** The variable of the env share that holds a script; it goes before the image's own. */
export const SCRIPT_VARIABLE = 'SIM_GUEST_SCRIPT';

/** What a program of a guest on the virtual clock works with. */
export interface GuestProgramContext {
  /** That of the script, and what stands before the program's name as `NAME=value`. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** A file of the env share. */
  readonly readShared: (path: string) => string | undefined;
  readonly print: (text: string) => void;
  /** Its abort is a SIGTERM, or the end of the power. */
  readonly signal: AbortSignal;
}

/** Programs that images bring, by name: each ends with its exit code. */
export type GuestPrograms = Readonly<Record<string, (context: GuestProgramContext) => Promise<number>>>;

/** Files of the shares, by the guest contract. */
export const ENV_FILE = 'tuist.env';
export const EXIT_CODE_FILE = 'runner-rc';
export const LOG_FILE = 'runner.log';
/** In the env share: a script of what the Pod's container says. */
export const COMMAND_FILE = 'command.sh';

/** `KEY=value` lines as the guest's inject-env reads them. */
export const parseEnvFile = (text: string): Readonly<Record<string, string>> => {
  const env: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at < 1 || line.startsWith('#')) continue;
    env[line.slice(0, at)] = line
      .slice(at + 1)
      .replaceAll('\\n', '\n')
      .replaceAll('\\r', '\r');
  }
  return env;
};

/** Programs of a guest that its operating system answers, not its disk. */
export const answersItself = (argv: readonly string[], faults: VmFaults): string | undefined => {
  const [program = ''] = argv;
  if (!/(^|\/)df$/.test(program)) return undefined;
  const percent = faults.diskPercent ?? 41;
  const used = Math.round(1_367_000 * percent);
  return [
    'Filesystem     1024-blocks      Used Available Capacity iused      ifree %iused  Mounted on',
    `/dev/disk3s1s1   136700000 ${used} ${136_700_000 - used}    ${percent}%  404475 1166600080    0%   /`,
    '',
  ].join('\n');
};

/** `sudo shutdown -h now` and its like end the guest. */
export const isShutdown = (argv: readonly string[]): boolean =>
  argv.slice(0, 3).some((word) => /(^|\/)(shutdown|halt|poweroff)$/.test(word));
