/** What a Pod's container asks for, as the size of a VM: limits before requests, rounded down. Pure. */
import { parseQuantity } from '../../base/quantity.ts';
import type { Container } from '../../kube/types/pod.ts';

export interface VmSize {
  readonly cpus?: number;
  readonly memoryMib?: number;
}

const MIB = 2 ** 20;

/** A part that is absent leaves what the image has. */
export const sizeVm = ({ resources }: Pick<Container, 'resources'>): VmSize => {
  const amountOf = (name: string): number =>
    parseQuantity(resources?.limits?.[name] ?? resources?.requests?.[name] ?? '0') ?? 0;
  const cpus = Math.floor(amountOf('cpu') + 1e-9);
  const memoryMib = Math.floor(amountOf('memory') / MIB);
  return { ...(cpus > 0 && { cpus }), ...(memoryMib > 0 && { memoryMib }) };
};
