/** Virtual machines of this Mac as a port. Only this folder and images/ know that a command called `tart` makes them. */
import type { FleetError } from '../../base/errors.ts';

export interface LocalVm {
  readonly name: string;
  /** By a live process; what Tart says of a VM's state is not reliable. */
  readonly running: boolean;
  readonly sizeGb: number;
  /** A base that VMs are cloned from, and that never runs. */
  readonly isGolden: boolean;
}

export interface VmShare {
  readonly name: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/** How a run ended. Neither code nor signal: nobody saw it, as after a loss of power. */
export interface VmExit {
  readonly code?: number;
  readonly signal?: string;
  readonly atMs: number;
}

export interface VmRun {
  readonly vm: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Settles once, never rejects; known even if we were not there to see it. */
  readonly exited: Promise<VmExit>;
}

export interface CloneVm {
  readonly from: string;
  /** A VM of that name is replaced. */
  readonly to: string;
  readonly signal: AbortSignal;
}

export interface ConfigureVm {
  readonly vm: string;
  readonly cpus?: number;
  readonly memoryMib?: number;
  /** A serial number of its own: Apple's services refuse two Macs with one. */
  readonly randomSerial?: true;
  readonly signal: AbortSignal;
}

export interface Configured {
  /** Why the VM kept the serial number of its base. */
  readonly serialKept?: FleetError;
}

/** `vnc` gives the VM a screen that `vncOf` tells the address of. */
export type VmGraphics = 'none' | 'vnc';

/** `softnet` keeps the VM from all private networks and from other VMs. */
export type VmNetwork = 'nat' | 'softnet';

export interface StartVm {
  readonly vm: string;
  readonly shares: readonly VmShare[];
  readonly graphics: VmGraphics;
  /** `nat` when it is left out. */
  readonly network?: VmNetwork;
  /** VMs in the VM: Linux guests on an M3 or later alone. */
  readonly nested?: true;
  /** May be suspended later; costs it its sound. */
  readonly suspendable?: true;
  readonly env?: Readonly<Record<string, string>>;
  /** What the run prints is appended here. */
  readonly logPath: string;
  /** Makes what is to be started, beside what is looked at; when it fails, nothing is started. */
  readonly beforeRun?: () => Promise<void>;
  /** Past the start itself an abort changes nothing: the VM runs on. */
  readonly signal: AbortSignal;
}

export interface StopVm {
  readonly vm: string;
  /** How long the VM has between the request and the end by force. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

export interface ExecInVm {
  readonly vm: string;
  readonly argv: readonly [program: string, ...words: readonly string[]];
  readonly timeoutMs: number;
  readonly outputBytesMax?: number;
  readonly signal: AbortSignal;
}

export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a VM's screen is to be reached from this Mac. */
export interface VncEndpoint {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

export interface VmPort {
  /** Throws `unavailable` when Tart is missing, too old, hangs or prints what nobody understands. */
  version(signal: AbortSignal): Promise<string>;
  list(signal: AbortSignal): Promise<readonly LocalVm[]>;
  /** Names of all VMs with a live process, whoever started them. Cheap: does not ask Tart. */
  running(signal: AbortSignal): Promise<readonly string[]>;
  /** `not-found` (VmMissing) without the source; `no-capacity` (NoSpace) on a full disk. */
  clone(request: CloneVm): Promise<void>;
  /** A serial number that could not be changed is told, not thrown: the VM works without. */
  configure(request: ConfigureVm): Promise<Configured>;
  /**
   * Starts a VM and answers as soon as it is known to run, at the latest after the sanity window. A start that fails
   * throws with what the run printed last (VmExitedImmediately); a clean end so early is a run that has exited.
   * `no-capacity` (VmLimitReached) when the Mac already runs as many as it may, orphans counted; `exists`
   * (VmAlreadyRuns) when this one does.
   */
  start(request: StartVm): Promise<VmRun>;
  /**
   * The run that an earlier life of the agent started, alive or ended; undefined when it never was started or has been
   * forgotten. A live VM that somebody else started is adopted too.
   */
  adopt(vm: string, signal: AbortSignal): Promise<VmRun | undefined>;
  /** Returns when no process of the VM is left; a VM that does not run is fine. Ends it by force after the grace. */
  stop(request: StopVm): Promise<void>;
  /** Saves what the VM is doing; its next start goes on there. Returns when no process of it is left. */
  suspend(vm: string, signal: AbortSignal): Promise<void>;
  /** Deletes the VM's disk and forgets its run; nothing there is fine. `conflict` (VmRuns) while it runs. */
  remove(vm: string, signal: AbortSignal): Promise<void>;
  /** Waits for the VM's address. `not-found` (VmNotRunning) without a live process, `unavailable` (VmHasNoAddress) without one. */
  addressOf(vm: string, signal: AbortSignal): Promise<string>;
  /** Runs a program in the VM. `unavailable` (GuestAgentSilent) when nobody in there answers. */
  exec(request: ExecInVm): Promise<ExecResult>;
  /** The endpoint that the run printed; undefined until then, and for runs without a screen. */
  vncOf(vm: string): Promise<VncEndpoint | undefined>;
}
