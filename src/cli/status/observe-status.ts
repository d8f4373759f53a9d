/** The state of a fleet in one object, out of one list for each kind. Pure. */

import { LABELS } from '../../kinds/labels.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { Node } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { CLUSTER_API_MISSING, noteMissing } from '../cluster/fleet-missing.ts';
import { isTrue } from '../fleet/conditions.ts';
import { type FleetLists, type FleetObjects, objectsOf } from '../fleet/fleet-kinds.ts';
import { isForMacs, isMac, serverIdOf } from '../fleet/on-macs.ts';
import { monthlyEuros, type Prices } from '../fleet/prices.ts';
import { observeWaits, type Wait, whyOfHost } from './observe-waits.ts';

export interface MacStatus {
  readonly id: string;
  readonly state: string;
  readonly since: string | undefined;
  readonly type: string | undefined;
  readonly pool: string | undefined;
  readonly fleet: string | undefined;
  readonly serverName: string | undefined;
  readonly address: string | undefined;
  /** `namespace/name` of the machine that has it. */
  readonly machine: string | undefined;
  readonly node: 'Ready' | 'NotReady' | undefined;
  readonly podsRunning: number;
  /** Until when it is paid for. */
  readonly leaseUntil: string | undefined;
  readonly eurosPerMonth: number | undefined;
  readonly waitsFor: string | undefined;
}

export interface FleetStatus {
  readonly macs: readonly MacStatus[];
  readonly machines: { readonly ready: number; readonly total: number };
  readonly nodes: { readonly ready: number; readonly total: number };
  readonly pods: { readonly running: number; readonly waiting: number; readonly total: number };
  readonly jobs: readonly { readonly name: string; readonly done: number; readonly wanted: number }[];
  readonly runnerPools: readonly RunnerPoolStatus[];
  readonly cost: { readonly eurosPerMonth: number; readonly macsWithoutPrice: number };
  readonly waits: readonly Wait[];
  readonly notes: readonly string[];
}

export interface RunnerPoolStatus {
  readonly name: string;
  readonly wanted: number;
  readonly running: number;
  readonly busy: number;
}

export interface StatusOptions {
  readonly prices: Prices;
  /** Only what belongs to this namespace. */
  readonly namespace?: string | undefined;
}

export const observeStatus = (lists: FleetLists, { prices, namespace }: StatusOptions): FleetStatus => {
  const all = objectsOf(lists);
  const nodes = all.nodes.filter(isMac);
  const macNodes = new Set(nodes.map(({ metadata }) => metadata.name));
  const fleet: FleetObjects = {
    ...{ ...all, nodes },
    hosts: all.hosts.filter(({ spec }) => namespace === undefined || spec.claimRef?.namespace === namespace),
    pods: all.pods.filter(({ spec }) => isForMacs(spec, macNodes)),
    jobs: all.jobs.filter(({ spec }) => isForMacs(spec.template.spec, macNodes)),
  };
  const macs = lists.hosts.is === 'listed' ? macsOf(fleet, prices) : macsOfMachines(fleet, prices);
  return {
    macs,
    machines: { ready: fleet.machines.filter(isMachineReady).length, total: fleet.machines.length },
    nodes: { ready: nodes.filter(isNodeReady).length, total: nodes.length },
    pods: {
      running: fleet.pods.filter(({ status }) => status?.phase === 'Running').length,
      waiting: fleet.pods.filter(({ status }) => status?.phase === 'Pending').length,
      total: fleet.pods.length,
    },
    jobs: fleet.jobs.map((job) => ({
      name: renderKey(keyOf(job)),
      done: job.status?.succeeded ?? 0,
      wanted: job.spec.completions ?? 1,
    })),
    runnerPools: poolsOf(fleet),
    cost: {
      eurosPerMonth: macs.reduce((sum, { eurosPerMonth }) => sum + (eurosPerMonth ?? 0), 0),
      macsWithoutPrice: macs.filter(({ eurosPerMonth }) => eurosPerMonth === undefined).length,
    },
    waits: observeWaits(fleet),
    notes: notesOf(lists),
  };
};

const isMachineReady = ({ status }: ScalewayAppleSiliconMachine): boolean => status?.ready === true;
const isNodeReady = (node: Node): boolean => isTrue(node, 'Ready');
const stateOfNode = (node: Node): 'Ready' | 'NotReady' => (isNodeReady(node) ? 'Ready' : 'NotReady');

const countRunning = ({ pods }: FleetObjects): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { spec, status } of pods) {
    if (status?.phase !== 'Running' || spec.nodeName === undefined) continue;
    counts.set(spec.nodeName, (counts.get(spec.nodeName) ?? 0) + 1);
  }
  return counts;
};

const macsOf = (fleet: FleetObjects, prices: Prices): readonly MacStatus[] => {
  const nodeOf = new Map(fleet.nodes.map((node) => [serverIdOf(node.spec?.providerID), node]));
  const running = countRunning(fleet);
  return fleet.hosts
    .map((host) => toMac(host, nodeOf.get(host.metadata.name), { prices, running }))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
};

interface MacContext {
  readonly prices: Prices;
  readonly running: ReadonlyMap<string, number>;
}

const toMac = (host: MacHost, node: Node | undefined, { prices, running }: MacContext): MacStatus => {
  const { metadata, spec, status } = host;
  const { claimRef } = spec;
  return {
    id: metadata.name,
    state: status?.state ?? 'ordering',
    since: status?.stateSince ?? metadata.creationTimestamp,
    type: spec.type,
    pool: spec.pool?.prefix,
    fleet: spec.fleet,
    serverName: status?.server?.name,
    address: status?.server?.address,
    machine: claimRef && renderKey(claimRef),
    node: node && stateOfNode(node),
    podsRunning: running.get(node?.metadata.name ?? '') ?? 0,
    leaseUntil: status?.server?.deletableAt,
    eurosPerMonth: spec.source.static === undefined ? monthlyEuros(spec.type, prices) : 0,
    waitsFor: whyOfHost(host),
  };
};

/** Under the Go original there are no MacHosts: what is known of a Mac stands on its machine. */
const macsOfMachines = (fleet: FleetObjects, prices: Prices): readonly MacStatus[] => {
  const nodeOf = new Map(fleet.nodes.map((node) => [node.metadata.name, node]));
  const running = countRunning(fleet);
  return fleet.machines.flatMap((machine): readonly MacStatus[] => {
    const { metadata, spec, status } = machine;
    if (status?.serverID === undefined || status.serverID === '') return [];
    const node = nodeOf.get(metadata.name);
    return [
      {
        ...{ id: status.serverID, state: (status.phase ?? 'unknown').toLowerCase(), type: spec.type },
        ...{ pool: spec.adoptPoolPrefix, fleet: spec.fleetName, serverName: undefined, leaseUntil: undefined },
        since: metadata.creationTimestamp,
        address: status.addresses?.[0]?.address,
        machine: renderKey(keyOf(machine)),
        node: node && stateOfNode(node),
        podsRunning: running.get(metadata.name) ?? 0,
        eurosPerMonth: monthlyEuros(spec.type, prices),
        waitsFor: undefined,
      },
    ];
  });
};

const poolsOf = ({ pools, pods }: FleetObjects): readonly RunnerPoolStatus[] =>
  pools.map((pool) => {
    const { name, namespace } = pool.metadata;
    const runners = pods.filter(
      ({ metadata, status }) =>
        metadata.namespace === namespace &&
        metadata.labels?.[LABELS.runnerPool] === name &&
        status?.phase === 'Running',
    );
    const isBusy = (labels: Readonly<Record<string, string>> | undefined): boolean =>
      (labels?.[LABELS.runnerPoolOwner] ?? '') !== '';
    return {
      name: renderKey(keyOf(pool)),
      wanted: pool.spec.replicas,
      running: runners.length,
      busy: runners.filter(({ metadata }) => isBusy(metadata.labels)).length,
    };
  });

const notesOf = (lists: FleetLists): readonly string[] => [
  ...(lists.clusters.is === 'absent' ? [CLUSTER_API_MISSING] : []),
  ...(lists.hosts.is === 'absent'
    ? ['There are no MacHosts here: this fleet is run by the Go original, and its leases are not known.']
    : []),
  ...noteMissing('MacHosts', lists.hosts),
  ...noteMissing('Machines', lists.machines),
  ...noteMissing('Nodes', lists.nodes),
  ...noteMissing('Pods', lists.pods),
  ...noteMissing('Jobs', lists.jobs),
  ...noteMissing('RunnerPools', lists.pools),
];
