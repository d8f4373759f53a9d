/**
 * The job dispatcher of a simulated world: it asks the embedded API as an actor of its own, guests of steps reach it through the
 * kernel, and what happens to runner Pods goes on its record.
 */
import type { ApiServer } from '../controlplane/api/api-server.ts';
import { RUNNERS_PATH } from '../dispatch/port/wire.ts';
import type { Account } from '../sim/dispatch/cluster-view.ts';
import { createGuestPrograms } from '../sim/dispatch/guest/step-program.ts';
import { createKubeView } from '../sim/dispatch/kube-view.ts';
import { createPodWitness, type PodWitness } from '../sim/dispatch/pod-witness.ts';
import { createSimDispatch, type SimDispatch } from '../sim/dispatch/sim-dispatch.ts';
import { createKernelDispatchTransport } from '../sim/dispatch/transports.ts';
import type { Kernel } from '../sim/kernel/kernel.ts';
import type { GuestPrograms } from '../sim/tart/guest.ts';
import { DISPATCH_SERVER } from './dispatch-rights.ts';
import { TRUE_PACE } from './fleet-pace.ts';
import { openWorldClient } from './world-login.ts';

export interface WorldDispatch {
  readonly dispatch: SimDispatch;
  /** For Macs of steps: an image whose script is `dispatch-poll` is a runner's. */
  readonly guestPrograms: GuestPrograms;
  /** What a runner's Pod has as TUIST_RUNNER_DISPATCH_URL. */
  readonly url: string;
  readonly seePods: PodWitness;
}

export interface WorldDispatchDeps {
  readonly kernel: Kernel;
  readonly api: () => ApiServer;
  readonly controller: Account;
  readonly protocol?: 1 | 2;
}

const ORIGIN = 'http://dispatch.simulated';

export const createWorldDispatch = ({ kernel, api, controller, protocol = 2 }: WorldDispatchDeps): WorldDispatch => {
  const server = kernel.actor('dispatcher');
  const guests = kernel.actor('guests');
  const client = openWorldClient(server, TRUE_PACE, {
    server: (request) => api().handle({ ...request, user: DISPATCH_SERVER }),
  });
  const { clock, random } = server;
  const dispatch = createSimDispatch({ clock, random, protocol, controller, view: createKubeView(client) });
  return {
    ...{ dispatch, url: `${ORIGIN}${RUNNERS_PATH}/dispatch` },
    guestPrograms: createGuestPrograms((pod) => createKernelDispatchTransport(dispatch, guests, pod)),
    seePods: createPodWitness(dispatch.notePod),
  };
};
