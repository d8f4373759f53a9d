/** What happens to the Kubernetes API and between it and its clients: F59–F68 of the fault list, and an etcd that goes back in time. */
import { MAC_HOSTS } from '../../../kinds/mac-host.ts';
import { MACHINES } from '../../../kinds/machine.ts';
import { NODES } from '../../../kube/types/core.ts';
import type { ApiTrouble, Refusal } from '../../api-edge.ts';
import type { WatchTrouble } from '../../watch-tap.ts';
import type { Disturbance, Strike } from './disturbance.ts';

const LASTS_MS = [60_000, 10_000, 300_000, 900_000] as const;
const TIMES = [1, 3, 20] as const;
const KINDS = [MAC_HOSTS.plural, MACHINES.plural, NODES.plural, 'clusters'] as const;
/** How long ago the backup was taken that comes back. */
const AGES_MS = [60_000, 600_000, 3_600_000] as const;
const pick = <T>({ choose }: Strike, [dull, ...others]: readonly [T, ...T[]]): T => {
  const at = choose(others.length + 1);
  return others[at - 1] ?? dull;
};

/** A client that works for the fleet. */
const clientOf = (strike: Strike): string => pick(strike, ['manager', 'controllers', ...strike.managers]);

const forAWhile = (strike: Strike, label: string, trouble: { on(): void; off(): void }): number => {
  const lastsMs = pick(strike, LASTS_MS);
  trouble.on();
  strike.world.kernel.schedule(lastsMs, label, () => trouble.off());
  return lastsMs / 1_000;
};

const refusals = (id: string, refusal: Refusal): Disturbance => ({
  id,
  strike: (strike) => {
    const [actor, times] = [clientOf(strike), pick(strike, TIMES)];
    strike.world.apiTrouble.refuseWrites(refusal, times, { actor });
    return `the next ${times} writes of ${actor} are refused: ${refusal}`;
  },
});

const watchTrouble = (id: string, draw: (strike: Strike) => WatchTrouble): Disturbance => ({
  id,
  strike: (strike) => {
    const [actor, kind, trouble] = [clientOf(strike), pick(strike, KINDS), draw(strike)];
    strike.world.apiTrouble.watches.trouble(trouble, { actor, kind });
    const { is, ...how } = trouble;
    return `watches of ${kind} by ${actor} ${is}: ${Object.values(how).join()}`;
  },
});

const toApi = (id: string, what: string, act: (trouble: ApiTrouble) => void): Disturbance => ({
  id,
  strike: ({ world }) => {
    act(world.apiTrouble);
    return what;
  },
});

export const API_DISTURBANCES: readonly Disturbance[] = [
  refusals('conflicts', 'conflict'),
  refusals('throttled-writes', 'throttled'),
  refusals('broken-writes', 'broken'),
  refusals('denied-writes', 'denied'),
  watchTrouble('watch-lags', (strike) => ({ is: 'lag', lagMs: pick(strike, [5_000, 60_000, 600_000]) })),
  watchTrouble('watch-loses', (strike) => ({ is: 'lose', events: pick(strike, TIMES) })),
  watchTrouble('watch-repeats', (strike) => ({ is: 'repeat', events: pick(strike, TIMES) })),
  toApi('watches-break', 'all watches are cut off', ({ watches }) => watches.breakAll('the connection was reset')),
  toApi('watches-expire', 'all watches get 410', ({ watches }) => watches.expireAll()),
  toApi('cached-lists', 'lists of any version show this moment for ever', (trouble) => trouble.freezeCachedLists()),
  {
    id: 'api-away',
    strike: (strike) => {
      const { apiTrouble } = strike.world;
      const seconds = forAWhile(strike, 'the API is back', { on: apiTrouble.goAway, off: apiTrouble.comeBack });
      return `the API is away for ${seconds} s`;
    },
  },
  {
    id: 'api-restarts',
    strike: ({ world }) => {
      world.plane.restart();
      return 'the API server is killed, and comes back from its log';
    },
  },
  {
    id: 'etcd-restored',
    strike: (strike) => {
      const { world } = strike;
      const [backup, ageMs] = [world.plane.backUp(), pick(strike, AGES_MS)];
      const how = pick(strike, ['bumped', 'plain'] as const);
      world.kernel.schedule(ageMs, `etcd goes back to revision ${backup.revision}`, () => {
        // What was moved away meanwhile would be there twice, and nobody could tell who is right.
        if (world.second === undefined && !world.trouble.isOver) world.plane.restore(backup, how);
      });
      return `a backup is taken, and restored after ${ageMs / 1_000} s, ${how}`;
    },
  },
];
