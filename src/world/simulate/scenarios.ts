/** Reference scenarios: what a fleet does on a good day, as stages that each wait for something and then do the next thing. */
import { ANNOTATIONS } from '../../kinds/labels.ts';
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { Condition } from '../../kube/types/meta.ts';
import type { FleetCluster } from '../fleet-cluster.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { moveFleet } from './disturbances/clusters.ts';

const { machineDeployments } = CLUSTER_API_RESOURCES;

export interface Stage {
  readonly what: string;
  readonly isReached: (world: FleetWorld) => boolean;
  /** Done as soon as it is reached. */
  readonly act?: (world: FleetWorld) => void;
}

export interface Scenario {
  readonly id: string;
  readonly macs: number;
  readonly machines: number;
  /** The first is the one that is killed; one alone unless given. */
  readonly managers?: readonly string[];
  /** For one run: they may remember. */
  readonly stages: () => readonly Stage[];
}

const ready = ({ operator }: Pick<FleetCluster, 'operator'>): number =>
  operator
    .list(MACHINES)
    .filter(({ metadata, status }) => status?.initialization?.provisioned && !metadata.deletionTimestamp).length;

const scale =
  (replicas: number) =>
  ({ operator }: FleetWorld): void =>
    operator.merge(machineDeployments, 'macos', { spec: { replicas } });

const POOL = 'tuist-pool-';

const pooled = ({ cloud }: FleetWorld): number =>
  cloud.servers().filter(({ name, status }) => name.startsWith(POOL) && status === 'ready').length;

const isEmpty = (world: FleetWorld, macs: number): boolean =>
  world.operator.list(MACHINES).length === 0 && pooled(world) === macs;

const isState = (world: FleetWorld, state: string): boolean =>
  hosts(world).some(({ status }) => status?.state === state);

const releaseByHand = (world: FleetWorld): void => {
  const release = { intentID: 'by-hand', reason: 'ByHand' };
  world.operator.merge(MAC_HOSTS, hosts(world)[0]?.metadata.name ?? '', { spec: { release } });
};

const isPausedCondition = ({ type, status }: Condition): boolean => type === 'Paused' && status === 'True';

/** How long clusterctl takes over a small fleet. */
const MOVE_MS = 2_000;

const firstMachine = ({ operator }: FleetWorld): string => operator.list(MACHINES)[0]?.metadata.name ?? '';

const hosts = ({ operator }: FleetWorld): readonly MacHost[] => operator.list(MAC_HOSTS);

/** One of its steps fails so often. */
const breakFirstMac =
  (times: number) =>
  ({ cloud, macs }: FleetWorld): void => {
    const [server] = cloud.servers();
    macs.mac(server?.id ?? '').addStepFault({ step: 'tart', kind: 'exit', times });
  };

export const SCENARIOS: readonly Scenario[] = [
  {
    ...{ id: 'adopt-and-return', macs: 1, machines: 1 },
    stages: () => [
      { what: 'ready', isReached: (world) => ready(world) === 1, act: scale(0) },
      { what: 'back in the pool', isReached: (world) => isEmpty(world, 1) },
    ],
  },
  {
    ...{ id: 'failing-mac', macs: 2, machines: 1 },
    stages: () => [
      { what: 'begun', isReached: () => true, act: breakFirstMac(4) },
      { what: 'ready', isReached: (world) => ready(world) === 1 },
    ],
  },
  {
    ...{ id: 'beyond-recovery', macs: 2, machines: 1 },
    stages: () => [
      { what: 'begun', isReached: () => true, act: breakFirstMac(9) },
      { what: 'ready on the other Mac', isReached: (world) => ready(world) === 1 },
      { what: 'the first is back in the pool', isReached: (world) => pooled(world) === 1 },
    ],
  },
  {
    ...{ id: 'deleted-at-scaleway', macs: 2, machines: 1 },
    stages: () => [
      {
        what: 'ready',
        isReached: (world) => ready(world) === 1,
        act: ({ cloud, operator }) => cloud.deleteServer(operator.list(MACHINES)[0]?.status?.serverID ?? ''),
      },
      { what: 'the machine is replaced', isReached: ({ cloud }) => cloud.servers().length === 1 },
      { what: 'ready again', isReached: (world) => ready(world) === 1 && pooled(world) === 0 },
    ],
  },
  {
    ...{ id: 'given-up', macs: 2, machines: 1 },
    stages: () => [
      {
        what: 'ready',
        isReached: (world) => ready(world) === 1,
        act: (world) => {
          const annotations = { [ANNOTATIONS.releasePolicy]: 'terminate' };
          world.operator.merge(MACHINES, firstMachine(world), { metadata: { annotations } });
          scale(0)(world);
        },
      },
      {
        what: 'the end of its rent is asked for, and the other Mac is in the pool',
        isReached: (world) =>
          world.operator.list(MACHINES).length === 0 &&
          world.cloud.servers().every(({ name, isDeletionScheduled }) => isDeletionScheduled || name.startsWith(POOL)),
      },
    ],
  },
  {
    ...{ id: 'owner-vanishes', macs: 1, machines: 1 },
    stages: () => [
      {
        what: 'ready',
        isReached: (world) => ready(world) === 1,
        act: (world) => {
          const name = firstMachine(world);
          scale(0)(world);
          world.operator.merge(MACHINES, name, { metadata: { finalizers: [] } });
          world.operator.remove(MACHINES, name);
        },
      },
      { what: 'held', isReached: (world) => isState(world, 'held'), act: releaseByHand },
      { what: 'back in the pool', isReached: (world) => isEmpty(world, 1) },
    ],
  },
  {
    ...{ id: 'another-release', macs: 2, machines: 2 },
    stages: () => {
      let before: readonly (string | undefined)[] = [];
      const hashes = (world: FleetWorld) => hosts(world).map(({ status }) => status?.configHash);
      return [
        {
          what: 'ready',
          isReached: (world) => ready(world) === 2 && !hashes(world).includes(undefined),
          act: (world) => {
            before = hashes(world);
            world.upgrade('2');
          },
        },
        {
          what: 'both have it',
          isReached: (world) => hashes(world).every((hash) => hash !== undefined && !before.includes(hash)),
        },
      ];
    },
  },
  {
    ...{ id: 'another-leader', macs: 1, machines: 1, managers: ['manager', 'rival'] },
    stages: () => [
      { what: 'ready', isReached: (world) => ready(world) === 1, act: scale(0) },
      { what: 'back in the pool', isReached: (world) => isEmpty(world, 1) },
    ],
  },
  {
    ...{ id: 'deleted-while-bootstrapping', macs: 1, machines: 1 },
    stages: () => [
      { what: 'bootstrapping', isReached: (world) => isState(world, 'preparing'), act: scale(0) },
      { what: 'back in the pool', isReached: (world) => isEmpty(world, 1) },
    ],
  },
  {
    ...{ id: 'two-machines-one-mac', macs: 1, machines: 2 },
    stages: () => [
      { what: 'one is ready', isReached: (world) => ready(world) === 1, act: scale(0) },
      { what: 'back in the pool', isReached: (world) => isEmpty(world, 1) },
    ],
  },
  {
    ...{ id: 'paused-and-detached', macs: 1, machines: 1 },
    stages: () => [
      {
        what: 'ready',
        isReached: (world) => ready(world) === 1,
        act: (world) => {
          const annotations = { [CLUSTER_API_ANNOTATIONS.paused]: '' };
          world.operator.merge(MACHINES, firstMachine(world), { metadata: { annotations } });
        },
      },
      {
        what: 'the pause is told',
        isReached: ({ operator }) =>
          operator.list(MACHINES).some(({ status }) => status?.conditions?.some(isPausedCondition) === true),
        act: (world) => {
          const name = firstMachine(world);
          world.operator.mergeStatus(MACHINES, name, { status: { serverID: null } });
          world.operator.merge(MACHINES, name, { spec: { providerID: null } });
        },
      },
      {
        what: 'held',
        isReached: (world) => hosts(world).some(({ spec }) => spec.hold?.reason === 'Detached'),
        act: scale(0),
      },
      {
        what: 'the machine is gone, and nothing is wiped',
        isReached: ({ operator, cloud }) =>
          operator.list(MACHINES).length === 0 && cloud.servers().every(({ wipes }) => wipes === 0),
      },
    ],
  },
  {
    ...{ id: 'moved', macs: 1, machines: 1 },
    stages: () => [
      {
        what: 'ready',
        isReached: (world) => ready(world) === 1,
        act: (world) => moveFleet(world, world.secondCluster(), MOVE_MS),
      },
      {
        what: 'ready in the other cluster, and nothing is wiped',
        isReached: ({ second, operator, cloud }) =>
          second !== undefined &&
          ready(second) === 1 &&
          operator.list(MACHINES).length === 0 &&
          cloud.servers().every(({ wipes }) => wipes === 0),
      },
    ],
  },
];
