/**
 * What is tidied up on this Mac without anybody asking: VMs that earlier lives left are found at the start, images that no
 * Pod needs go every few minutes. Only what a complete answer of the API says counts as nobody's.
 */
import { sleep } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { Needed } from '../images/image-port.ts';
import type { Inventory } from './inventory.ts';
import type { JournalEntry } from './journal-entry.ts';
import { isOver } from './plan-pod.ts';
import type { PodPorts } from './pod-ports.ts';
import { parseVmName, vmNameOf } from './vm-name.ts';

export interface Housekeeping {
  readonly ports: PodPorts;
  readonly pods: Cache<Pod>;
  readonly inventory: Inventory;
  /** Off on hosts where images are built: half-made ones there are nobody's. */
  readonly collects: 'images' | 'nothing';
}

const COLLECT_EVERY_MS = 300_000;
const ASK_AGAIN_MS = 5_000;

/** Until the signal is aborted. */
export const keepHouse = async (
  { ports, pods, inventory, collects }: Housekeeping,
  signal: AbortSignal,
): Promise<void> => {
  const { clock, logger } = ports;
  await pods.whenSynced(signal);
  while (!inventory.isTaken()) {
    await inventory
      .take(signal)
      .catch((thrown: unknown) => logger.warn('VMs cannot be listed', { error: toFleetError(thrown) }));
    if (!inventory.isTaken()) await sleep(clock, ASK_AGAIN_MS, signal);
  }
  // The Node's labels tell which bases are here.
  await ports.images
    .look(signal)
    .catch((thrown: unknown) => logger.warn('Images cannot be listed', { error: toFleetError(thrown) }));
  while (collects === 'images') {
    await collect(ports, pods, signal).catch((thrown: unknown) =>
      logger.warn('Nothing was collected', { error: toFleetError(thrown) }),
    );
    await sleep(clock, COLLECT_EVERY_MS, signal);
  }
};

const collect = async (ports: PodPorts, pods: Cache<Pod>, signal: AbortSignal): Promise<void> => {
  const { client, images, journal, logger, settings } = ports;
  const { items } = await client.list(PODS, { fieldSelector: `spec.nodeName=${settings.nodeName}`, signal });
  const collected = await images.collect({
    // A VM is in the journal before it is cloned, so that whoever came after the answer is there too.
    needed: () => neededBy([...items, ...pods.list()], journal.all()),
    owns: (vm) => parseVmName(vm) !== undefined,
    signal,
  });
  const count = collected.vms.length + collected.goldens.length + collected.cached.length;
  if (count > 0) logger.info('Collected what no Pod needs', { ...collected });
};

const neededBy = (pods: readonly Pod[], journal: readonly JournalEntry[]): Needed => {
  const wanted = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isOver(pod));
  const entries = journal.filter(({ stage }) => stage !== 'cleared');
  const running = entries.filter(({ stage }) => stage === 'started');
  return {
    images: [...wanted.flatMap(({ spec }) => imagesOf(spec)), ...entries.map(({ image }) => image)],
    runningImages: running.map(({ image }) => image),
    vms: [...pods.map(vmNameOf), ...entries.map(({ vm }) => vm)],
  };
};

const imagesOf = ({ containers }: Pod['spec']): readonly string[] =>
  containers.flatMap(({ image }) => (image === undefined ? [] : [image]));
