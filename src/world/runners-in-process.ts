/**
 * A fleet of runners in this process, in real time: the simulated job dispatcher over HTTP, the runners controller with the rights of its own
 * account, and one RunnerPool. The Macs that the runners run on are somebody else's business; what their Tart has to know is here.
 */
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import type { User } from '../controlplane/auth/user.ts';
import { createDispatcher } from '../dispatch/adapter/create-dispatcher.ts';
import { createHttpDispatchTransport } from '../dispatch/adapter/http-transport.ts';
import { RUNNER_POOLS } from '../kinds/runner-pool.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { TokenRequest } from '../kube/types/authentication.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../kube/types/core.ts';
import { apiVersionOf } from '../kube/types/resource.ts';
import { createRunners } from '../runners/create-runners.ts';
import { DISRUPTION_BUDGETS, renderEvictionBudget } from '../runners/eviction-budget.ts';
import { createKubeView } from '../sim/dispatch/kube-view.ts';
import { type ServedDispatch, serveDispatch } from '../sim/dispatch/serve-dispatch.ts';
import { createSimDispatch, type SimDispatch } from '../sim/dispatch/sim-dispatch.ts';
import { DEMO_FLEET, type DemoObject, RUNNER_POOL } from './demo-fleet.ts';
import { DISPATCH_SERVER, renderDispatchRights } from './dispatch-rights.ts';
import { RUNNERS_ACCOUNT, RUNNERS_USER, renderRunnerRights } from './identities.ts';

/** Where pools and runners are, and their controller. */
const { namespace: NAMESPACE } = RUNNERS_ACCOUNT;

export const RUNNER_IMAGE = 'ghcr.io/tuist/tuist-runner:macos-26-4-1.0.0';
/** As many VMs as macOS lets a Mac run. */
export const RUNNERS_PER_MAC = 2;

/** The namespace of runners, the account of their controller, all rights, and that nobody evicts them; in an order that works. */
export const renderRunnersHome = (): readonly DemoObject[] => [
  { resource: NAMESPACES, object: { metadata: { name: NAMESPACE } } },
  { resource: SERVICE_ACCOUNTS, object: { metadata: RUNNERS_ACCOUNT } },
  ...renderRunnerRights(NAMESPACE),
  ...renderDispatchRights(NAMESPACE),
  { resource: DISRUPTION_BUDGETS, object: renderEvictionBudget(NAMESPACE) },
];

/** Runners of half a Mac each. */
export const renderRunnerPool = (macs: number): DemoObject => ({
  resource: RUNNER_POOLS,
  object: {
    ...{ apiVersion: apiVersionOf(RUNNER_POOLS), kind: RUNNER_POOLS.kind },
    metadata: { name: RUNNER_POOL, namespace: NAMESPACE },
    ...{
      spec: {
        ...{
          image: RUNNER_IMAGE,
          fleetSelector: DEMO_FLEET,
          dispatchLabel: 'tuist-macos',
          replicas: macs * RUNNERS_PER_MAC,
        },
        ...{ runnerLabels: ['self-hosted', 'macOS', 'ARM64'], podCPUMilli: 4_000, podMemoryMB: 6_144 },
      },
    },
  },
});

export interface RunnerFleetOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly clientFor: (user: User) => KubeClient;
  /** An administrator, who makes the controller's tokens. */
  readonly admin: KubeClient;
  /** How much faster than life jobs are. */
  readonly speedUp: number;
}

export interface RunnerFleet {
  readonly dispatch: SimDispatch;
  readonly served: ServedDispatch;
  /** The controller; settles after a clean stop. The rights have to be there. */
  run(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export const openRunnerFleet = async (options: RunnerFleetOptions): Promise<RunnerFleet> => {
  const { clock, random, logger, clientFor, speedUp } = options;
  const dispatch = createSimDispatch({
    ...{ clock, random: random.stream('dispatch'), timeScale: 1 / speedUp, controller: RUNNERS_ACCOUNT },
    view: createKubeView(clientFor(DISPATCH_SERVER)),
  });
  const served = await serveDispatch({ clock, dispatch });
  const http = createHttpDispatchTransport();
  const { environment } = served;
  const runners = createRunners({
    ...{ client: clientFor(RUNNERS_USER), clock, random, ids: createIds(random), logger },
    ...{ namespace: NAMESPACE, guests: { dispatchUrl: environment['TUIST_RUNNER_DISPATCH_URL'] ?? '' } },
    dispatcher: createDispatcher({
      ...{ transport: http.send, clock, token: createTokens(options) },
      scalingUrl: environment['TUIST_SCALING_SIGNALS_URL'],
      sessionsUrl: environment['TUIST_RUNNER_SESSIONS_URL'],
    }),
    ...{ sessions: 'reported', signals: 'asked' },
  });
  return {
    ...{ dispatch, served, run: runners.run },
    close: async () => {
      dispatch.stop();
      await http.close();
      await served.close();
    },
  };
};

const TOKEN_SECONDS = 3_600;

/** The controller's own token, as its Pod would find it in a file; renewed at half its life. */
const createTokens = ({ admin, clock }: RunnerFleetOptions): ((signal: AbortSignal) => Promise<Secret<string>>) => {
  let held: { readonly token: Secret<string>; readonly untilMs: number } | undefined;
  return async (signal) => {
    if (held !== undefined && clock.elapsed() < held.untilMs) return held.token;
    const body: TokenRequest = { metadata: RUNNERS_ACCOUNT, spec: { audiences: [], expirationSeconds: TOKEN_SECONDS } };
    const { status } = await admin.createSubresource(SERVICE_ACCOUNTS, RUNNERS_ACCOUNT, {
      subresource: 'token',
      body,
      signal,
    });
    held = { token: new Secret(status?.token ?? ''), untilMs: clock.elapsed() + TOKEN_SECONDS * 500 };
    return held.token;
  };
};
