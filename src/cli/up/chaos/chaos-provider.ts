/** The provider of `up --chaos`: two managers as processes on a simulated Scaleway over HTTP and Macs over SSH, each way breakable. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkedController, throwIfAborted } from '../../../base/abort.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { createCache, dropManagedFields } from '../../../kube/cache/cache.ts';
import { createHostIo } from '../../../kube/client/login/host-io.ts';
import { createNodeLogins } from '../../../kube/node/node-login.ts';
import { SECRETS } from '../../../kube/types/core.ts';
import type { LoopbackServer } from '../../../sim/mac/loopback-server.ts';
import { createWipeWitness, type LiveWipe } from '../../../world/chaos/judge-audit.ts';
import { PROVIDER, SECRETS_NAMESPACE } from '../../../world/identities.ts';
import { createKubeletsOnSteps } from '../../../world/kubelets-on-steps.ts';
import { POOL_PREFIX, type SimulationOptions } from '../../../world/simulated-provider.ts';
import { createOrIgnore } from '../create-or-ignore.ts';
import type { ProviderGround, ProviderParts, StartProvider } from '../fleet-parts.ts';
import { openBreakableWay } from './breakable-way.ts';
import { type ChaosMacs, startChaosMacs } from './chaos-macs.ts';
import { createManagerChildren, type ManagerChildren } from './manager-children.ts';

export interface ChaosRig {
  readonly managers: ManagerChildren;
  readonly macs: ChaosMacs;
  /** Of managers to the API. */
  readonly way: LoopbackServer;
  /** Wipes of Macs that a machine had. */
  readonly liveWipes: () => readonly LiveWipe[];
}

export interface ChaosProviderOptions extends SimulationOptions {
  /** Where files for managers are put. */
  readonly folder: string;
  readonly fleets: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (manager: string, line: string) => void;
  /** Everything is there. */
  readonly onReady: (rig: ChaosRig) => void;
}

const MANAGER_NAMES = ['manager-1', 'manager-2'] as const;

export const createChaosProvider =
  (options: ChaosProviderOptions): StartProvider =>
  async (ground, signal) => {
    const { plane, client, guests } = ground;
    const { clock, random, logger } = options;
    const life = linkedController(signal);
    await using opened = new AsyncDisposableStack();
    const logins = createNodeLogins({ clock, random, logger, host: createHostIo() });
    const kubelets = createKubeletsOnSteps({
      ...{ clock, random, logger, clientAuthority: plane.authority },
      ...{ tart: guests.steps, guestPrograms: guests.programs },
      // No agent runs before the Macs are there.
      addressOf: (serverId) => macs.simulation.cloud.server(serverId)?.address,
    });
    const { clientForNode } = logins;
    const owners = createCache({ clock, random, logger, client, resource: MACHINES, transform: dropManagedFields });
    const watching = owners.run(life.signal);
    opened.defer(async () => {
      life.abort();
      await watching;
    });
    opened.defer(() => logins.close());
    opened.defer(() => kubelets.stop());
    const witness = createWipeWitness((serverId) => findOwner(owners.list(), serverId));
    const macs: ChaosMacs = await startChaosMacs(
      { ...options, clientForNode, runNode: kubelets.runNode, onDown: kubelets.onDown, onCloudWrite: witness.hear },
      life.signal,
    );
    opened.defer(() => macs.stop());
    for (const fleet of options.fleets) {
      await createOrIgnore(client, { resource: SECRETS, object: renderKey(fleet, macs.fleetKey) }, life.signal);
    }
    const { hostname: host, port } = new URL(plane.url);
    const way = await openBreakableWay({ host, port: Number(port) });
    opened.defer(() => way.close());
    const failed = Promise.withResolvers<never>();
    const managers = createManagerChildren({
      flags: writeFlags(options, { macs, way, ground }),
      env: { ...options.env, ...macs.served.environment },
      onLine: options.onLine,
      onEnd: (name, how) => failed.reject(new Error(`${name} ended by itself: ${how}`)),
    });
    opened.defer(() => managers.stop());
    throwIfAborted(signal);
    for (const name of MANAGER_NAMES) managers.start(name);
    options.onReady({ managers, macs, way, liveWipes: witness.found });
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const closing = opened.move();
    return {
      ended: Promise.race([ended, failed.promise]),
      controlUrl: macs.served.controlUrl,
      stop: async () => {
        life.abort();
        await closing.disposeAsync();
      },
    } satisfies ProviderParts;
  };

/** Whoever was told that it has the Mac, and is not on its way out. */
const findOwner = (machines: readonly ScalewayAppleSiliconMachine[], serverId: string): string | undefined =>
  machines.find(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.serverID === serverId &&
      status.initialization?.provisioned === true,
  )?.metadata.name;

const renderKey = (fleet: string, { privateKey, publicKey }: ChaosMacs['fleetKey']) => ({
  metadata: { namespace: SECRETS_NAMESPACE, name: `${fleet}-ssh` },
  data: {
    id_ed25519: Buffer.from(privateKey).toString('base64'),
    'id_ed25519.pub': Buffer.from(publicKey).toString('base64'),
  },
});

const ARTEFACTS = ['tart-tarball-path', 'tartkubelet-runtime-path', 'tartkubelet-bundle-path'] as const;
/** A minute of chaos wipes more Macs than a quiet day. */
const REINSTALLS_PER_HOUR = 1_000;

interface ManagerGround extends Pick<ChaosRig, 'macs' | 'way'> {
  readonly ground: ProviderGround;
}

/** Step-level Macs take any file for a program. */
const writeFlags = (
  { folder }: ChaosProviderOptions,
  { macs, way, ground: { plane } }: ManagerGround,
): readonly string[] => {
  const put = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const login = plane.kubeconfigFor(PROVIDER).reveal().replace(plane.url, `https://127.0.0.1:${way.port}`);
  return [
    ...['--scaleway', `--kubeconfig=${put('manager.kubeconfig', login)}`, `--api-server-url=${plane.url}`],
    ...['--lease-profile=fast', '--host-times=fast', `--ssh-port=${macs.sshPort}`],
    ...[`--default-adopt-pool-prefix=${POOL_PREFIX}`, `--max-reinstalls-per-hour=${REINSTALLS_PER_HOUR}`],
    ...['--metrics-bind-address=0', '--health-probe-bind-address=0'],
    ...ARTEFACTS.map((flag) => `--${flag}=${put(flag, `the ${flag}`)}`),
  ];
};
