/** The runners of `up`: a job dispatcher, the runners controller, and what simulated Macs need so that their VMs are runners. */
import { ADMIN } from '../../controlplane/auth/user.ts';
import type { ServedControlPlane } from '../../controlplane/serve-control-plane.ts';
import { createGuestPrograms, DISPATCH_POLL } from '../../sim/dispatch/guest/step-program.ts';
import { createSimDispatchTransport } from '../../sim/dispatch/transports.ts';
import { PROJECT_ON_MAC } from '../../sim/mac/bash/mac-root.ts';
import type { SimTartSettings } from '../../sim/tart/tart-settings.ts';
import { createKubeletsOnSteps } from '../../world/kubelets-on-steps.ts';
import { openRunnerFleet, RUNNER_IMAGE, type RunnerFleet } from '../../world/runners-in-process.ts';
import type { SimulationOptions } from '../../world/simulated-provider.ts';
import type { RunNode } from '../../world/step-level-macs.ts';

export interface RunnersWish {
  /** How much faster than life jobs are. */
  readonly jobSpeedUp: number;
  /** How much faster than life a guest polls: every poll is four requests to the API. */
  readonly guestSpeedUp: number;
}

export interface UpRunners {
  readonly fleet: RunnerFleet;
  /** For Macs that run real bash. */
  readonly tart: Partial<SimTartSettings>;
  /** For step-level ones. */
  readonly runNode: RunNode;
  close(): Promise<void>;
}

const BOOT_MS = 500;

export const openRunners = async (
  { jobSpeedUp, guestSpeedUp }: RunnersWish,
  { clock, random, logger }: Pick<SimulationOptions, 'clock' | 'random' | 'logger'>,
  { clientFor }: ServedControlPlane,
): Promise<UpRunners> => {
  const deps = { clock, random, logger };
  const fleet = await openRunnerFleet({ ...deps, clientFor, admin: clientFor(ADMIN), speedUp: jobSpeedUp });
  const { dispatch } = fleet;
  const macs = createKubeletsOnSteps({
    ...deps,
    tart: withImage(`SIM_SPEED=${guestSpeedUp} ${DISPATCH_POLL}`),
    guestPrograms: createGuestPrograms((pod) => createSimDispatchTransport(dispatch, { clock, caller: pod })),
  });
  return {
    ...{ fleet, tart: withImage(renderProgram(guestSpeedUp)), runNode: macs.runNode },
    close: async () => {
      macs.stop();
      await fleet.close();
    },
  };
};

const withImage = (script: string): Partial<SimTartSettings> => ({
  images: { '*': {}, [RUNNER_IMAGE]: { script, bootMs: BOOT_MS } },
});

/** In bash on a simulated Mac. */
const renderProgram = (speed: number): string =>
  `export SIM_SPEED=${speed} NODE_COMPILE_CACHE=/tmp/sim-guest; exec /host/node ${PROJECT_ON_MAC}/src/sim/dispatch/guest/main.ts`;
