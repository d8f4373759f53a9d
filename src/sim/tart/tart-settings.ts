/**
 * What a simulated Mac's Tart finds outside itself: the registry, the machine, and what goes wrong. The rows of the fault
 * list that each switch stands for are named beside it. Kept as one file beside the VMs, or in memory.
 */
import { createHash } from 'node:crypto';

/** An image of the simulated registry. */
export interface SimImage {
  readonly digest?: string;
  readonly os?: 'darwin' | 'linux';
  /** What its VMs run, in bash; without one they idle until they are stopped. */
  readonly script?: string;
  readonly bootMs?: number;
  readonly pullMs?: number;
  readonly compressedGb?: number;
  readonly sizeGb?: number;
  readonly diskGb?: number;
  /** Who may pull it; without this everybody. */
  readonly login?: { readonly username: string; readonly password: string };
}

export interface RunEnd {
  readonly afterMs: number;
  readonly code?: number;
  readonly signal?: 'SIGKILL' | 'SIGTERM';
}

export interface VmFaults {
  /** F83: the run ends by itself, whatever the guest does. Code 0 is a power-off. */
  readonly runEnd?: RunEnd;
  /** F83: the run ends so before the VM has even started. */
  readonly startFails?: RunEnd;
  /** F84 */
  readonly noAddress?: boolean;
  /** F93: asks and waits for ever. */
  readonly stopHangs?: boolean;
  /** F93: does not take the interrupt. */
  readonly ignoresStop?: boolean;
  /** F93 */
  readonly deleteRefused?: boolean;
  /** F95 */
  readonly panicAfterMs?: number;
  readonly diskPercent?: number;
  readonly agentSilent?: boolean;
}

/** F85 */
export interface PullFaults {
  readonly status?: number;
  readonly stallAtPercent?: number;
  /** Without it for ever. */
  readonly stallMs?: number;
  /** How many times a disk layer fails before it comes. */
  readonly blips?: number;
  readonly otherDigest?: string;
}

export interface SimTartSettings {
  readonly version: string;
  /** By reference; `*` stands for every image that has no entry. */
  readonly images: Readonly<Record<string, SimImage>>;
  /** By VM or image, or `*`. */
  readonly vmFaults: Readonly<Record<string, VmFaults>>;
  readonly pullFaults: Readonly<Record<string, PullFaults>>;
  /** F86: Virtualization.framework sometimes counts VMs that are gone. */
  readonly vmsMax: number;
  readonly leakedSlots: number;
  /** F51; undefined is a disk without end. */
  readonly freeGb?: number;
  /** F43 */
  readonly noGuiSession: boolean;
  /** F44 */
  readonly isKeychainClosed: boolean;
  /** There is no such program; for Macs on the virtual clock, where it is no file that could be deleted. */
  readonly isMissing: boolean;
  /** Subcommands that never answer, and those that answer nonsense. */
  readonly hangs: readonly string[];
  readonly garbles: readonly string[];
  readonly cloneMs: number;
  /** The first three parts of the guests' addresses, and of the loopback ones that stand for them. */
  readonly subnet: string;
  readonly loopback: string;
}

export const DEFAULT_SETTINGS: SimTartSettings = {
  version: '2.32.1',
  images: { '*': {} },
  vmFaults: {},
  pullFaults: {},
  vmsMax: 2,
  leakedSlots: 0,
  noGuiSession: false,
  isKeychainClosed: false,
  isMissing: false,
  hangs: [],
  garbles: [],
  cloneMs: 0,
  subnet: '192.168.64',
  loopback: '127.64.0',
};

/** Fields that are left out keep their default. */
export const parseTartSettings = (text: string | undefined): SimTartSettings =>
  text === undefined ? DEFAULT_SETTINGS : { ...DEFAULT_SETTINGS, ...(JSON.parse(text) as Partial<SimTartSettings>) };

export type KnownImage = SimImage & { readonly digest: string };

export const findImage = ({ images }: SimTartSettings, reference: string): KnownImage | undefined => {
  const found = images[reference] ?? byDigest(images, reference) ?? images['*'];
  if (found === undefined) return undefined;
  return { ...found, digest: found.digest ?? digestIn(reference) ?? `sha256:${sha256(reference)}` };
};

const digestIn = (reference: string): string | undefined => reference.split('@')[1];

const byDigest = (images: SimTartSettings['images'], reference: string): SimImage | undefined => {
  const digest = digestIn(reference);
  return digest === undefined ? undefined : Object.values(images).find((image) => image.digest === digest);
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const vmFaultsOf = ({ vmFaults }: SimTartSettings, vm: string): VmFaults => ({
  ...vmFaults['*'],
  ...vmFaults[vm],
});

export const pullFaultsOf = ({ pullFaults }: SimTartSettings, image: string): PullFaults => ({
  ...pullFaults['*'],
  ...pullFaults[image],
});

/** Where a guest's address is really served: guests of one simulated Mac are loopback addresses of this machine. */
export const loopbackOf = ({ subnet, loopback }: SimTartSettings, address: string): string =>
  address.startsWith(`${subnet}.`) ? `${loopback}${address.slice(subnet.length)}` : address;
