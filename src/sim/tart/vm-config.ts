/** A VM's config.json: Tart's own fields, and beside them what only the simulation knows. */
import type { GuestPlan, SimVm } from './tart-home.ts';

interface VmConfig {
  readonly os: SimVm['os'];
  readonly ecid: string;
  readonly cpuCountMin: number;
  readonly cpuCount: number;
  readonly memorySizeMin: number;
  readonly memorySize: number;
  readonly macAddress: string;
  readonly sim: {
    readonly diskGb: number;
    readonly sizeGb: number;
    readonly isSuspended: boolean;
    readonly guest: GuestPlan;
    readonly address?: string;
  };
}

const MIB = 2 ** 20;

export const renderVmConfig = (vm: SimVm): string => {
  const { os, ecid, macAddress, diskGb, sizeGb, isSuspended, guest, address } = vm;
  const config: VmConfig = {
    ...{ os, ecid, macAddress, cpuCountMin: vm.cpusMin, cpuCount: vm.cpus },
    ...{ memorySizeMin: vm.memoryMinMib * MIB, memorySize: vm.memoryMib * MIB },
    sim: { diskGb, sizeGb, isSuspended, guest, ...(address === undefined ? {} : { address }) },
  };
  const fixed = { version: 1, arch: 'arm64', diskFormat: 'raw', display: { width: 1024, height: 768 } };
  return JSON.stringify({ ...fixed, ...config }, null, 2);
};

export const parseVmConfig = (text: string): Omit<SimVm, 'accessedMs'> => {
  const config = JSON.parse(text) as VmConfig;
  const { os, ecid, macAddress, sim } = config;
  return {
    ...{ os, ecid, macAddress, cpusMin: config.cpuCountMin, cpus: config.cpuCount },
    ...{ memoryMinMib: config.memorySizeMin / MIB, memoryMib: config.memorySize / MIB },
    ...sim,
  };
};
