/** What the provider needs from the outside: the same for the manager process, for `macfleet up` and for the simulated world. */
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import type { HostPreparer } from '../../hosts/port.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Cloud } from '../../scaleway/port/cloud.ts';
import type { RollLimits } from '../fleet/plan-drift.ts';
import type { WaveView } from '../fleet/plan-wave.ts';
import type { HostLimits, HostTimes } from './host-view.ts';
import type { OrderLimits } from './plan-order.ts';
import type { PoolNamespaces } from './pool-rights.ts';

/** Who is to join. */
export interface Joiner {
  /** Its Node has the same name. */
  readonly machine: { readonly namespace: string; readonly name: string };
  /** Name of the MacHost that has the claim: another Mac of the same machine gets credentials of its own. */
  readonly host: string;
  /** Of that MacHost. */
  readonly uid: string;
  /** How often it had been wiped: what was for its disk before is good for nothing after. */
  readonly wipes: number;
  /** Of the operation that brings them to the Mac: those of a later one take their place. */
  readonly epoch: number;
}

/** What lets a Mac join the cluster under one Node name. */
export interface JoinCredentials {
  /** A kubeconfig for the Node of this machine on this Mac, and no other. */
  issue(joiner: Joiner, signal: AbortSignal): Promise<Secret<string>>;
  /** Nobody joins any more by what was issued to this Mac under this epoch, if anything was. */
  withdraw?(joiner: Pick<Joiner, 'host' | 'uid' | 'epoch'>, signal: AbortSignal): Promise<void>;
  /** How long the identity lives at most that comes of it, unless it is renewed; undefined: as long as the Mac. */
  readonly lifeMs?: number;
}

/** The SSH key that a fleet's Macs accept. */
export interface FleetKeys {
  privateKeyOf(fleet: string, signal: AbortSignal): Promise<Secret<string>>;
  /** Since when every Mac that is installed gets it; undefined: nobody knows. */
  knownSince(fleet: string, signal: AbortSignal): Promise<number | undefined>;
}

/** What a builder is to be: as its machine says. */
export type HostRunner = NonNullable<NonNullable<MacHostSpec['configuration']>['ghActionsRunner']>;

/** What lets a builder register itself at GitHub. */
export interface RunnerRegistrations {
  registrationToken(
    builder: { readonly namespace: string; readonly runner: HostRunner },
    signal: AbortSignal,
  ): Promise<Secret<string>>;
}

export interface ProviderSettings {
  /** The Scaleway project this manager acts in; it touches no host of another (R1). */
  readonly projectId: string;
  readonly zones: readonly string[];
  /** Used where a machine names no prefix of its own. */
  readonly poolPrefix: string;
  /** The first eight digits of the UID of kube-system. */
  readonly clusterId: string;
  /** Where the Clusters and Machines are that this manager works for; all namespaces without it. */
  readonly namespace?: string;
  readonly times: ProviderTimes;
  readonly limits: HostLimits;
  /** Where the Go original kept what it made for each Mac; without it nothing of that is looked for (R28). */
  readonly originalsNamespace?: string;
  /** How many machines are worked on at once. */
  readonly machineWorkers?: number;
  /** What may be rented; nothing unless said (R25). */
  readonly orders?: OrderLimits;
  readonly roll: RollSettings;
  /** Where Macs may serve besides their own addresses: on the loopback, if they are simulated. */
  readonly servingAddresses?: readonly string[];
  /** Without rules every namespace may adopt from every pool. */
  readonly poolNamespaces?: PoolNamespaces;
}

/** As the flags of the manager have them. */
export const DEFAULT_LIMITS: HostLimits = { rebootAfter: 3, releaseAfter: 8, reinstallsPerHour: 30 };

/** How a new host configuration gets to the Macs that work. */
export interface RollSettings extends RollLimits, Pick<WaveView, 'settleMs' | 'fraction'> {}

export const DEFAULT_ROLL: RollSettings = {
  ...{ cap: 5, retryAfterMs: 1_800_000, paceMs: 60_000 },
  ...{ settleMs: 120_000, fraction: 0.25 },
};

export interface ProviderTimes extends HostTimes {
  readonly inventoryMs: number;
  readonly bootstrapTimeoutMs: number;
  /** How long after its bootstrap a Mac may take to show its Node. */
  readonly nodeWaitMs: number;
  /** The pace of bootstraps that fail. */
  readonly bootstrapBackoff: { readonly initialMs: number; readonly maxMs: number };
}

export interface HostPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly cloud: Cloud;
  readonly preparer: HostPreparer;
  readonly join: JoinCredentials;
  readonly fleetKeys: FleetKeys;
  /** Without it no Mac becomes a builder. */
  readonly runners?: RunnerRegistrations;
  readonly settings: ProviderSettings;
}
