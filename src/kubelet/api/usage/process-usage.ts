/**
 * What VMs use, by the processes of the Mac: a VM is the process of its `tart run`, what that started, and the service of macOS that
 * holds the VM's disk open (Virtualization.framework runs the guest there, and not in Tart). Pure.
 */

export interface ProcessUsage {
  readonly pid: number;
  readonly parent: number;
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

export interface Usage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s*$/;
const KIB = 1_024;

/** What `ps -o pid= -o ppid= -o rss= -o time=` prints on macOS and on Linux. */
export const parseUsages = (text: string): readonly ProcessUsage[] =>
  text.split('\n').flatMap((line) => {
    const [, pid, parent, kib, time] = LINE.exec(line) ?? [];
    if (pid === undefined || parent === undefined || kib === undefined || time === undefined) return [];
    const cpuSeconds = parseCpuTime(time);
    if (cpuSeconds === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), memoryBytes: Number(kib) * KIB, cpuSeconds }];
  });

const CPU_TIME = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/;

/** `1-02:03:04` on Linux, `123:45.67` on macOS: days, hours, minutes, seconds. */
export const parseCpuTime = (text: string): number | undefined => {
  const match = CPU_TIME.exec(text);
  if (match === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
};

/** Of these processes and all that they started, together. */
export const sumUsage = (processes: readonly ProcessUsage[], roots: readonly number[]): Usage => {
  const counted = new Set(roots);
  for (let before = -1; before !== counted.size; ) {
    before = counted.size;
    for (const { pid, parent } of processes) if (counted.has(parent)) counted.add(pid);
  }
  const own = processes.filter(({ pid }) => counted.has(pid));
  return {
    cpuSeconds: own.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    memoryBytes: own.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
};

const DISK = /\/vms\/([^/]+)\/disk\.img$/;

/** What `lsof -Fpn` prints: which process holds the disk of which VM. */
export const parseDiskHolders = (text: string): ReadonlyMap<string, readonly number[]> => {
  const holders = new Map<string, readonly number[]>();
  let pid = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    const vm = line.startsWith('n') ? DISK.exec(line)?.[1] : undefined;
    if (vm !== undefined) holders.set(vm, [...(holders.get(vm) ?? []), pid]);
  }
  return holders;
};

const PAGE_SIZE = /page size of (\d+) bytes/;
const IN_USE = /^Pages (?:active|wired down|occupied by compressor):\s+(\d+)\./gm;

/** What `vm_stat` prints: what is active, wired or compressed cannot be had without taking it from somebody. */
export const parseVmStat = (text: string): number | undefined => {
  const page = Number(PAGE_SIZE.exec(text)?.[1]);
  const pages = [...text.matchAll(IN_USE)].map(([, count]) => Number(count));
  return Number.isNaN(page) || pages.length === 0 ? undefined : page * pages.reduce((sum, count) => sum + count, 0);
};
