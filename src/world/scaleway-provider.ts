/**
 * The provider's ports on a Scaleway project as an operator configured it, real or `macfleet sim cloud`. The way to Macs is
 * handed in (host-access.ts).
 */
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import { toClusterId } from '../kinds/names.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { NAMESPACES } from '../kube/types/core.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { DEFAULT_LIMITS, DEFAULT_ROLL, type FleetKeys, type JoinCredentials } from '../provider/host/ports.ts';
import { createFleetKeys } from '../provider/identity/fleet-keys.ts';
import { createJoinCredentials } from '../provider/identity/join-credentials.ts';
import type { OpenedScaleway } from '../scaleway/adapter/open-scaleway.ts';
import type { SshKeys } from '../scaleway/port/cloud.ts';
import { registerSshKey } from '../scaleway/register-ssh-key.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { HostAccess } from './host-access.ts';
import { hostTimesFor } from './host-times.ts';
import type { HostTimesProfile } from './manager-flags-values.ts';

export interface ScalewayPortsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly scaleway: OpenedScaleway;
  readonly sessions: HostSessions;
  readonly clusterId: string;
  /** Used where a machine names none; empty when every machine must. */
  readonly poolPrefix: string;
  readonly namespace?: string;
  /** `normal` unless given. */
  readonly hostTimes?: HostTimesProfile;
}

/** Everything that is needed to work on a Mac itself. */
export interface HostSessions extends HostAccess {
  readonly fleetKeys: FleetKeys;
  readonly join: JoinCredentials;
}

export interface HostSessionDeps extends HostAccess {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly sshKeys: SshKeys;
  readonly clusterId: string;
  readonly secretsNamespace: string;
  readonly access: Pick<ClusterAccess, 'forMacs' | 'authority'>;
}

/** With keys and tokens that the cluster keeps; the keys are known to Scaleway before anybody needs them. */
export const createHostSessions = (deps: HostSessionDeps): HostSessions => {
  const { client, clock, random, sshKeys, clusterId, secretsNamespace: namespace, access, ...macs } = deps;
  const cluster = { server: access.forMacs, authority: access.authority };
  return {
    ...macs,
    fleetKeys: createFleetKeys({
      ...{ client, clock, namespace, random: random.stream('fleet keys') },
      register: (key, signal) => registerSshKey(sshKeys, { ...key, clusterId }, signal),
    }),
    join: createJoinCredentials({ client, clock, random: random.stream('join tokens'), cluster }),
  };
};

/** What tells this cluster from others that share a Scaleway project. */
export const readClusterId = async (client: KubeClient, signal: AbortSignal): Promise<string> => {
  const kubeSystem = await client.get(NAMESPACES, { name: 'kube-system' }, { signal });
  return toClusterId(kubeSystem.metadata.uid ?? '');
};

export const createScalewayPorts = (options: ScalewayPortsOptions): ProviderPorts => {
  const { client, clock, random, logger, scaleway, sessions, clusterId, poolPrefix, namespace } = options;
  const { cloud, projectId, zones, apiUrl } = scaleway;
  const times = hostTimesFor(options.hostTimes ?? 'normal', apiUrl);
  const { fleetKeys, join, ...macs } = sessions;
  return {
    ...{ client, clock, random, ids: createIds(random), logger, cloud, fleetKeys, join },
    preparer: createHostPreparer({ ...macs, clock }),
    settings: {
      ...{ projectId, zones, poolPrefix, clusterId, times, limits: DEFAULT_LIMITS, roll: DEFAULT_ROLL },
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
};
