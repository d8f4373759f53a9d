/** What `up` is asked to start, and what it is made of. */
import type { FleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { AuditLog } from '../../controlplane/audit/audit-log.ts';
import type { OnRequest } from '../../controlplane/auth/audit.ts';
import type { ServedControlPlane } from '../../controlplane/serve-control-plane.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { MacRack } from '../../sim/mac/bash/mac-rack.ts';
import type { RunnerFleet } from '../../world/runners-in-process.ts';
import type { StepLevelOptions } from '../../world/step-level-macs.ts';
import type { RunnersWish, UpGuests } from './start-runners.ts';

export interface FleetOptions extends Omit<StepLevelOptions, 'clientForNode' | 'serveNode'> {
  readonly port: number;
  readonly databaseFile?: string;
  /** `elsewhere`: another process is the provider and has the Macs (bin/manager.ts). Or whoever starts both. */
  readonly provider: 'here' | 'elsewhere' | StartProvider;
  /** Are there runners: a job dispatcher, the runners controller, and Macs whose Pods are virtual machines. */
  readonly runners?: RunnersWish;
  /** Whose keys Macs are to know before they are delivered; those of the demonstration unless given. */
  readonly fleets?: readonly string[];
  /** Who makes step-level Macs into Nodes: tart-kubelet in this process, or a Node agent whose Pods are scripts (unless given). */
  readonly agents?: 'tart-kubelet';
  /** Told of every request to the API once it is answered. */
  readonly onRequest?: OnRequest;
  readonly auditLog?: AuditLog;
  /** Called when the API answers, which is long before all else is started. */
  readonly onListening?: (url: string) => void;
  /** On which Macs run real bash; they are step-level without it. Closed by whoever opened it, after the fleet. */
  readonly rack?: MacRack;
}

/** What somebody who starts a provider and its Macs finds. */
export interface ProviderGround {
  readonly plane: ServedControlPlane;
  readonly guests: UpGuests;
  /** The administrator's. */
  readonly client: KubeClient;
}

export type StartProvider = (ground: ProviderGround, signal: AbortSignal) => Promise<ProviderParts>;

export interface ProviderParts {
  readonly ended: Promise<void>;
  /** Where faults of the cloud and of Macs are switched; absent where both are elsewhere. */
  readonly controlUrl?: string;
  stop(): Promise<void>;
}

export interface Fleet {
  readonly url: string;
  readonly kubeconfig: Secret<string>;
  readonly client: KubeClient;
  /** Where there are runners. */
  readonly runners?: Pick<RunnerFleet, 'dispatch' | 'served'>;
  /** Why nothing can be kept any more, if so. */
  storeFailure(): FleetError | undefined;
  /** Settles when everything has stopped; rejects when a part failed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}
