/** Reference scenarios: what a fleet does on a good day, as stages that each wait for something and then do the next thing. */
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { FleetWorld } from '../fleet-world.ts';

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
  readonly stages: readonly Stage[];
}

const ready = ({ operator }: FleetWorld): number =>
  operator
    .list(MACHINES)
    .filter(({ metadata, status }) => status?.initialization?.provisioned && !metadata.deletionTimestamp).length;

const scale =
  (replicas: number) =>
  ({ operator }: FleetWorld): void =>
    operator.merge(machineDeployments, 'macos', { spec: { replicas } });

const pooled = ({ cloud }: FleetWorld): number =>
  cloud.servers().filter(({ name, status }) => name.startsWith('tuist-pool-') && status === 'ready').length;

const isEmpty = (world: FleetWorld, macs: number): boolean =>
  world.operator.list(MACHINES).length === 0 && pooled(world) === macs;

export const SCENARIOS: readonly Scenario[] = [
  {
    ...{ id: 'adopt-and-return', macs: 1, machines: 1 },
    stages: [
      { what: 'ready', isReached: (world) => ready(world) === 1, act: scale(0) },
      { what: 'back in the pool', isReached: (world) => isEmpty(world, 1) },
    ],
  },
  {
    ...{ id: 'failing-mac', macs: 2, machines: 1 },
    stages: [
      {
        what: 'begun',
        isReached: () => true,
        act: ({ cloud, macs }) => {
          const [server] = cloud.servers();
          macs.mac(server?.id ?? '').addStepFault({ step: 'tart', kind: 'exit', times: 4 });
        },
      },
      { what: 'ready', isReached: (world) => ready(world) === 1 },
    ],
  },
  {
    ...{ id: 'deleted-at-scaleway', macs: 2, machines: 1 },
    stages: [
      {
        what: 'ready',
        isReached: (world) => ready(world) === 1,
        act: ({ cloud, operator }) => cloud.deleteServer(operator.list(MACHINES)[0]?.status?.serverID ?? ''),
      },
      { what: 'the machine is replaced', isReached: ({ cloud }) => cloud.servers().length === 1 },
      { what: 'ready again', isReached: (world) => ready(world) === 1 && pooled(world) === 0 },
    ],
  },
];
