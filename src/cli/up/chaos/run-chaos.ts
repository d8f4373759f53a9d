/** Plays a plan of trouble on a running fleet, waits until it is whole again, and judges what was done to the cloud meanwhile. */
import { type Clock, sleep } from '../../../base/clock.ts';
import { isKind } from '../../../base/errors.ts';
import { judgeAudit } from '../../../world/chaos/judge-audit.ts';
import type { TimedBlow } from '../../../world/chaos/plan-chaos.ts';
import type { Ordeal } from '../../../world/chaos/render-verdict.ts';
import { endTrouble, type StruckFleet, strike } from './strike.ts';

export interface ChaosOptions extends StruckFleet {
  readonly clock: Clock;
  readonly plan: readonly TimedBlow[];
  readonly durationMs: number;
  /** How many Macs the fleet has in the end. */
  readonly machines: number;
  /** Settles when every Mac that is wanted is there; rejects or settles with false when that takes too long. */
  readonly untilWhole: (signal: AbortSignal) => Promise<boolean>;
  readonly onBlow: (what: string) => void;
}

/** A manager that does not come to lead is not waited for longer. */
const LEADER_MS = 6_000;
const LOOK_MS = 50;

export const runChaos = async (options: ChaosOptions, signal: AbortSignal): Promise<Ordeal> => {
  const { clock, plan, durationMs, rig, machines, onBlow } = options;
  // Macs that work have something to lose.
  if (await options.untilWhole(signal)) onBlow('the fleet is whole, and the trouble begins');
  const startMs = clock.elapsed();
  const until = (atMs: number): Promise<void> => sleep(clock, Math.max(startMs + atMs - clock.elapsed(), 0), signal);
  let [kills, otherBlows] = [0, 0];
  for (const { atMs, blow } of plan) {
    await until(atMs);
    if (clock.elapsed() - startMs > durationMs) break;
    // Killed before it led, it has done nothing that could go wrong.
    if (blow.do === 'kill') await untilLed(options, signal);
    onBlow(await strikeOrSay(options, blow, signal));
    if (blow.do === 'kill') kills += 1;
    else otherBlows += 1;
  }
  await until(durationMs);
  await endTrouble(options, machines, signal);
  onBlow('the trouble is over');
  const isWhole = await options.untilWhole(signal);
  const { audit } = rig.macs.simulation.cloud;
  return {
    kills,
    otherBlows,
    isWhole,
    judgement: judgeAudit(audit(), { isFleet: () => true, liveWipes: rig.liveWipes() }),
  };
};

const untilLed = async ({ clock, rig }: ChaosOptions, signal: AbortSignal): Promise<void> => {
  const limitMs = clock.elapsed() + LEADER_MS;
  while (rig.managers.leader() === undefined && clock.elapsed() < limitMs) await sleep(clock, LOOK_MS, signal);
};

/** What was to be struck may be gone, or be written by somebody else. */
const strikeOrSay = async (options: ChaosOptions, blow: TimedBlow['blow'], signal: AbortSignal): Promise<string> => {
  try {
    return await strike(blow, options, signal);
  } catch (error) {
    if (isKind(error, 'cancelled')) throw error;
    return `${blow.do} met nobody`;
  }
};
