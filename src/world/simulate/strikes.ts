/** The disturbances of one run: drawn turn by turn, or planned beforehand. What was drawn is recorded as such a plan. */
import { FleetError } from '../../base/errors.ts';
import type { FleetWorld } from '../fleet-world.ts';
import type { Strike } from './disturbances/disturbance.ts';
import { DISTURBANCES } from './disturbances.ts';

/** One turn of a schedule. It names its disturbance, so that it survives new rows and another order of them. */
export interface PlannedStrike {
  readonly atMs: number;
  /** A row of DISTURBANCES, or NOTHING. */
  readonly id: string;
  /** What the disturbance decides, in order; 0 for what is missing. */
  readonly details: readonly number[];
}

/** A turn at which nothing happens. */
export const NOTHING = 'nothing';

interface Turn {
  readonly id: string;
  readonly choose: (bound: number) => number;
}

/** Where the turns of a run come from. */
export interface Turns {
  /** When the next one is; absent when there is none. Asked once before each. */
  nextAtMs(nowMs: number): number | undefined;
  take(): Turn;
}

export interface DisturbOptions {
  readonly managers: readonly string[];
  readonly turns: Turns;
  /** Gets every turn after it was taken; `what` says what it did, if anything. */
  readonly onTurn: (turn: PlannedStrike, what: string | undefined) => void;
}

/** One after the other, for as long as there are turns. */
export const disturb = (world: FleetWorld, { managers, turns, onTurn }: DisturbOptions): void => {
  const { kernel } = world;
  const strikeNext = (): void => {
    const { id, choose } = turns.take();
    const details: number[] = [];
    const record = (bound: number): number => {
      const detail = choose(bound);
      details.push(detail);
      return detail;
    };
    const what = id === NOTHING ? undefined : strikeWith(id, { world, managers, choose: record });
    if (what !== undefined) kernel.note(what);
    onTurn({ atMs: kernel.nowMs(), id, details }, what);
    plan();
  };
  const plan = (): void => {
    const atMs = turns.nextAtMs(kernel.nowMs());
    if (atMs !== undefined) kernel.schedule(atMs - kernel.nowMs(), 'disturbance', strikeNext);
  };
  plan();
};

/** How long after the last one the next disturbance comes, at most. */
const GAP_MAX_MS = 900_000;

/** By the probability that each row of DISTURBANCES has, until `lastMs`. */
export const drawTurns = (
  { kernel }: FleetWorld,
  { weights, lastMs }: { readonly weights: readonly number[]; readonly lastMs: number },
): Turns => ({
  nextAtMs: (nowMs) => {
    const atMs = nowMs + 1_000 + kernel.choose('disturbance gap', GAP_MAX_MS);
    return atMs < lastMs ? atMs : undefined;
  },
  take: () => ({
    id: DISTURBANCES[kernel.weigh('disturbance', weights) - 1]?.id ?? NOTHING,
    choose: (bound) => kernel.choose('disturbance detail', bound),
  }),
});

export const followTurns = (strikes: readonly PlannedStrike[]): Turns => {
  const left = strikes.toSorted((one, other) => one.atMs - other.atMs);
  return {
    nextAtMs: (nowMs) => {
      const [next] = left;
      return next && Math.max(nowMs, next.atMs);
    },
    take: () => {
      const { id = NOTHING, details = [] } = left.shift() ?? {};
      let at = 0;
      return { id, choose: (bound) => Math.min(details[at++] ?? 0, bound - 1) };
    },
  };
};

/** What the API or Scaleway refuses did not happen; the person who tried shrugs. */
const REFUSALS = ['Refused', 'PreconditionFailed'];

const strikeWith = (id: string, strike: Strike): string | undefined => {
  const row = DISTURBANCES.find((disturbance) => disturbance.id === id);
  if (row === undefined) throw unknownDisturbance(id);
  try {
    return row.strike(strike);
  } catch (error) {
    if (error instanceof FleetError && REFUSALS.includes(error.code)) return `refused: ${error.message.slice(0, 200)}`;
    throw error;
  }
};

const unknownDisturbance = (id: string): FleetError =>
  new FleetError('invalid', {
    code: 'UnknownDisturbance',
    message: `nothing that is called ${id} can happen to a simulated fleet`,
    hint: 'A recorded schedule names rows of src/world/simulate/disturbances: bring it in step with them.',
  });
