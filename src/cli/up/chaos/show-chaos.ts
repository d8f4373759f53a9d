/** What a person sees of `up --chaos`: the same table, what strikes the fleet, and the verdict. */

import { linkedController } from '../../../base/abort.ts';
import { sleep } from '../../../base/clock.ts';
import { cancelled, FleetError } from '../../../base/errors.ts';
import { planChaos } from '../../../world/chaos/plan-chaos.ts';
import { isGood, type Ordeal, renderComparison, renderVerdict } from '../../../world/chaos/render-verdict.ts';
import { runOriginal } from '../../../world/chaos/run-original.ts';
import { RUNNER_POOL } from '../../../world/demo-fleet.ts';
import { diagnose } from '../diagnose.ts';
import { createFleetView, type FleetView } from '../fleet-view.ts';
import { followFleet } from '../follow-fleet.ts';
import { createJobFlow } from '../job-flow.ts';
import { shareMachines } from '../share-machines.ts';
import type { Showing } from '../show-fleet.ts';
import { SPARE_MACS, type UpFlags } from '../up-flags.ts';
import type { ChaosRig } from './chaos-provider.ts';
import { runChaos } from './run-chaos.ts';

export interface ChaosShowing extends Showing {
  readonly rig: ChaosRig;
  readonly seed: number;
}

/** From the end of the trouble. */
const HEAL_MS = 120_000;
const LOOK_MS = 100;
/** A wish that nobody has heard of yet looks as if it were fulfilled. */
const STABLE_MS = 1_500;
const TICK_MS = 1_000;
const LATEST_MAX = 3;

/** Rejects when a promise was broken, or the fleet did not come back. */
export const showChaos = async (showing: ChaosShowing, signal: AbortSignal): Promise<Ordeal> => {
  const { clock, flags, fleet, display } = showing;
  const watching = linkedController(signal);
  const view = createFleetView({ ...showing, client: fleet.client });
  const running = view.run(watching.signal);
  const { runners } = fleet;
  const work = runners && createJobFlow({ dispatch: runners.dispatch, clock, pool: RUNNER_POOL, count: 'endless' });
  const latest: string[] = [];
  let ordeal: Ordeal | undefined;
  const chaos = playPlan(showing, { view, onBlow: tellBlows(showing, latest) }, watching.signal).then((ended) => {
    ordeal = ended;
  });
  const picture = () => ({ ...view.picture(), jobs: work?.rows() ?? [] });
  const look = (): void => {
    if (view.readyNodes() > 0) work?.begin();
    display.show(picture(), latest.slice(-LATEST_MAX).join('\n'));
  };
  try {
    const how = await followFleet(
      {
        ...{ clock, look, isReached: () => ordeal !== undefined, onChange: view.onChange, lookEveryMs: TICK_MS },
        ended: Promise.race([chaos, fleet.ended]),
      },
      signal,
    );
    look();
    if (how === 'stopped' || ordeal === undefined) throw cancelled('stopped before the verdict');
    const { isWhole }: Ordeal = ordeal;
    if (!isWhole)
      display.say(['Not whole again:', ...diagnose(picture(), view.standing()).map((line) => `  ${line}`)].join('\n'));
    display.say(`Seed ${showing.seed}, ${flags.for / 1_000} s. ${renderVerdict(ordeal)}`);
    return ordeal;
  } finally {
    work?.stop();
    watching.abort();
    await Promise.allSettled([running, chaos]);
  }
};

const tellBlows =
  ({ display }: ChaosShowing, latest: string[]) =>
  (what: string): void => {
    latest.push(`chaos: ${what}`);
    if (!display.isLive) display.say(`         chaos: ${what}`);
  };

interface Playing {
  readonly view: FleetView;
  readonly onBlow: (what: string) => void;
}

const playPlan = (showing: ChaosShowing, { view, onBlow }: Playing, signal: AbortSignal) => {
  const { clock, flags, fleet, rig, seed } = showing;
  const { target, initial, options } = describePlan(flags, seed);
  const untilWhole = async (until: AbortSignal): Promise<boolean> => {
    const limitMs = clock.elapsed() + HEAL_MS;
    let wholeSinceMs = clock.elapsed();
    while (clock.elapsed() - wholeSinceMs < STABLE_MS && clock.elapsed() < limitMs) {
      if (!isWhole(view, flags.machines)) wholeSinceMs = clock.elapsed();
      await sleep(clock, LOOK_MS, until);
    }
    return isWhole(view, flags.machines);
  };
  const struck = { rig, client: fleet.client, fleet: target };
  const plan = planChaos(options);
  return runChaos({ ...struck, clock, plan, durationMs: flags.for, machines: initial, untilWhole, onBlow }, signal);
};

/** Which fleet grows and shrinks, and what its plan is drawn from. */
const describePlan = (flags: UpFlags, seed: number) => {
  const [target = 'macos'] = flags.fleet;
  const initial = shareMachines(flags.machines, flags.fleet)[target] ?? 0;
  const [macs, machines] = [flags.machines + SPARE_MACS, initial + SPARE_MACS];
  return { target, initial, options: { seed, durationMs: flags.for, macs, machines } };
};

/** The same plan under the original's order of effects, beside ours. */
export const compareWithOriginal = async (ordeal: Ordeal, flags: UpFlags, seed: number): Promise<string> => {
  const { initial, options } = describePlan(flags, seed);
  const original = await runOriginal({ ...options, plan: planChaos(options), speedUp: flags.speed, initial });
  return renderComparison(ordeal.judgement, original);
};

/** As many Machines as wanted, each with a Mac of its own that is a Ready Node; every other Mac is free. */
const isWhole = (view: FleetView, machines: number): boolean => {
  const states = view.hosts().map(({ status }) => status?.state);
  const claims = view.hosts().flatMap(({ spec }) => spec.claimRef?.uid ?? []);
  const areSettled = states.every((state) => state === 'joined' || state === 'free');
  const joined = states.filter((state) => state === 'joined').length;
  const areOwn = new Set(claims).size === claims.length;
  const areThere = view.machines().length === machines && view.boundMachines() === machines;
  return areSettled && areOwn && areThere && joined === machines && view.readyNodes() === machines;
};

/** What the verdict means for whoever waits for the exit code. */
export const assertGood = (ordeal: Ordeal, seed: number): void => {
  if (isGood(ordeal)) return;
  throw new FleetError('contract', {
    code: 'PromiseBroken',
    message: 'the fleet did not keep its promises in the chaos',
    hint: `Report it with the seed ${seed} and what is printed above; --log shows what the managers say.`,
  });
};
