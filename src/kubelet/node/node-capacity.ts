/** What the Node offers: what the flags say, else what the Mac has. Its disk is measured as it goes (host-watch.ts). Pure. */
import type { NodeCapacity } from './node-facts.ts';

/** Undefined: as much as there is. */
export interface WantedCapacity {
  readonly cpu: number | undefined;
  readonly memoryMib: number | undefined;
  readonly pods: number;
}

export interface HostSize {
  readonly cpus: number;
  readonly memoryBytes: number;
}

const MIB = 2 ** 20;

export const decideCapacity = (wanted: WantedCapacity, host: HostSize): NodeCapacity => ({
  cpu: wanted.cpu ?? host.cpus,
  memoryMib: wanted.memoryMib ?? Math.floor(host.memoryBytes / MIB),
  pods: wanted.pods,
});

/** Sentences for the log, where the flags offer what is not there: two VMs would then fight for it. */
export const judgeCapacity = (wanted: WantedCapacity, host: HostSize): readonly string[] => {
  const has = decideCapacity({ cpu: undefined, memoryMib: undefined, pods: wanted.pods }, host);
  const { cpu = 0, memoryMib = 0 } = wanted;
  return [
    ...(cpu > has.cpu ? [`--host-cpu is ${cpu}, but this Mac has ${has.cpu} processors`] : []),
    ...(memoryMib > has.memoryMib ? [`--host-memory-mb is ${memoryMib}, but this Mac has ${has.memoryMib} MiB`] : []),
  ];
};
