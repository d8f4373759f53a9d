/** Measures what the Mac and its VMs use, as often as somebody asks, and not more often than every few seconds. */
import { abortable, neverAborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { CommandPort } from '../../host/command-port.ts';
import type { DiskSpace } from '../../host/host-files.ts';
import { findVmProcesses } from '../../vm/running-vms.ts';
import { parseDiskHolders, parseUsages, parseVmStat, sumUsage, type Usage } from './process-usage.ts';

/** What the entry point can ask the system for at once. */
export interface SystemUsage {
  readonly cpuSeconds: number;
  readonly memoryTotalBytes: number;
  readonly memoryFreeBytes: number;
}

export interface UsageSample {
  readonly atMs: number;
  readonly node: Usage & { readonly memoryTotalBytes: number };
  readonly disk: DiskSpace;
  /** By the name of the VM. */
  readonly vms: ReadonlyMap<string, Usage>;
}

export interface MeasureUsage {
  readonly clock: Clock;
  readonly commands: Pick<CommandPort, 'run' | 'processes'>;
  readonly platform: 'macos' | 'other';
  readonly system: () => SystemUsage;
  readonly measureDisk: () => Promise<DiskSpace>;
}

export interface UsageMeter {
  /** Now, or a few seconds ago. */
  read(signal: AbortSignal): Promise<UsageSample>;
  /** The one that `read` gave before. */
  before(): UsageSample | undefined;
}

const FRESH_MS = 5_000;
const TIMEOUT_MS = 10_000;
const OUTPUT_BYTES_MAX = 8 * 1_024 * 1_024;

export const createUsageMeter = (options: MeasureUsage): UsageMeter => {
  let [last, earlier]: (UsageSample | undefined)[] = [];
  let underWay: Promise<UsageSample> | undefined;
  // It is everybody's, so that nobody who goes ends it; each program has its limit.
  const take = async (): Promise<UsageSample> => {
    const sample = await measure(options, neverAborted());
    [last, earlier] = [sample, last];
    return sample;
  };
  return {
    read: (signal) => {
      if (last !== undefined && options.clock.now() - last.atMs < FRESH_MS) return Promise.resolve(last);
      underWay ??= take().finally(() => {
        underWay = undefined;
      });
      return abortable(underWay, signal);
    },
    before: () => earlier,
  };
};

const measure = async (options: MeasureUsage, signal: AbortSignal): Promise<UsageSample> => {
  const { clock, commands, system } = options;
  const { cpuSeconds, memoryTotalBytes, memoryFreeBytes } = system();
  const [processes, table, holders, used, disk] = await Promise.all([
    commands.processes(signal),
    ask(options, ['ps', '-ax', '-o', 'pid=', '-o', 'ppid=', '-o', 'rss=', '-o', 'time='], signal),
    askMac(options, ['/usr/sbin/lsof', '-nP', '-Fpn', '-c', 'com.apple.Virtua'], signal),
    askMac(options, ['/usr/bin/vm_stat'], signal),
    options.measureDisk(),
  ]);
  const usages = parseUsages(table);
  const held = parseDiskHolders(holders);
  const running = findVmProcesses(processes);
  return {
    atMs: clock.now(),
    node: { cpuSeconds, memoryTotalBytes, memoryBytes: parseVmStat(used) ?? memoryTotalBytes - memoryFreeBytes },
    disk,
    vms: new Map(running.map(({ vm, pid }) => [vm, sumUsage(usages, [pid, ...(held.get(vm) ?? [])])])),
  };
};

const askMac = (
  options: MeasureUsage,
  argv: readonly [string, ...(readonly string[])],
  signal: AbortSignal,
): Promise<string> => (options.platform === 'macos' ? ask(options, argv, signal) : Promise.resolve(''));

/** What a program prints, whatever it ends with: `lsof` complains about what it may not see. */
const ask = async (
  { commands }: MeasureUsage,
  argv: readonly [string, ...(readonly string[])],
  signal: AbortSignal,
): Promise<string> => {
  const limits = { timeoutMs: TIMEOUT_MS, outputBytesMax: OUTPUT_BYTES_MAX };
  return (await commands.run({ argv, env: { LC_ALL: 'C' }, ...limits, signal })).stdout;
};
