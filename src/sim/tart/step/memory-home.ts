/** A Tart home in memory. */
import type { CachedImage, Lease, SimVm, TartHome } from '../tart-home.ts';
import type { SimTartSettings } from '../tart-settings.ts';

export interface MemoryHomeOptions {
  readonly settings: () => SimTartSettings;
  readonly isAlive: (pid: number) => boolean;
}

export const createMemoryHome = ({ settings, isAlive }: MemoryHomeOptions): TartHome => {
  const vms = new Map<string, SimVm>();
  const images = new Map<string, CachedImage>();
  const leases = new Map<string, Lease>();
  const holders = new Map<string, number>();
  const holderOf = (name: string): number | undefined => {
    const pid = holders.get(name);
    return pid !== undefined && vms.has(name) && isAlive(pid) ? pid : undefined;
  };
  const keyOf = ({ repository, digest }: CachedImage): string => `${repository}@${digest}`;
  return {
    settings,
    vmNames: () => [...vms.keys()].toSorted(),
    vm: (name) => vms.get(name),
    isBroken: () => false,
    putVm: (name, vm) => vms.set(name, vm),
    touch: (name, accessedMs) => {
      const vm = vms.get(name);
      if (vm !== undefined) vms.set(name, { ...vm, accessedMs });
    },
    copyVm: (_from, to, vm) => vms.set(to, vm),
    dropVm: (name) => vms.delete(name),
    cached: () => [...images.values()],
    putCached: (image) => images.set(keyOf(image), image),
    dropCached: (image) => images.delete(keyOf(image)),
    leases: () => [...leases.values()],
    putLease: (lease) => leases.set(lease.macAddress, lease),
    holderOf,
    hold: (name, pid, mayHold) => {
      mayHold([...holders.keys()].filter((other) => holderOf(other) !== undefined));
      holders.set(name, pid);
    },
    letGo: (name) => holders.delete(name),
  };
};
