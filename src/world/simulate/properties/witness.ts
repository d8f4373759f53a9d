/** What judges of a quiet world need to know of the time before: who wrote how often, and what Macs are to be configured with. */
import { createHastyTries } from './hasty-tries.ts';
import { createLostReleases } from './lost-releases.ts';
import type { Memory } from './memory.ts';
import { createRePicks, type RePicks } from './re-picks.ts';
import { createRefusedReboots } from './refused-reboots.ts';

export interface Witness extends Memory {
  /** Whether this is what managers work with since their last start: a configuration with the agent of the last one told. */
  isWanted(configHash: string): boolean;
  /** Objects that were written most often within the last hour, the most often first. */
  busiest(nowMs: number): readonly Busy[];
  /** Macs that a machine took again although they had failed it, and another was free. */
  readonly rePicks: Pick<RePicks, 'recent'>;
  /** Whether an older etcd came back, which knows nothing of what was done since. */
  hasForgotten(): boolean;
}

export interface Busy {
  /** Collection and key. */
  readonly what: string;
  readonly writes: number;
}

const WINDOW_MS = 3_600_000;
/** Heartbeats, and what comes of one thing only and expires. */
const UNCOUNTED = ['coordination.k8s.io/leases', '/events', 'events.k8s.io/events'];

export const createWitness = (): Witness => {
  const writes = new Map<string, number[]>();
  const bundles = new Map<string, string>();
  const rePicks = createRePicks();
  let wanted: string | undefined;
  let isForgetful = false;
  const memories: readonly Memory[] = [createLostReleases(), createHastyTries(), createRefusedReboots()];
  return {
    rePicks,
    hasForgotten: () => isForgetful,
    judge: (truth) => memories.flatMap((memory) => memory.judge(truth)),
    hear: (happening, truth) => {
      rePicks.hear(happening, truth);
      for (const memory of memories) memory.hear(happening, truth);
      if (happening.is === 'reopened' && happening.how === 'restored') isForgetful = true;
      if (happening.is === 'configuration') {
        const { digest, bundle } = happening.configuration;
        bundles.set(digest, bundle);
        wanted = bundle;
      }
      if (happening.is !== 'stored' || UNCOUNTED.includes(happening.collection)) return;
      const what = `${happening.collection} ${happening.key}`;
      const times = writes.get(what);
      if (times === undefined) writes.set(what, [truth.nowMs()]);
      else times.push(truth.nowMs());
    },
    isWanted: (configHash) => wanted === undefined || bundles.get(configHash) === wanted,
    busiest: (nowMs) =>
      [...writes]
        .map(([what, times]) => ({ what, writes: times.filter((atMs) => nowMs - atMs < WINDOW_MS).length }))
        .sort((left, right) => right.writes - left.writes),
  };
};
