/**
 * The VMs that earlier lives of the agent left on this Mac. One whose journal is lost is put on record by its name, so that
 * it is found by its Pod, or ended when there is none: a VM that runs for nobody takes one of two places for ever.
 */
import { createLimiter } from '../../base/limiter.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { JournalEntry } from './journal-entry.ts';
import { holdsFinalizer } from './plan-pod.ts';
import type { PodPorts } from './pod-ports.ts';
import { legacyVmNameOf, parseVmName, uidOf } from './vm-name.ts';

export interface Inventory {
  /** Once; later calls return at once. Rejects when Tart does not answer. */
  take(signal: AbortSignal): Promise<void>;
  isTaken(): boolean;
}

/** Where Pods of which only the VM is left are kept in the queue. */
const NOWHERE = 'orphan';

export interface InventoryOptions extends Pick<PodPorts, 'vms' | 'journal' | 'clock' | 'logger'> {
  readonly pods: Cache<Pod>;
  /** Has a key looked at: something of it was found. */
  readonly wake: (key: string) => void;
}

export const createInventory = ({ vms, journal, clock, logger, pods, wake }: InventoryOptions): Inventory => {
  const oneAtATime = createLimiter(1);
  let isTaken = false;
  const take = async (signal: AbortSignal): Promise<void> => {
    if (isTaken) return;
    const names = (await vms.list(signal)).filter(({ isGolden }) => !isGolden).map(({ name }) => name);
    const strays = [...findOwn(names, pods), ...findLegacy(names, pods)].filter(
      ({ uid }) => journal.get(uid) === undefined,
    );
    for (const stray of strays) {
      logger.warn('A VM without a journal was found', { vm: stray.vm });
      const entry = entryFor(stray, clock.now());
      await journal.put(entry);
      wake(renderKey(entry));
    }
    isTaken = true;
  };
  return { take: (signal) => oneAtATime.run(() => take(signal), signal), isTaken: () => isTaken };
};

interface Stray {
  readonly vm: string;
  readonly uid: string;
  readonly pod: Pod | undefined;
}

const findOwn = (names: readonly string[], pods: Cache<Pod>): readonly Stray[] =>
  names.flatMap((vm) => {
    const uid = parseVmName(vm);
    return uid === undefined ? [] : [{ vm, uid, pod: pods.list().find(({ metadata }) => metadata.uid === uid) }];
  });

/** On a Mac that was the Go original's: its VMs go on under their old names, and are not started a second time. */
const findLegacy = (names: readonly string[], pods: Cache<Pod>): readonly Stray[] =>
  pods
    .list()
    .filter((pod) => holdsFinalizer(pod) && names.includes(legacyVmNameOf(pod)))
    .map((pod) => ({ vm: legacyVmNameOf(pod), uid: uidOf(pod), pod }));

/** It may have run: a Pod that must not run twice is over then, not run again. */
const entryFor = ({ vm, uid, pod }: Stray, nowMs: number): JournalEntry => ({
  ...{ uid, vm, stage: 'started', restarts: 0, startedMs: nowMs },
  namespace: pod?.metadata.namespace ?? NOWHERE,
  name: pod?.metadata.name ?? uid,
  image: pod?.spec.containers[0]?.image ?? '',
});
