/**
 * The provider's ports on a Scaleway project as an operator configured it, real or `macfleet sim cloud`. Sessions on Macs are
 * handed in: what opens them is composed elsewhere.
 */
import type { Clock } from '../base/clock.ts';
import { FleetError } from '../base/errors.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { createHostPreparer, type HostPreparerDeps } from '../hosts/host-preparer.ts';
import type { Hosts } from '../hosts/port.ts';
import { toClusterId } from '../kinds/names.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { NAMESPACES } from '../kube/types/core.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import {
  DEFAULT_LIMITS,
  DEFAULT_ROLL,
  type FleetKeys,
  type JoinCredentials,
  type ProviderTimes,
} from '../provider/host/ports.ts';
import { createFleetKeys } from '../provider/identity/fleet-keys.ts';
import { createJoinCredentials } from '../provider/identity/join-credentials.ts';
import type { OpenedScaleway } from '../scaleway/adapter/open-scaleway.ts';
import type { SshKeys } from '../scaleway/port/cloud.ts';
import { registerSshKey } from '../scaleway/register-ssh-key.ts';
import type { ClusterAccess } from './cluster-access.ts';

export interface ScalewayPortsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly scaleway: OpenedScaleway;
  readonly sessions: HostSessions;
  /** Used where a machine names none; empty when every machine must. */
  readonly poolPrefix: string;
  readonly namespace?: string;
}

/** Everything that is needed to work on a Mac itself. */
export interface HostSessions {
  readonly hosts: Hosts;
  readonly files: HostPreparerDeps['files'];
  readonly artefacts: HostPreparerDeps['artefacts'];
  readonly fleetKeys: FleetKeys;
  readonly join: JoinCredentials;
}

export interface HostSessionDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly hosts: Hosts;
  readonly files: HostSessions['files'];
  readonly artefacts: HostSessions['artefacts'];
  readonly sshKeys: SshKeys;
  readonly secretsNamespace: string;
  readonly access: ClusterAccess;
}

/** With keys and tokens that the cluster keeps; the keys are known to Scaleway before anybody needs them. */
export const createHostSessions = (deps: HostSessionDeps): HostSessions => {
  const { client, clock, random, hosts, files, artefacts, sshKeys, secretsNamespace: namespace, access } = deps;
  const cluster = { server: access.forMacs, authority: access.authority };
  return {
    ...{ hosts, files, artefacts },
    fleetKeys: createFleetKeys({
      ...{ client, namespace, random: random.stream('fleet keys') },
      register: (key, signal) => registerSshKey(sshKeys, key, signal),
    }),
    join: createJoinCredentials({ client, clock, random: random.stream('join tokens'), cluster }),
  };
};

const MINUTE_MS = 60_000;

const TIMES: ProviderTimes = {
  claimHoldMs: 36_000,
  quietMs: MINUTE_MS,
  recordMaxAgeMs: 30_000,
  pollMs: 10_000,
  inventoryMs: 30_000,
  bootstrapTimeoutMs: 15 * MINUTE_MS,
  nodeWaitMs: 2 * MINUTE_MS,
  bootstrapBackoff: { initialMs: MINUTE_MS, maxMs: 10 * MINUTE_MS },
};

export const createScalewayPorts = async (
  options: ScalewayPortsOptions,
  signal: AbortSignal,
): Promise<ProviderPorts> => {
  const { client, clock, random, logger, scaleway, sessions, poolPrefix, namespace } = options;
  const kubeSystem = await client.get(NAMESPACES, { name: 'kube-system' }, { signal });
  const clusterId = toClusterId(kubeSystem.metadata.uid ?? '');
  const { cloud, projectId, zones } = scaleway;
  const { hosts, files, artefacts, fleetKeys, join } = sessions;
  return {
    ...{ client, clock, random, ids: createIds(random), logger, cloud, fleetKeys, join },
    preparer: createHostPreparer({ hosts, clock, files, artefacts }),
    settings: {
      ...{ projectId, zones, poolPrefix, clusterId, times: TIMES, limits: DEFAULT_LIMITS, roll: DEFAULT_ROLL },
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
};

/**
 * For a manager that is given no way to Macs: it takes stock and claims. Without a key nothing claimed gets its name at
 * Scaleway, so that no Mac is counted as failing, and none is rebooted or wiped for that.
 */
export const createAbsentSessions = (): HostSessions => {
  const absent = async (): Promise<never> => {
    throw new FleetError('unavailable', {
      code: 'NoHostSessions',
      message: 'this manager opens no sessions on Macs, so none is prepared',
      hint: 'Work on simulated Macs (--simulated-macs), or wait for a version that has sessions over SSH.',
    });
  };
  const nothing = { files: { lib: '', steps: {} }, artefacts: {} };
  return { hosts: { open: absent }, ...nothing, fleetKeys: { privateKeyOf: absent }, join: { issue: absent } };
};
