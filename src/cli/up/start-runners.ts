/** What runs in the VMs of `up`: guests that idle or do what a Pod says, and where runners are wanted, runners, with their dispatcher and controller. */
import { ADMIN } from '../../controlplane/auth/user.ts';
import type { ServedControlPlane } from '../../controlplane/serve-control-plane.ts';
import { createGuestPrograms, DISPATCH_POLL } from '../../sim/dispatch/guest/step-program.ts';
import { createSimDispatchTransport } from '../../sim/dispatch/transports.ts';
import { PROJECT_ON_MAC } from '../../sim/mac/bash/mac-root.ts';
import type { GuestPrograms } from '../../sim/tart/guest.ts';
import type { SimTartSettings } from '../../sim/tart/tart-settings.ts';
import { openRunnerFleet, RUNNER_IMAGE, type RunnerFleet } from '../../world/runners-in-process.ts';
import type { SimulationOptions } from '../../world/simulated-provider.ts';

export interface RunnersWish {
  /** How much faster than life jobs are. */
  readonly jobSpeedUp: number;
  /** How much faster than life a guest polls: every poll is four requests to the API. */
  readonly guestSpeedUp: number;
}

/** What a Mac's Tart finds, for either kind of Mac. */
export interface UpGuests {
  /** For Macs that run real bash. */
  readonly program: Partial<SimTartSettings>;
  /** For step-level ones. */
  readonly steps: Partial<SimTartSettings>;
  readonly programs: GuestPrograms;
}

export interface UpRunners extends UpGuests {
  readonly fleet: RunnerFleet;
}

const BOOT_MS = 500;
const PLAIN: Partial<SimTartSettings> = { images: { '*': { bootMs: BOOT_MS } } };

export const PLAIN_GUESTS: UpGuests = { program: PLAIN, steps: PLAIN, programs: {} };

export const openRunners = async (
  { jobSpeedUp, guestSpeedUp }: RunnersWish,
  { clock, random, logger }: Pick<SimulationOptions, 'clock' | 'random' | 'logger'>,
  { clientFor }: ServedControlPlane,
): Promise<UpRunners> => {
  const fleet = await openRunnerFleet({
    ...{ clock, random, logger, clientFor, admin: clientFor(ADMIN), speedUp: jobSpeedUp },
  });
  const { dispatch } = fleet;
  return {
    ...{ fleet, program: withRunners(renderProgram(guestSpeedUp)) },
    steps: withRunners(`SIM_SPEED=${guestSpeedUp} ${DISPATCH_POLL}`),
    programs: createGuestPrograms((pod) => createSimDispatchTransport(dispatch, { clock, caller: pod })),
  };
};

const withRunners = (script: string): Partial<SimTartSettings> => ({
  images: { ...PLAIN.images, [RUNNER_IMAGE]: { script, bootMs: BOOT_MS } },
});

/** In bash on a simulated Mac. */
const renderProgram = (speed: number): string =>
  `export SIM_SPEED=${speed} NODE_COMPILE_CACHE=/tmp/sim-guest; exec /host/node ${PROJECT_ON_MAC}/src/sim/dispatch/guest/main.ts`;
