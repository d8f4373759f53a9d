/**
 * The job dispatcher of a simulated world: it asks the embedded API as an actor of its own, guests of steps reach it through the
 * kernel, and what happens to runner Pods goes on its record.
 */
import type { ApiServer } from '../controlplane/api/api-server.ts';
import { RUNNERS_PATH } from '../dispatch/port/wire.ts';
import { LABELS } from '../kinds/labels.ts';
import type { Pod } from '../kube/types/pod.ts';
import { isOver } from '../kubelet/pods/plan-pod.ts';
import type { Account } from '../sim/dispatch/cluster-view.ts';
import type { PodNote } from '../sim/dispatch/dispatch-record.ts';
import { createGuestPrograms } from '../sim/dispatch/guest/step-program.ts';
import { createKubeView } from '../sim/dispatch/kube-view.ts';
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
  /** Told of every change of the Pods that there are: puts on record what became of runners. `by` is whoever wrote last. */
  seePods(pods: readonly Pod[], by: string): void;
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
    seePods: createPodWitness(dispatch),
  };
};

/** What was last seen of one runner. */
interface Seen {
  readonly pool: string;
  readonly pod: string;
  isDeleted: boolean;
  isOver: boolean;
}

const createPodWitness = (dispatch: SimDispatch): WorldDispatch['seePods'] => {
  const seen = new Map<string, Seen>();
  return (pods, by) => {
    const runners = new Map(pods.flatMap((pod) => (isRunner(pod) ? [[pod.metadata.uid ?? '', pod] as const] : [])));
    const tell = (event: PodNote['event'], uid: string, { pool, pod }: Seen): void =>
      dispatch.notePod({ event, pool, pod, uid, by });
    for (const [uid, pod] of runners) {
      const known = seen.get(uid) ?? meet(pod);
      if (!seen.has(uid)) tell('pod-made', uid, known);
      seen.set(uid, known);
      if (isOver(pod) && !known.isOver) tell('pod-over', uid, known);
      if (isDeleted(pod) && !known.isDeleted) tell('pod-deleted', uid, known);
      known.isOver ||= isOver(pod);
      known.isDeleted ||= isDeleted(pod);
    }
    for (const [uid, known] of [...seen].filter(([id]) => !runners.has(id))) {
      seen.delete(uid);
      if (!known.isDeleted) tell('pod-deleted', uid, known);
      tell('pod-gone', uid, known);
    }
  };
};

const isRunner = ({ metadata: { labels = {} } }: Pod): boolean => labels[LABELS.runnerPool] !== undefined;
const isDeleted = ({ metadata: { deletionTimestamp } }: Pod): boolean => deletionTimestamp !== undefined;

const meet = ({ metadata: { name, labels = {} } }: Pod): Seen => ({
  ...{ pool: labels[LABELS.runnerPool] ?? '', pod: name, isDeleted: false, isOver: false },
});
