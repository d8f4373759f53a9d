/**
 * The runners controller on the virtual clock: the embedded control plane with its scheduler, and one or more controllers as
 * actors that can be killed at any effect. Who the Macs are and who hands out jobs is for whoever composes it.
 */
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { createDispatcher } from '../dispatch/adapter/create-dispatcher.ts';
import type { DispatchTransport } from '../dispatch/port/transport.ts';
import { RUNNERS_PATH } from '../dispatch/port/wire.ts';
import { LEASE_NAMES } from '../kinds/names.ts';
import { createLeaderLease } from '../kube/manager/leader-lease.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import { createRunners } from '../runners/create-runners.ts';
import type { RunnersPorts } from '../runners/ports.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from './fleet-world.ts';
import { RUNNERS_USER, renderRunnerRights } from './identities.ts';

export interface RunnersWorldOptions extends Omit<FleetWorldOptions, 'macs' | 'managers' | 'adjust'> {
  /** How a controller reaches the dispatcher. */
  readonly transportFor: (actor: Actor) => DispatchTransport;
  /** What a controller shows the dispatcher. */
  readonly tokenFor?: () => string;
  /** Controllers, by name: one unless given. Only one of them acts. */
  readonly controllers?: readonly string[];
  /** What they work with, where a test wants it otherwise: a mutant. */
  readonly adjust?: (ports: RunnersPorts) => RunnersPorts;
  readonly metrics?: RuntimeMetrics;
}

export const RUNNERS_NAMESPACE = 'tuist-runners';

const BASE = `https://tuist.world${RUNNERS_PATH}`;
const RUNNERS_URLS = {
  dispatch: `${BASE}/dispatch`,
  scaling: `${BASE}/desired_replicas`,
  sessions: BASE,
} as const;

export const createRunnersWorld = (options: RunnersWorldOptions): FleetWorld => {
  const world = createFleetWorld({
    ...options,
    adjust: (ports) => ports,
    macs: 0,
    managers: [],
    namespace: RUNNERS_NAMESPACE,
  });
  for (const right of renderRunnerRights(RUNNERS_NAMESPACE)) world.operator.apply(right);
  for (const name of options.controllers ?? ['runners'])
    world.kernel.boot(name, (actor) => runController(actor, world, options));
  return world;
};

/** One life of a controller process: when it loses the lease it starts over, as a restarted container does. */
const runController = async (actor: Actor, world: FleetWorld, options: RunnersWorldOptions): Promise<void> => {
  const { clock, random, ids, logger } = actor;
  const { transportFor, metrics, pace, adjust = (ports) => ports } = options;
  const client = world.clientAs(actor, RUNNERS_USER);
  const dispatcher = createDispatcher({
    ...{ transport: transportFor(actor), clock, scalingUrl: RUNNERS_URLS.scaling, sessionsUrl: RUNNERS_URLS.sessions },
    token: async () => new Secret(options.tokenFor?.() ?? 'the token of the controller'),
  });
  for (let term = 0; ; term += 1) {
    const lease = createLeaderLease({
      ...{ client, clock, random, logger, identity: `${actor.name}-${actor.epoch}-${term}` },
      lease: { namespace: RUNNERS_NAMESPACE, name: LEASE_NAMES.runners },
      ...(pace?.leaderLease && { times: pace.leaderLease }),
    });
    const manager = createRunners(
      adjust({
        ...{ client, clock, random, ids, logger, dispatcher, lease, namespace: RUNNERS_NAMESPACE },
        ...{ guests: { dispatchUrl: RUNNERS_URLS.dispatch }, sessions: 'reported', signals: 'asked' },
        ...(metrics === undefined ? {} : { metrics }),
      }),
    );
    await manager.run(neverAborted()).catch((error: unknown) => logger.info('Term ended', { error: String(error) }));
  }
};
