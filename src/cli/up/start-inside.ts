/** What lives on the control plane of `up`, and speaks to nothing but its API. */
import { linkedController } from '../../base/abort.ts';
import { ADMIN } from '../../controlplane/auth/user.ts';
import { KUBELET_CLIENT } from '../../controlplane/node-connection.ts';
import type { ServedControlPlane } from '../../controlplane/serve-control-plane.ts';
import { ALL_KINDS } from '../../kinds/all-kinds.ts';
import { toCustomResourceDefinition } from '../../kinds/schema/crd.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { createUndiciTransport, type UndiciTransportOptions } from '../../kube/client/undici-transport.ts';
import { createNodeLogins } from '../../kube/node/node-login.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { createManager } from '../../provider/create-manager.ts';
import { createJoinCredentials } from '../../provider/identity/join-credentials.ts';
import { answerControl } from '../../sim/cloud/control.ts';
import type { ApiRequest } from '../../sim/http/api-message.ts';
import { startHttpServer } from '../../sim/http/http-server.ts';
import { createServeNode } from '../../sim/node/node-server.ts';
import { DEMO_FLEET, DEMO_NAMESPACE } from '../../world/demo-fleet.ts';
import { POLICIES, PROVIDER, REMOTE_ACCOUNT, renderRights } from '../../world/identities.ts';
import { createKubeletsOnSteps } from '../../world/kubelets-on-steps.ts';
import { renderRunnersHome } from '../../world/runners-in-process.ts';
import { createSimulatedPorts, type Simulation } from '../../world/simulated-provider.ts';
import { startStepLevelMacs } from '../../world/step-level-macs.ts';
import { publishControls } from '../sim/simulation-map.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import type { Fleet, FleetOptions, ProviderGround, ProviderParts } from './fleet-parts.ts';
import { openRunners, PLAIN_GUESTS, type UpGuests } from './start-runners.ts';

interface MacOptions extends FleetOptions {
  readonly guests: UpGuests;
}

const CRDS: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** Everything that speaks to the API: the kinds, the controllers, the provider, and the world they work on. */
export const startInside = async (
  options: FleetOptions,
  plane: ServedControlPlane,
  signal: AbortSignal,
): Promise<Pick<Fleet, 'client' | 'runners' | 'ended' | 'stop'>> => {
  const life = linkedController(signal);
  await using opened = new AsyncDisposableStack();
  const client = plane.clientFor(ADMIN);
  for (const kind of ALL_KINDS) {
    await createOrIgnore(client, { resource: CRDS, object: toCustomResourceDefinition(kind) }, life.signal);
  }
  const guards = options.runners === undefined ? [] : renderRunnersHome();
  for (const guard of [...renderRights(DEMO_NAMESPACE), ...POLICIES, ...guards])
    await createOrIgnore(client, guard, life.signal);
  const runners = options.runners && (await openRunners(options.runners, options, plane));
  opened.defer(() => runners?.fleet.close());
  const parts = await startParts(options, { plane, client, guests: runners ?? PLAIN_GUESTS }, life.signal);
  opened.defer(async () => {
    life.abort();
    // How they ended is told by `ended` of the whole.
    await parts.ended.catch(() => undefined);
    await parts.stop();
  });
  const controls = { cloud: parts.controlUrl, dispatcher: runners?.fleet.served.controlUrl };
  await publishControls(controls, client, life.signal);
  const controllers = plane.runControllers(life.signal);
  const ended = Promise.all([controllers, parts.ended, runners?.fleet.run(life.signal)])
    .then(() => undefined)
    .finally(() => life.abort());
  const closing = opened.move();
  return {
    ...{ client, ended },
    ...(runners === undefined ? {} : { runners: runners.fleet }),
    stop: async () => {
      life.abort();
      await ended.catch(() => undefined);
      await closing.disposeAsync();
    },
  };
};

const NOTHING: ProviderParts = { ended: Promise.resolve(), stop: () => Promise.resolve() };

const startParts = async (
  options: FleetOptions,
  ground: ProviderGround,
  signal: AbortSignal,
): Promise<ProviderParts> => {
  const { provider } = options;
  if (provider === 'elsewhere') return NOTHING;
  if (provider === 'here') return startProvider({ ...options, guests: ground.guests }, ground.plane, signal);
  return provider(ground, signal);
};

/** Of core; it is renewed well before. */
const REMOTE_TOKEN_LIFE_MS = 86_400_000;

/** The provider, and the simulated cloud and Macs that it works on. */
const startProvider = async (
  options: MacOptions,
  plane: ServedControlPlane,
  signal: AbortSignal,
): Promise<ProviderParts> => {
  const { clock, random } = options;
  const { url: server, authority } = plane;
  const client = plane.clientFor(PROVIDER);
  const simulation = await startMacs(options, plane, signal);
  try {
    const join = createJoinCredentials({ client, clock, random, cluster: { server, authority } });
    const ports = await createSimulatedPorts({ ...options, client, join }, simulation, signal);
    const remote = { server, authority, account: REMOTE_ACCOUNT, tokenLifeMs: REMOTE_TOKEN_LIFE_MS };
    const manager = createManager({ ...ports, remote });
    // A Mac lets in the keys that the project knew when it was installed.
    for (const fleet of options.fleets ?? [DEMO_FLEET]) await ports.fleetKeys.privateKeyOf(fleet, signal);
    const answer = (request: ApiRequest) => answerControl(simulation, request);
    const control = await startHttpServer({ clock, port: 0, answer });
    const ended = simulation.deliver().then(() => manager.run(signal));
    return {
      ...{ ended, controlUrl: control.url },
      stop: async () => {
        await control.close();
        await simulation.stop();
      },
    };
  } catch (error) {
    await simulation.stop();
    throw error;
  }
};

/** Nothing between an agent and the API can fall silent here, so that watches need not be begun anew every minute. */
const WATCH_SECONDS = { least: 600, spread: 300 };

const startMacs = async (options: MacOptions, plane: ServedControlPlane, signal: AbortSignal): Promise<Simulation> => {
  const { authority, url, transportWith } = plane;
  const { rack, guests, clock, random, logger } = options;
  if (rack !== undefined) {
    // Loaded only where there are such Macs: SSH alone takes 8 MB and 20 ms.
    const { startRealBashMacs } = await import('../../world/real-bash-macs.ts');
    return startRealBashMacs({ ...options, rack, tart: guests.program });
  }
  // They live in this process, as the API does: a thousand of them speak to it without a socket. Each shows what lies on its Mac.
  // Whatever the port: what lies on a kept Mac names the one of the run that prepared it.
  const { hostname } = new URL(url);
  const openTransport = (to: UndiciTransportOptions) =>
    new URL(to.server).hostname === hostname ? transportWith(to.credentials) : createUndiciTransport(to);
  const logins = createNodeLogins({
    ...options,
    host: createHostIo(),
    openTransport,
    options: { watchSeconds: WATCH_SECONDS },
  });
  const { clientForNode } = logins;
  const kubelets =
    options.agents === undefined && options.runners === undefined
      ? undefined
      : createKubeletsOnSteps({
          ...{ clock, random, logger, tart: guests.steps, guestPrograms: guests.programs, clientAuthority: authority },
        });
  const serveNode = createServeNode({
    ...{ host: '127.0.0.1', clientAuthority: authority, caller: KUBELET_CLIENT.name },
  });
  const node = kubelets === undefined ? { serveNode } : { runNode: kubelets.runNode, onDown: kubelets.onDown };
  const simulation = startStepLevelMacs({ ...options, ...node, clientForNode }, signal);
  return {
    ...simulation,
    stop: async () => {
      await simulation.stop();
      kubelets?.stop();
      await logins.close();
    },
  };
};
