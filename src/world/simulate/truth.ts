/** What properties judge by: the truth of a simulated world, which none of its actors sees whole, and what happens to it. */
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { ClusterApiCluster, Machine } from '../../kube/types/cluster-api.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import type { Namespace, Node } from '../../kube/types/core.ts';
import type { AuditEntry } from '../../sim/cloud/call-log.ts';
import type { SimServer } from '../../sim/cloud/sim-server.ts';
import type { MacView } from '../../sim/mac/sim-mac.ts';
import type { BatchNote } from '../../sim/mac/sim-macs.ts';
import type { StaleWrite } from '../api-edge.ts';
import type { HostConfiguration } from '../fleet-cluster.ts';
import type { AgentEvent } from '../fleet-world.ts';
import type { WatchFact } from '../watch-tap.ts';

/** The kinds that properties look at, by the name a property knows them by. */
export interface Kinds {
  readonly hosts: MacHost;
  readonly machines: ScalewayAppleSiliconMachine;
  readonly coreMachines: Machine;
  readonly clusters: ClusterApiCluster;
  readonly nodes: Node;
  readonly leases: Lease;
  readonly namespaces: Namespace;
}

export type KindName = keyof Kinds;

/** Everything as it is now. */
export interface Truth {
  /** On the true wall clock. */
  nowMs(): number;
  list<K extends KindName>(kind: K): readonly Kinds[K][];
  /** By its name; of several namespaces the first that has one, unless it is said which. */
  find<K extends KindName>(kind: K, name: string, namespace?: string): Kinds[K] | undefined;
  server(id: string): SimServer | undefined;
  servers(): readonly SimServer[];
  mac(serverId: string): MacView | undefined;
  /** The UIDs of the machines of this cluster that a person took this Mac back from. */
  takenBackFrom(serverId: string): ReadonlySet<string>;
  /** What other clusters on the same Macs know; the Macs are the same. */
  others(): readonly Truth[];
}

/** One object before and after a write. */
export type ObjectChange = {
  [K in KindName]: {
    readonly kind: K;
    /** Absent: it was just made. */
    readonly before?: Kinds[K];
    /** Absent: it is gone. */
    readonly after?: Kinds[K];
  };
}[KindName];

export type Happening =
  | { readonly is: 'object'; readonly change: ObjectChange }
  /** Any object of any kind, as it is kept, or as it was when it went. */
  | StoredHappening
  /** What the API server sent to a watch. */
  | { readonly is: 'watch'; readonly fact: WatchFact }
  | { readonly is: 'stale-write'; readonly write: StaleWrite }
  /** The API server began anew, with what it has now. */
  | {
      readonly is: 'reopened';
      readonly how: 'restarted' | 'restored';
      readonly revisionOf: (collection: string, key: string) => number | undefined;
    }
  /** A manager works with this host configuration. */
  | { readonly is: 'configuration'; readonly configuration: HostConfiguration }
  /** A write that reached Scaleway, also a refused one. */
  | { readonly is: 'cloud-write'; readonly entry: AuditEntry }
  /** A batch of changes that a manager has had carried out on a Mac. */
  | { readonly is: 'batch'; readonly batch: BatchNote }
  /** `worksFor`: whether it is a Node of this cluster, or of another one on the same Macs. */
  | { readonly is: 'agent'; readonly agent: AgentEvent; readonly worksFor: 'us' | 'others' }
  /** Something changed on the disk of some Mac. */
  | { readonly is: 'disk' };

export interface StoredHappening {
  readonly is: 'stored';
  readonly effect: 'kept' | 'removed';
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly json: string;
}

export type PropertyId = `S${number}` | `L${number}`;

/** One promise, and how to judge whether it is kept. */
export interface Property {
  readonly id: PropertyId;
  readonly promise: string;
  /** A judge for one run. It is told of everything that happens, right after it did, and answers what is wrong then. */
  readonly judge: () => (happening: Happening, truth: Truth) => string | undefined;
}

export interface Violation {
  readonly property: PropertyId;
  readonly message: string;
  /** Virtual time. */
  readonly atMs: number;
}
