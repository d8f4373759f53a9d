/** Controllers as a composition hands them to a manager, each under its own name. */
import { neverAborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import { createEventRecorder, type EventRecorder } from '../../kube/controller/events.ts';
import type { ManagerOptions } from '../../kube/manager/manager.ts';
import type { ControllerAccount } from '../auth/bootstrap/roles-for-controllers.ts';

export interface ControllerSetDeps {
  /** Watches for all of them. */
  readonly client: KubeClient;
  /** As whom a controller reads and writes; without it all do so as whoever watches. */
  readonly clientFor?: (account: ControllerAccount) => KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly pace?: ControllerPace;
}

/** How often controllers look where nothing tells them; as in a real cluster unless given. */
export interface ControllerPace {
  /** A Node whose Lease is older is silent. */
  readonly nodeSilentAfterMs: number;
  /** How long a connection to the cluster that Machines join is trusted without asking. */
  readonly remoteProbeMs: number;
  /** The longest time between two looks at what is left in a namespace that ends. */
  readonly namespaceLooksMostMs: number;
}

/** What a manager runs. */
export interface ControllerSet {
  readonly caches: ManagerOptions['caches'];
  readonly controllers: readonly Controller[];
  readonly events: Pick<EventRecorder, 'flush'>;
}

export interface Staff {
  /** The controller that `create` makes, working under that account; what it tells is told by `component`. */
  employ(
    who: { readonly account: ControllerAccount; readonly component?: string },
    create: (events: EventRecorder) => Controller,
  ): Controller;
  /** What all of them told. */
  readonly events: Pick<EventRecorder, 'flush'>;
}

/** Gives each controller a client and a voice of its own. */
export const createStaff = ({ ids, clientFor, ...deps }: ControllerSetDeps): Staff => {
  const recorders: EventRecorder[] = [];
  return {
    employ: ({ account, component = account }, create) => {
      const client = clientFor?.(account) ?? deps.client;
      const events = createEventRecorder({ ...deps, ids, client, component, signal: neverAborted() });
      recorders.push(events);
      const controller = create(events);
      return { ...controller, run: (given, signal) => controller.run({ ...given, client }, signal) };
    },
    events: {
      flush: async () => {
        await Promise.all(recorders.map((recorder) => recorder.flush()));
      },
    },
  };
};
