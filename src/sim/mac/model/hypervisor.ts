/**
 * Tart as far as a host makes it fail: what has to be there before a virtual machine starts, and the addresses that macOS
 * leases to machines, of which there are few (F57). A machine has a name and an address here and is no process; on a Mac with
 * real bash the simulated Tart (src/sim/tart) is the rest.
 */
import type { Clock } from '../../../base/clock.ts';
import { type CommandAnswer, complain, type MacCommands, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';
import { isDict } from './plist.ts';
import { readPreference } from './preferences.ts';

/** 192.168.64.2 to 254. */
export const ADDRESSES_MAX = 253;

const SHARING = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default.plist';
const STOCK_LEASE_SECONDS = 86_400;

export interface HypervisorDeps {
  readonly files: MacFiles;
  readonly clock: Clock;
  readonly hasSession: () => boolean;
  readonly isKeychainOpen: () => boolean;
}

export interface Hypervisor {
  readonly commands: MacCommands;
  /** So many more machines started just now, and are gone again: their addresses are leased on. */
  startMachines(count: number): void;
  wipe(): void;
}

interface Lease {
  readonly address: string;
  readonly untilMs: number;
}

export const createHypervisor = ({ files, clock, hasSession, isKeychainOpen }: HypervisorDeps): Hypervisor => {
  const leases = new Map<string, Lease>();
  const start = (machine: string): void => {
    for (const [holder, { untilMs }] of leases) if (untilMs <= clock.now()) leases.delete(holder);
    const taken = new Set([...leases.values()].map(({ address }) => address));
    const address = ADDRESSES.find((one) => !taken.has(one));
    if (address === undefined || leases.has(machine)) return;
    leases.set(machine, { address, untilMs: clock.now() + leaseSeconds(files) * 1_000 });
  };
  const run = (machine: string): CommandAnswer => {
    if (!hasSession()) return complain(1, 'Error Domain=VZErrorDomain Code=-9 "Failed to get current host key."');
    if (!isKeychainOpen())
      return complain(1, 'SecKeyCreateRandomKey_ios failed: Interaction is not allowed with the Security Server.');
    start(machine);
    return quiet;
  };
  const tellAddress = (machine: string): CommandAnswer => {
    const address = leases.get(machine)?.address;
    return address === undefined ? complain(1, 'no IP address found, is your VM running?') : say(address);
  };
  return {
    startMachines: (count) => {
      for (let at = 1; at <= count; at += 1) start(`gone-${leases.size}-${at}`);
    },
    wipe: () => leases.clear(),
    commands: {
      tart: ({ args: [version = '', verb, machine = ''] }) => {
        if (verb === '--version') return say(version);
        if (verb === 'run') return run(machine);
        if (verb === 'ip') return tellAddress(machine);
        return complain(64, 'the simulated tart knows --version, run and ip only');
      },
    },
  };
};

const ADDRESSES = Array.from({ length: ADDRESSES_MAX }, (_, at) => `192.168.64.${at + 2}`);

const leaseSeconds = (files: MacFiles): number => {
  const bootpd = readPreference(files, SHARING, 'bootpd');
  const seconds = isDict(bootpd) ? bootpd['DHCPLeaseTimeSecs'] : undefined;
  return typeof seconds === 'number' ? seconds : STOCK_LEASE_SECONDS;
};
