/**
 * Decides whether a VM may start, and starts it. What has to be known or done before costs time each, so it goes on side by side; the
 * decision itself is one instant, and those that are on their way count, though nobody sees their processes yet.
 */
import { FleetError, isKind, messageOf, toFleetError } from '../../base/errors.ts';
import { launch, untilSane } from './start-vm.ts';
import type { StartVm, VmPort } from './vm-port.ts';
import { observeVmProcesses, type VmWork } from './vm-work.ts';

export interface VmStarterOptions extends VmWork {
  /** How many may run at once; Apple's licence allows two, and a Mac may offer less. */
  readonly vmsMax: number;
  /** Sees to it that somebody is logged in at the Mac: without that no VM starts. */
  readonly ensureSession: (signal: AbortSignal) => Promise<void>;
}

export const createVmStarter = (options: VmStarterOptions): VmPort['start'] => {
  const places = createPlaces(options);
  return async (request) => {
    const { vm, logPath, signal, beforeRun = async () => undefined } = request;
    const look = places.look(vm);
    // What lasts longest first: programs that are started in one moment wait for each other.
    const prepared = [beforeRun(), look.processes(signal), haveSession(options, signal)] as const;
    // None of them goes on when another has failed.
    await Promise.allSettled(prepared);
    try {
      await Promise.all(prepared);
      // Getting ready may have taken long: whoever ran when it began may have ended since.
      if (!look.hasRoom()) await look.processes(signal);
      look.take();
      const fromByte = (await options.files.look(logPath))?.sizeBytes ?? 0;
      const run = await launch(options, request);
      await untilSane(options, run, { logPath, fromByte });
      return run;
    } finally {
      look.release();
    }
  };
};

interface Look {
  /** Looks who runs now; what was seen before is forgotten. */
  processes(signal: AbortSignal): Promise<void>;
  hasRoom(): boolean;
  /** Takes a place, or throws: `no-capacity` (VmLimitReached), `exists` (VmAlreadyRuns). */
  take(): void;
  /** Its process is there to be seen, or there is none. */
  release(): void;
}

const createPlaces = (options: VmStarterOptions): { look(vm: string): Look } => {
  const starting = new Set<string>();
  /** Of each look under way: whoever started meanwhile may be missing among the processes that it sees. */
  const looks = new Set<Set<string>>();
  return {
    look: (vm) => {
      const live = new Set(starting);
      looks.add(live);
      let isTaken = false;
      return {
        processes: async (signal) => {
          live.clear();
          for (const other of starting) live.add(other);
          for (const process of await observeVmProcesses(options, signal)) live.add(process.vm);
        },
        hasRoom: () => refusalOf(options, vm, live) === undefined,
        take: () => {
          looks.delete(live);
          const refusal = refusalOf(options, vm, live);
          if (refusal !== undefined) throw refusal;
          isTaken = true;
          starting.add(vm);
          for (const other of looks) other.add(vm);
        },
        release: () => {
          looks.delete(live);
          if (isTaken) starting.delete(vm);
        },
      };
    },
  };
};

const refusalOf = ({ vmsMax }: VmStarterOptions, vm: string, live: ReadonlySet<string>): FleetError | undefined => {
  if (live.has(vm)) return new FleetError('exists', { code: 'VmAlreadyRuns', message: `tart run: ${vm} runs already` });
  if (live.size < vmsMax) return undefined;
  const others = [...live].toSorted().join(', ');
  return new FleetError('no-capacity', {
    code: 'VmLimitReached',
    message: `tart run: ${vm} would be one VM too many: ${others} ${live.size === 1 ? 'runs' : 'run'}, and ${vmsMax} may`,
    hint: 'It starts as soon as one of them has ended.',
  });
};

const haveSession = async ({ ensureSession }: VmStarterOptions, signal: StartVm['signal']): Promise<void> => {
  try {
    await ensureSession(signal);
  } catch (cause) {
    if (isKind(cause, 'cancelled')) throw cause;
    const { kind, code, hint } = toFleetError(cause);
    throw new FleetError(kind, {
      code,
      message: `tart run: ensure gui session: ${messageOf(cause)}`,
      ...(hint === undefined ? {} : { hint }),
      cause,
    });
  }
};
