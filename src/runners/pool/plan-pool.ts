/**
 * One pass over a pool, decided: which runners are put on record, which are made, which are asked to leave, and why. Pure
 * and total. Nobody is deleted here: a runner that is asked to leave is judged by the dispatcher first (src/runners/life).
 */
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { isAlive, isKnownBusy, isLeaving, isRunning, isStale, mayHavePolled } from '../runner-pod.ts';
import { chooseOld, findNextOld } from './warm-age.ts';

export interface PoolView {
  readonly spec: Pick<RunnerPool['spec'], 'image' | 'replicas' | 'rollout'>;
  readonly life: 'up' | 'deleting';
  /** All of the pool, whatever their state. */
  readonly pods: readonly Pod[];
  /** Names on record that were to be made. */
  readonly creating: readonly string[];
  readonly isNodeDraining: (nodeName: string) => boolean;
  readonly nowMs: number;
}

export const RETIREMENTS = ['pool-deleted', 'node-drain', 'roll', 'old', 'scale-down', 'after-job'] as const;
export type RetirementCause = (typeof RETIREMENTS)[number];

export interface Retirement {
  readonly pod: Pod;
  readonly why: RetirementCause;
}

export interface PoolPlan {
  /** On record, and not there: to be made now. */
  readonly create: readonly string[];
  /** How many more are to be put on record. */
  readonly announce: number;
  readonly retire: readonly Retirement[];
  readonly alive: number;
  /** Alive on another image, those of them on their way out or being replaced, and how many of these there may be. */
  readonly stale: number;
  readonly rolling: number;
  readonly rollCap: number;
  /** When the next runner has waited for long, if any waits. */
  readonly lookAgainMs: number | undefined;
}

/** A pass makes no more than this; the next goes on. */
export const CREATE_MAX = 50;

/** At least one, so that a roll of a small pool goes on; one where numbers make no sense (§9.8-6). */
export const rollCapOf = (replicas: number, percent: number): number =>
  replicas <= 0 || percent <= 0 ? 1 : Math.max(1, Math.floor((replicas * percent) / 100));

export const planPool = (view: PoolView): PoolPlan => {
  const { spec, creating } = view;
  const alive = view.pods.filter(isAlive);
  const names = new Set(view.pods.map(({ metadata }) => metadata.name));
  const unborn = creating.filter((name) => !names.has(name));
  const rollCap = rollCapOf(spec.replicas, spec.rollout.maxConcurrentPercent);
  const stale = alive.filter((pod) => isStale(pod, spec.image)).length;
  if (view.life === 'deleting') {
    const retire = alive.filter(mayBeAsked).map((pod) => ({ pod, why: 'pool-deleted' as const }));
    const lookAgainMs = undefined;
    return { create: [], announce: 0, retire, alive: alive.length, stale, rolling: 0, rollCap, lookAgainMs };
  }
  // One that is gone and one that is on record for it are the same gap.
  const coming = Math.max(unborn.length, spec.replicas - alive.length);
  const { retire, rolling } = planRetirements(view, { alive, coming, rollCap });
  const announce = Math.min(Math.max(0, spec.replicas - alive.length - unborn.length), CREATE_MAX);
  const asked = new Set(retire.map(({ pod }) => pod));
  const lookAgainMs = findNextOld(
    alive.filter((pod) => mayBeAsked(pod) && !asked.has(pod)),
    view.nowMs,
  );
  return { create: unborn, announce, retire, alive: alive.length, stale, rolling, rollCap, lookAgainMs };
};

/** One that is known to be busy ends by itself, and one that was asked is not asked again. */
const mayBeAsked = (pod: Pod): boolean => !isKnownBusy(pod) && !isLeaving(pod);

interface Muster {
  readonly alive: readonly Pod[];
  /** Not there yet, on record or to be put there. */
  readonly coming: number;
  readonly rollCap: number;
}

/** A runner leaves for one reason; those that leave anyway count for all. */
const planRetirements = (view: PoolView, { alive, coming, rollCap }: Muster) => {
  const { image, replicas } = view.spec;
  const free = alive.filter(mayBeAsked);
  const isOnDrainingNode = ({ spec }: Pod): boolean =>
    spec.nodeName !== undefined && view.isNodeDraining(spec.nodeName);
  const drained = free.filter(isOnDrainingNode);
  const rest = free.filter((pod) => !isOnDrainingNode(pod)).toSorted(byLoss);
  const rolling = countRolling(view, { alive, coming, rollCap }) + drained.filter((pod) => isStale(pod, image)).length;
  const rolled = rest.filter((pod) => isStale(pod, image)).slice(0, Math.max(0, rollCap - rolling));
  const current = rest.filter((pod) => !isStale(pod, image));
  const leavingBefore = alive.filter(isLeaving).length + drained.length + rolled.length;
  const old = chooseOld(current, { nowMs: view.nowMs, room: rollCap - leavingBefore - coming });
  const leaving = leavingBefore + old.length;
  const overflow = Math.max(0, alive.length + coming - leaving - replicas);
  const surplus = current.filter((pod) => !old.includes(pod)).slice(0, overflow);
  const because = (pods: readonly Pod[], why: RetirementCause): readonly Retirement[] =>
    pods.map((pod) => ({ pod, why }));
  return {
    retire: [
      ...because(drained, 'node-drain'),
      ...because(rolled, 'roll'),
      ...because(old, 'old'),
      ...because(surplus, 'scale-down'),
    ],
    rolling: rolling + rolled.length,
  };
};

/** While old ones are about, a new one that is not up yet is one that pulls an image: that counts too (§3.7). */
const countRolling = ({ spec: { image } }: PoolView, { alive, coming }: Muster): number => {
  const stale = alive.filter((pod) => isStale(pod, image));
  if (stale.length === 0) return 0;
  const cold = alive.filter((pod) => !isStale(pod, image) && mayBeAsked(pod) && !isRunning(pod)).length;
  return stale.filter(isLeaving).length + cold + coming;
};

/** Who is missed least goes first: who has no Node, then who has no VM, then who is not up, then the youngest (R12). */
const byLoss = (left: Pod, right: Pod): number =>
  lossOf(left) - lossOf(right) ||
  compare(bornAt(right), bornAt(left)) ||
  compare(left.metadata.name, right.metadata.name);

const lossOf = (pod: Pod): number => {
  if (pod.spec.nodeName === undefined) return 0;
  if (!mayHavePolled(pod)) return 1;
  return isRunning(pod) ? 3 : 2;
};

const bornAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
