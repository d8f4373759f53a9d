/** People with more rights than they should use: they forge records, delete namespaces and definitions, and edit single fields. */
import { ALL_KINDS } from '../../../kinds/all-kinds.ts';
import { ANNOTATIONS } from '../../../kinds/labels.ts';
import { MAC_HOSTS } from '../../../kinds/mac-host.ts';
import { MACHINES } from '../../../kinds/machine.ts';
import { toCustomResourceDefinition } from '../../../kinds/schema/crd.ts';
import { NAMESPACES, NODES, SECRETS } from '../../../kube/types/core.ts';
import type { KubeObject } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import type { FleetWorld } from '../../fleet-world.ts';
import { renderRights } from '../../identities.ts';
import { startFleet } from '../start-fleet.ts';
import { type Disturbance, STRIPPED_BY_HAND, type Strike, unlessRefused } from './disturbance.ts';

const DEFINITIONS: Resource<KubeObject> = {
  ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
  ...{ plural: 'customresourcedefinitions', scope: 'Cluster' },
};

const pick = <T>({ choose }: Strike, items: readonly T[]): T | undefined =>
  items.length === 0 ? undefined : items[choose(items.length)];

/** For a server that nobody has, or that is somebody else's; as free, as claimed, or as one to be wiped. */
const forgeHost = (strike: Strike): string => {
  const { world, choose } = strike;
  const isForeign = choose(2) === 1;
  const foreign = isForeign ? world.cloud.addServer({ name: `theirs-${choose(1_000)}` }) : undefined;
  const serverID = foreign?.id ?? `00000000-0000-4000-8000-${String(choose(1_000)).padStart(12, '0')}`;
  const projectID = choose(4) === 3 ? '00000000-0000-4000-8000-00000000beef' : world.cloud.projectId;
  const machine = pick(strike, world.operator.listOwn(MACHINES));
  const { namespace = '', name = '', uid = '' } = machine?.metadata ?? {};
  const [, claims, releases] = [{}, { claimRef: { namespace, name, uid } }, { release: FORGED_RELEASE }];
  const asWhat = [{}, machine === undefined ? {} : claims, releases][choose(3)];
  const scaleway = { projectID, zone: world.cloud.zone, serverID };
  const spec = { source: { scaleway }, pool: { prefix: 'tuist-pool-' }, ...asWhat };
  const object = { ...kindOf(MAC_HOSTS), metadata: { name: serverID }, spec };
  world.operator.apply({ resource: MAC_HOSTS, object });
  return `somebody forges a MacHost for ${isForeign ? 'a foreign' : 'an imagined'} server ${serverID} ${JSON.stringify(asWhat)}`;
};

/** From the backup of a fleet without pools, with a release that somebody once asked for: there is no right to wipe it (R15). */
const restoreHost = ({ world, choose }: Strike): string => {
  const { id: serverID, name } = world.cloud.addServer({ name: `theirs-${choose(1_000)}` });
  const scaleway = { projectID: world.cloud.projectId, zone: world.cloud.zone, serverID };
  const spec = { source: { scaleway }, assignedName: { current: name }, release: FORGED_RELEASE };
  const object = { ...kindOf(MAC_HOSTS), metadata: { name: serverID }, spec };
  world.operator.apply({ resource: MAC_HOSTS, object });
  return `somebody restores the MacHost of a server that has no pool: ${serverID}`;
};

const FORGED_RELEASE = { intentID: 'by-hand-forged', reason: 'ByHand' };

const kindOf = ({ group, version, kind }: Resource<KubeObject>) => ({ apiVersion: `${group}/${version}`, kind });

const COMES_BACK_MS = [600_000, 60_000, 1_800_000] as const;

/** A field of a machine that others rely on, set to nothing, to another's, or to nonsense (F82). */
const corruptMachine = (strike: Strike): string | undefined => {
  const { world, choose } = strike;
  const machines = world.operator.listOwn(MACHINES);
  const [machine, other] = [pick(strike, machines), pick(strike, machines)];
  if (machine === undefined) return undefined;
  // Of a provisioned one, another's would be a lie about the Mac that it works on, and no mistake.
  const others = machine.status?.initialization?.provisioned ? null : (other?.status?.serverID ?? null);
  const serverID = [null, others, 'nonsense'][choose(3)];
  const bodies = [
    { status: { serverID } },
    { metadata: { ownerReferences: [] } },
    { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'another' } } },
    { metadata: { annotations: { [ANNOTATIONS.releasePolicy]: 'nonsense' } } },
    { metadata: { finalizers: [THEIRS] } },
  ];
  const at = choose(bodies.length);
  const { name } = machine.metadata;
  if (at === 0) world.operator.mergeStatus(MACHINES, name, bodies[0] ?? {});
  else world.operator.merge(MACHINES, name, bodies[at] ?? {});
  return `somebody writes ${JSON.stringify(bodies[at])} into ${name}`;
};

/** What hides a machine from its cluster, or keeps it for ever, is taken back. */
export const repairMachines = ({ operator }: FleetWorld): void => {
  for (const { metadata } of operator.listOwn(MACHINES)) {
    const { labels, finalizers = [], name } = metadata;
    if (labels?.['cluster.x-k8s.io/cluster-name'] === 'another')
      operator.merge(MACHINES, name, { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'demo' } } });
    if (finalizers.includes(THEIRS))
      operator.merge(MACHINES, name, { metadata: { finalizers: finalizers.filter((one) => one !== THEIRS) } });
  }
};

const THEIRS = 'example.com/theirs';

/** What the kubeconfig or a token is kept in is deleted, or gets other content (F81). */
const corruptSecret = (strike: Strike): string | undefined => {
  const { world, choose } = strike;
  const ours = world.operator
    .list(SECRETS)
    .filter(({ metadata }) => metadata.namespace === world.namespace && metadata.name.endsWith('-kubeconfig'));
  const secret = pick(strike, ours);
  if (secret === undefined) return undefined;
  const { name } = secret.metadata;
  if (choose(2) === 0) world.operator.remove(SECRETS, name);
  else world.operator.merge(SECRETS, name, { data: { value: 'bm9uc2Vuc2U=' } });
  return `somebody spoils the Secret ${name}`;
};

export const ADMINISTRATOR_DISTURBANCES: readonly Disturbance[] = [
  { id: 'forge-host', strike: forgeHost },
  { id: 'restore-host', strike: restoreHost },
  { id: 'corrupt-machine', strike: corruptMachine },
  { id: 'corrupt-secret', strike: corruptSecret },
  {
    id: 'delete-node',
    strike: (strike) => {
      const node = pick(strike, strike.world.operator.list(NODES));
      if (node === undefined) return undefined;
      strike.world.operator.remove(NODES, node.metadata.name);
      return `somebody deletes the Node ${node.metadata.name}`;
    },
  },
  {
    id: 'recreate-machine',
    strike: (strike) => {
      const { operator } = strike.world;
      const machine = pick(strike, operator.listOwn(MACHINES));
      if (machine === undefined) return undefined;
      const { name, namespace = '', labels, ownerReferences } = machine.metadata;
      operator.merge(MACHINES, name, { metadata: { annotations: { [STRIPPED_BY_HAND]: '' } } });
      operator.merge(MACHINES, name, { metadata: { finalizers: [] } });
      operator.remove(MACHINES, name);
      const { providerID: _old, ...spec } = machine.spec;
      const metadata = { name, namespace, ...(labels && { labels }), ...(ownerReferences && { ownerReferences }) };
      const object = { ...kindOf(MACHINES), metadata, spec };
      operator.apply({ resource: MACHINES, object });
      return `somebody deletes ${name} and makes one of the same name`;
    },
  },
  {
    id: 'forge-node',
    strike: (strike) => {
      const { operator } = strike.world;
      const there = new Set(operator.list(NODES).map(({ metadata }) => metadata.name));
      const machine = pick(
        strike,
        operator.listOwn(MACHINES).filter(({ metadata }) => !there.has(metadata.name)),
      );
      if (machine === undefined) return undefined;
      const object = {
        ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: machine.metadata.name } },
        spec: { providerID: 'scw-applesilicon://fr-par-1/00000000-0000-4000-8000-000000000079' },
      };
      operator.apply({ resource: NODES, object });
      return `there is a Node ${machine.metadata.name} with the providerID of another life`;
    },
  },
  {
    id: 'delete-namespace',
    strike: (strike) => {
      const { world, choose } = strike;
      world.operator.remove(NAMESPACES, world.namespace);
      const backMs = COMES_BACK_MS[choose(COMES_BACK_MS.length)] ?? 0;
      world.kernel.schedule(backMs, 'the namespace is made anew', () => unlessRefused(() => bringBackNamespace(world)));
      return `somebody deletes the namespace ${world.namespace}`;
    },
  },
  {
    id: 'delete-definition',
    strike: (strike) => {
      const { world, choose } = strike;
      const resource = choose(2) === 0 ? MACHINES : MAC_HOSTS;
      world.operator.remove(DEFINITIONS, `${resource.plural}.${resource.group}`);
      const backMs = COMES_BACK_MS[choose(COMES_BACK_MS.length)] ?? 0;
      world.kernel.schedule(backMs, 'definitions are made anew', () =>
        unlessRefused(() => bringBackDefinitions(world)),
      );
      return `somebody deletes the definition of ${resource.plural}`;
    },
  },
];

const MACHINES_AFTERWARDS = 2;

/** With a new fleet in it; nothing while the old one is there or on its way out. */
export const bringBackNamespace = (world: FleetWorld): void => {
  const { operator, namespace } = world;
  if (operator.list(NAMESPACES).some(({ metadata }) => metadata.name === namespace)) return;
  operator.create('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const right of renderRights(namespace)) if (right.object.metadata.namespace === namespace) operator.apply(right);
  startFleet(world, MACHINES_AFTERWARDS);
};

/** Those that are missing altogether. */
export const bringBackDefinitions = ({ operator }: FleetWorld): void => {
  const there = new Set(operator.list(DEFINITIONS).map(({ metadata }) => metadata.name));
  for (const kind of ALL_KINDS) {
    const object = toCustomResourceDefinition(kind);
    if (!there.has(object.metadata.name)) operator.apply({ resource: DEFINITIONS, object });
  }
};
