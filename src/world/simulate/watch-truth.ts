/** The truth of a running world, kept up to date by its store, and every change of it told to one listener. */
import { collectionOf } from '../../controlplane/api/kinds/served-kind.ts';
import type { Store } from '../../controlplane/store/store.ts';
import { MAC_HOSTS } from '../../kinds/mac-host.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { LEASES } from '../../kube/types/coordination.ts';
import { NAMESPACES, NODES } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { SimCloud } from '../../sim/cloud/sim-cloud.ts';
import type { SimMacs } from '../../sim/mac/sim-macs.ts';
import type { Plane } from '../plane.ts';
import { createTakenBack } from './taken-back.ts';
import type { KindName, Kinds, ObjectChange, Truth } from './truth.ts';

const RESOURCES: { readonly [K in KindName]: Resource<Kinds[K]> } = {
  hosts: MAC_HOSTS,
  machines: MACHINES,
  coreMachines: CLUSTER_API_RESOURCES.machines,
  clusters: CLUSTER_API_RESOURCES.clusters,
  nodes: NODES,
  leases: LEASES,
  namespaces: NAMESPACES,
};

const KIND_NAMES = ['hosts', 'machines', 'coreMachines', 'clusters', 'nodes', 'leases', 'namespaces'] as const;

interface Watched {
  readonly plane: Pick<Plane, 'store' | 'onReopened'>;
  readonly cloud: SimCloud;
  readonly macs: SimMacs;
  readonly nowMs: () => number;
  readonly others: () => readonly Truth[];
}

type Tables = { readonly [K in KindName]: Map<string, Kinds[K]> };

/** Begins now: what is in the store already is not told, nor what a store has that came back. */
export const watchTruth = (
  { plane, cloud, macs, nowMs, others }: Watched,
  onChange: (change: ObjectChange) => void,
): Truth => {
  const tables: Tables = {
    ...{ hosts: new Map(), machines: new Map(), coreMachines: new Map() },
    ...{ clusters: new Map(), nodes: new Map(), leases: new Map(), namespaces: new Map() },
  };
  const takenBack = createTakenBack();
  const onEach = (change: ObjectChange): void => {
    takenBack.hear(change);
    onChange(change);
  };
  const followAll = (): void => {
    for (const kind of KIND_NAMES) follow(plane.store, kind, tables[kind], onEach);
  };
  followAll();
  plane.onReopened(followAll);
  return {
    nowMs,
    others,
    list: (kind) => [...tables[kind].values()],
    find: (kind, name, namespace) =>
      tables[kind]
        .values()
        .find(({ metadata }) => metadata.name === name && (namespace ?? metadata.namespace) === metadata.namespace),
    server: cloud.server,
    servers: cloud.servers,
    takenBackFrom: takenBack.from,
    mac: (serverId) => (cloud.server(serverId) === undefined ? undefined : macs.mac(serverId).view()),
  };
};

const follow = <K extends KindName>(
  store: Store,
  kind: K,
  table: Map<string, Kinds[K]>,
  onChange: (change: ObjectChange) => void,
): void => {
  const collection = collectionOf(RESOURCES[kind]);
  table.clear();
  for (const { key, object } of store.list(collection)) table.set(key, parseKind<K>(object));
  store.subscribe(collection, ({ type, entry }) => {
    const before = table.get(entry.key);
    const after = type === 'DELETED' ? undefined : parseKind<K>(entry.object);
    if (after === undefined) table.delete(entry.key);
    else table.set(entry.key, after);
    onChange(parseChange({ kind, ...(before && { before }), ...(after && { after }) }));
  });
};

/** The store holds what admission let in: objects of the kind under which they are kept. */
const parseKind = <K extends KindName>(object: KubeObject): Kinds[K] => object as Kinds[K];

const parseChange = (change: { readonly kind: KindName }): ObjectChange => change as ObjectChange;
