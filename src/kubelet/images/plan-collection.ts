/** Decides what the collector deletes. Pure; whoever carries it out asks once more, right before each deletion. */

import { goldenNameOf, isGoldenName } from '../vm/golden-name.ts';
import type { TartEntry } from '../vm/tart-answers.ts';
import type { GoldenFacts } from './golden-book.ts';
import { repositoryOf } from './image-name.ts';

export interface Collectable {
  readonly entries: readonly TartEntry[];
  /** VMs with a process. */
  readonly live: ReadonlySet<string>;
  /** Bases that somebody holds or makes, and repositories that are being pulled. */
  readonly isBusy: (name: string) => boolean;
  readonly images: readonly string[];
  readonly vms: readonly string[];
  readonly owns: (vm: string) => boolean;
  readonly factsOf: (golden: string) => GoldenFacts | undefined;
  readonly freePercent: number;
  readonly nowMs: number;
}

/** Below this share of the disk nothing is kept just in case. */
export const FREE_PERCENT_FLOOR = 15;
const GOLDEN_KEPT_MS = 24 * 3_600_000;

export type Verdict = 'keep' | 'keep-needed' | 'keep-until-later' | 'delete';

export const planCollection = (world: Collectable): ReadonlyMap<string, Verdict> => {
  const goldens = new Set(world.images.map(goldenNameOf));
  const repositories = new Set(world.images.map(repositoryOf));
  const isShort = world.freePercent < FREE_PERCENT_FLOOR;
  const judge = ({ source, name }: TartEntry): Verdict => {
    if (source === 'oci') return judgeCached(world, name, !isShort && repositories.has(repositoryOf(name)));
    if (isGoldenName(name)) return judgeGolden(world, name, { isNeeded: goldens.has(name), isShort });
    return judgeVm(world, name);
  };
  return new Map(world.entries.map((entry) => [entry.name, judge(entry)]));
};

const judgeCached = ({ isBusy }: Collectable, name: string, isNeeded: boolean): Verdict =>
  isNeeded || isBusy(repositoryOf(name)) ? 'keep' : 'delete';

const judgeVm = ({ vms, live, owns }: Collectable, name: string): Verdict =>
  vms.includes(name) || live.has(name) || !owns(name) ? 'keep' : 'delete';

interface Need {
  readonly isNeeded: boolean;
  readonly isShort: boolean;
}

const judgeGolden = (world: Collectable, name: string, { isNeeded, isShort }: Need): Verdict => {
  if (isNeeded || world.isBusy(name)) return 'keep-needed';
  if (world.live.has(name)) return 'keep';
  if (isShort) return 'delete';
  const sinceMs = world.factsOf(name)?.unneededSinceMs;
  return sinceMs !== undefined && world.nowMs - sinceMs >= GOLDEN_KEPT_MS ? 'delete' : 'keep-until-later';
};

export interface UnderPressure {
  readonly goldens: readonly string[];
  readonly live: ReadonlySet<string>;
  readonly isBusy: (name: string) => boolean;
  readonly images: readonly string[];
  /** Images of VMs that run now. */
  readonly runningImages: readonly string[];
}

/** Bases in the order in which they go when the disk stays short; the last one of a Mac always stays. */
export const planPressure = (world: UnderPressure): readonly string[] => {
  const needed = new Set(world.images.map(goldenNameOf));
  const backing = new Set(world.runningImages.map(goldenNameOf));
  const mayGo = world.goldens.filter((name) => !backing.has(name) && !world.isBusy(name) && !world.live.has(name));
  const ordered = [...mayGo.filter((name) => !needed.has(name)), ...mayGo.filter((name) => needed.has(name))];
  const kept = world.goldens.length - mayGo.length;
  return kept === 0 ? ordered.slice(0, -1) : ordered;
};
