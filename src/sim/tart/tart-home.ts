/** What lies in a Tart home, as a port: a folder for the program, memory for the simulation. Everything answers at once. */
import type { SimTartSettings } from './tart-settings.ts';

/** What a guest does once it has booted. */
export interface GuestPlan {
  readonly script?: string;
  readonly bootMs: number;
}

export interface SimVm {
  readonly os: 'darwin' | 'linux';
  readonly cpus: number;
  readonly cpusMin: number;
  readonly memoryMib: number;
  readonly memoryMinMib: number;
  readonly macAddress: string;
  readonly ecid: string;
  readonly diskGb: number;
  readonly sizeGb: number;
  readonly accessedMs: number;
  readonly isSuspended: boolean;
  readonly guest: GuestPlan;
  /** That of its last run: nobody else gets it while it runs, though no lease tells of it before it has booted. */
  readonly address?: string;
}

export interface CachedImage {
  /** `host/namespace` */
  readonly repository: string;
  readonly digest: string;
  readonly tags: readonly string[];
  readonly vm: SimVm;
}

export interface Lease {
  readonly macAddress: string;
  readonly address: string;
}

export interface TartHome {
  settings(): SimTartSettings;
  vmNames(): readonly string[];
  vm(name: string): SimVm | undefined;
  /** A directory without one of its files. */
  isBroken(name: string): boolean;
  putVm(name: string, vm: SimVm): void;
  /** It was looked at. */
  touch(name: string, atMs: number): void;
  /** With its disk; a VM of that name is replaced. */
  copyVm(from: string, to: string, vm: SimVm): void;
  dropVm(name: string): void;
  cached(): readonly CachedImage[];
  putCached(image: CachedImage): void;
  dropCached(image: CachedImage): void;
  leases(): readonly Lease[];
  putLease(lease: Lease): void;
  /** The process that runs the VM. */
  holderOf(name: string): number | undefined;
  /** Takes the VM for a process if `mayHold` agrees to those that run; nobody else can come between. */
  hold(name: string, pid: number, mayHold: (running: readonly string[]) => void): void;
  letGo(name: string): void;
}

export const runningVms = (home: TartHome): readonly string[] =>
  home.vmNames().filter((name) => home.holderOf(name) !== undefined);
