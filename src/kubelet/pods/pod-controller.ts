/**
 * The controller of the Pods of this Node. A pass looks at one key: the Pod that is stored under it, and every older Pod of
 * that name of which something is still here. It makes moves until there is nothing to do but wait.
 */
import { sleep } from '../../base/clock.ts';
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  type Watch,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { attendVm } from './attend-vm.ts';
import { createInventory, type Inventory } from './inventory.ts';
import type { JournalEntry } from './journal-entry.ts';
import { MAKE_MOVE } from './moves.ts';
import { holdsFinalizer, MOVE_FOR, type Stage, stageOf, wishOf } from './plan-pod.ts';
import { createPodMemories, type PodMemories, type PodMemory, recallRun } from './pod-memory.ts';
import type { PodPorts } from './pod-ports.ts';
import type { MoveEnd, PodParts, PodSubject } from './pod-subject.ts';
import { createPodOperations, foldWork } from './pod-work.ts';
import { refusePod } from './refuse-pod.ts';
import { uidOf } from './vm-name.ts';

/** Passes at once; work that lasts is beside them, so they are short. */
const WORKERS = 16;

export interface PodPart {
  readonly controller: Controller;
  readonly inventory: Inventory;
  /** The Mac shuts down: every VM is stopped, and none is started any more. Settles when the end of each was told. */
  goDown(signal: AbortSignal): Promise<void>;
}

export const createPodPart = (ports: PodPorts, pods: Cache<Pod>): PodPart => {
  const memories = createPodMemories();
  const operations = createPodOperations(ports.clock, (key) => controller.wake(key));
  const inventory = createInventory({ ...ports, pods, wake: (key) => controller.wake(key) });
  const lives = new AbortController();
  const leaving = { isOn: false };
  const parts: PodParts = {
    ...ports,
    operations,
    takeInventory: inventory.take,
    placeIsFree: () => wakeWaiting(memories, controller),
    attend: async ({ pod, memory, key }, run, made) => {
      const wake = (): void => controller.wake(key);
      memory.run = run;
      void run.exited.then((exit) => {
        if (memory.run !== run) return;
        memory.exit = exit;
        wake();
      });
      const known = await Promise.race([run.exited, Promise.resolve(undefined)]);
      if (known !== undefined) memory.exit = known;
      else if (pod !== undefined) {
        if (made === undefined) recallRun(memory, pod);
        if (made === undefined) resumeLog(ports, run.vm);
        memory.endAttendance = attendVm(ports, {
          ...{ pod, run, memory, wake, signal: lives.signal },
          ...(made !== undefined && { made }),
        });
      }
    },
  };
  const controller: Controller = createController({
    name: 'tart-kubelet.pods',
    watches: [
      watchPrimary(pods),
      watchJournal(ports, pods),
      forgetDeleted(ports, pods, memories),
      ...watchScreens(ports, pods, memories),
    ],
    reconcile: (context) => followKey({ parts, memories, pods, inventory, leaving }, context),
    workers: WORKERS,
    operations: {
      stop: () => {
        lives.abort();
        return operations.stop();
      },
    },
  });
  const isTold = ({ exit, run }: PodMemory): boolean => exit === undefined && run === undefined;
  return {
    ...{ controller, inventory },
    goDown: async (signal) => {
      leaving.isOn = true;
      for (const { key } of memories.all()) controller.wake(key);
      while (!(memories.all().every(isTold) && ports.journal.all().every(hasNoVm)))
        await sleep(ports.clock, LOOK_AGAIN_MS, signal);
    },
  };
};

const LOOK_AGAIN_MS = 100;

/** Those under names of ours are resumed before anything else; the VMs of the Go original are known only now. */
const resumeLog = ({ logger, ...ports }: PodPorts, vm: string): void =>
  void ports
    .resumeLog?.(vm)
    .catch((thrown: unknown) => logger.warn('What a VM prints is not kept', { vm, error: toFleetError(thrown) }));

/** Nothing of it runs, and how it ended is told. */
const hasNoVm = ({ stage }: JournalEntry): boolean => stage === 'making' || stage === 'cleared';

/** Those that wait for a place on this Mac, not for anything else. */
const wakeWaiting = (memories: PodMemories, controller: Controller): void => {
  for (const memory of memories.all()) {
    if (memory.stumble?.error.kind !== 'no-capacity') continue;
    delete memory.stumble;
    controller.wake(memory.key);
  }
};

/** What earlier lives left is looked at from the start, whether its Pod is still there or not. */
const watchJournal = ({ journal }: PodPorts, pods: Cache<Pod>): Watch => ({
  cache: pods,
  start: (add) => {
    for (const { namespace, name } of journal.all()) add(renderKey({ namespace, name }), 'change');
    return () => undefined;
  },
});

/** Of a Pod that is gone and left nothing, nothing is remembered. */
const forgetDeleted = ({ journal }: PodPorts, pods: Cache<Pod>, memories: PodMemories): Watch => ({
  cache: pods,
  start: () =>
    pods.subscribe((change) => {
      if (change.type === 'deleted' && journal.get(uidOf(change.old)) === undefined) memories.forget(uidOf(change.old));
    }),
});

/** An operator may ask for any screen at any time. */
const watchScreens = ({ vnc }: PodPorts, pods: Cache<Pod>, memories: PodMemories): readonly Watch[] => {
  if (vnc === undefined) return [];
  const start: Watch['start'] = (add) =>
    vnc.subscribe(() => {
      for (const { key } of memories.all()) add(key, 'change');
    });
  return [{ cache: pods, start }];
};

interface Following {
  readonly parts: PodParts;
  readonly memories: PodMemories;
  readonly pods: Cache<Pod>;
  readonly inventory: Inventory;
  /** Whether the Mac shuts down. */
  readonly leaving: { readonly isOn: boolean };
}

const followKey = async (following: Following, context: ReconcileContext): Promise<Verdict> => {
  const { parts, pods } = following;
  const pod = pods.get(context.key);
  const strangers = parts.journal
    .all()
    .filter(({ uid, namespace, name }) => renderKey({ namespace, name }) === context.key && uid !== pod?.metadata.uid);
  let verdict: Verdict = { next: 'rest' };
  for (const { uid, stage } of strangers) {
    const confirmed = stage === 'cleared' ? undefined : await confirmGone(following, uid, context);
    verdict = sooner(verdict, await follow(following, { uid, pod: confirmed }, context));
  }
  return pod === undefined ? verdict : sooner(verdict, await follow(following, { uid: uidOf(pod), pod }, context));
};

const sooner = (left: Verdict, right: Verdict): Verdict => {
  if (left.next === 'failed' || right.next === 'rest') return left;
  if (left.next === 'again' && right.next === 'again') return left.afterMs < right.afterMs ? left : right;
  return right;
};

/** A cache may lag behind: before anything of a Pod is ended because it is not there, the API itself is asked. */
const confirmGone = async (
  { parts, memories }: Following,
  uid: string,
  { key, kube, signal }: ReconcileContext,
): Promise<Pod | undefined> => {
  const memory = memories.of(uid, key);
  if (memory.isGone) return undefined;
  const fieldSelector = `spec.nodeName=${parts.settings.nodeName}`;
  const { items } = await kube.list(PODS, { fieldSelector, signal });
  const found = items.find(({ metadata }) => metadata.uid === uid);
  if (found === undefined) memory.isGone = true;
  return found;
};

/** More moves than any life has: a pass that goes in circles is a bug and must not spin. */
const MOVES_MAX = 16;

const follow = async (
  following: Following,
  { uid, pod }: { readonly uid: string; readonly pod: Pod | undefined },
  context: ReconcileContext,
): Promise<Verdict> => {
  const { parts, memories } = following;
  const { key, kube, clock, logger, signal } = context;
  const memory = memories.of(uid, key);
  const subject: PodSubject = { uid, key, pod, wish: 'run', memory, kube, clock, logger, signal };
  for (let made = 0; made < MOVES_MAX; made += 1) {
    const end = await step(following, subject);
    if (end.next === 'on') continue;
    if (subject.pod === undefined && parts.journal.get(uid) === undefined && memory.work === undefined)
      memories.forget(uid);
    return end;
  }
  throw new FleetError('bug', { code: 'PodGoesInCircles', message: `${key} made ${MOVES_MAX} moves in one pass` });
};

const step = async (following: Following, subject: PodSubject): Promise<MoveEnd> => {
  const { parts } = following;
  const made = foldWork(parts.operations, subject.memory, { ...parts, logger: subject.logger });
  if (made !== undefined) await parts.attend(subject, made.run, made);
  subject.wish = wishNow(following, subject);
  const move = MOVE_FOR[subject.wish][stageNow(following, subject)];
  try {
    return await MAKE_MOVE[move](parts, subject);
  } catch (thrown) {
    if (!isKind(thrown, 'conflict')) throw thrown;
    return readAgain(subject, toFleetError(thrown));
  }
};

const wishNow = ({ leaving, parts }: Following, { uid, pod, memory, clock }: PodSubject): PodSubject['wish'] => {
  const refusal = pod === undefined ? undefined : refusePod(pod);
  const { isDone = false, unwellBecause, work, run } = memory;
  const isUntraced = parts.journal.get(uid) === undefined && work === undefined && run === undefined;
  const isUnwell = unwellBecause !== undefined;
  const facts = { nowMs: clock.now(), isUnwell, isDone, isUntraced, isLeaving: leaving.isOn };
  return wishOf(pod, { ...facts, ...(refusal !== undefined && { refusal }) });
};

const stageNow = ({ parts, inventory }: Following, { uid, pod, memory }: PodSubject): Stage => {
  const { work, run, exit } = memory;
  const process = run === undefined ? undefined : exit === undefined ? 'alive' : 'over';
  const mayHaveVm = !inventory.isTaken() && pod !== undefined && holdsFinalizer(pod);
  return stageOf(parts.journal.get(uid), {
    ...(work !== undefined && { work }),
    ...(process !== undefined && { process }),
    ...(mayHaveVm && { mayHaveVm }),
  });
};

/** Somebody wrote in between, or the cache lags behind our own write: the API itself knows. */
const readAgain = async (subject: PodSubject, conflict: FleetError): Promise<MoveEnd> => {
  const { pod, uid, kube, signal } = subject;
  if (pod === undefined) throw conflict;
  const fresh = await kube.get(PODS, keyOf(pod), { signal }).catch((thrown: unknown) => {
    if (isKind(thrown, 'not-found', 'denied')) return undefined;
    throw thrown;
  });
  // Gone, or another Pod of that name: the watch will tell.
  if (fresh === undefined || fresh.metadata.uid !== uid) return { next: 'rest' };
  subject.pod = fresh;
  return { next: 'on' };
};
