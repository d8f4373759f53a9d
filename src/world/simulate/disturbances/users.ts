/** People with kubectl: they create, edit, pause, detach and delete, and rarely wait for what they did before. */

import { ANNOTATIONS } from '../../../kinds/labels.ts';
import { MAC_HOSTS, type MacHost } from '../../../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS, CLUSTER_API_RESOURCES, type Machine } from '../../../kube/types/cluster-api.ts';
import { type Disturbance, STRIPPED_BY_HAND, type Strike } from './disturbance.ts';

const { machineDeployments, machines: CORE_MACHINES, clusters } = CLUSTER_API_RESOURCES;

const REPLICAS = [3, 0, 1, 2, 4] as const;

const pick = <T>({ choose }: Strike, items: readonly T[]): T | undefined =>
  items.length === 0 ? undefined : items[choose(items.length)];

const toMachine =
  (act: (strike: Strike, machine: ScalewayAppleSiliconMachine) => string) =>
  (strike: Strike): string | undefined => {
    const machine = pick(strike, strike.world.operator.listOwn(MACHINES));
    return machine && act(strike, machine);
  };

const toHost =
  (act: (strike: Strike, host: MacHost) => string) =>
  (strike: Strike): string | undefined => {
    const host = pick(strike, strike.world.operator.list(MAC_HOSTS));
    return host && act(strike, host);
  };

const annotate = (strike: Strike, machine: ScalewayAppleSiliconMachine, annotations: object): void =>
  strike.world.operator.merge(MACHINES, machine.metadata.name, { metadata: { annotations } });

/** An intent of a person: properties know it by its name. */
const BY_HAND = { intentID: 'by-hand', reason: 'ByHand' };

export const USER_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'scale',
    strike: ({ world, choose }) => {
      const replicas = REPLICAS[choose(REPLICAS.length)] ?? 3;
      world.operator.merge(machineDeployments, 'macos', { spec: { replicas } });
      return `somebody scales to ${replicas}`;
    },
  },
  {
    id: 'delete-machine',
    strike: (strike) => {
      const machine = pick<Machine>(strike, strike.world.operator.listOwn(CORE_MACHINES));
      if (machine === undefined) return undefined;
      strike.world.operator.remove(CORE_MACHINES, machine.metadata.name);
      return `somebody deletes the Machine ${machine.metadata.name}`;
    },
  },
  {
    id: 'delete-infra-machine',
    strike: toMachine(({ world }, { metadata }) => {
      world.operator.remove(MACHINES, metadata.name);
      return `somebody deletes the infrastructure machine ${metadata.name}`;
    }),
  },
  {
    id: 'force-delete',
    strike: toMachine((strike, machine) => {
      const { world } = strike;
      const { name } = machine.metadata;
      annotate(strike, machine, { [STRIPPED_BY_HAND]: '' });
      world.operator.merge(MACHINES, name, { metadata: { finalizers: [] } });
      world.operator.remove(MACHINES, name);
      return `somebody deletes ${name} and strips its finalizers`;
    }),
  },
  {
    id: 'pause-machine',
    strike: toMachine((strike, machine) => {
      annotate(strike, machine, { [CLUSTER_API_ANNOTATIONS.paused]: '' });
      return `somebody pauses ${machine.metadata.name}`;
    }),
  },
  {
    id: 'unpause',
    strike: (strike) => {
      unpauseAll(strike.world);
      return 'somebody unpauses everything';
    },
  },
  {
    id: 'pause-cluster',
    strike: ({ world }) => {
      world.operator.merge(clusters, 'demo', { spec: { paused: true } });
      return 'somebody pauses the cluster';
    },
  },
  {
    id: 'detach',
    strike: toMachine((strike, machine) => {
      const { name } = machine.metadata;
      annotate(strike, machine, { [CLUSTER_API_ANNOTATIONS.paused]: '' });
      strike.world.operator.mergeStatus(MACHINES, name, { status: { serverID: null } });
      strike.world.operator.merge(MACHINES, name, { spec: { providerID: null } });
      return `somebody pauses ${name} and takes its Mac off it`;
    }),
  },
  {
    id: 'lose-server-id',
    strike: toMachine(({ world }, { metadata }) => {
      world.operator.mergeStatus(MACHINES, metadata.name, { status: { serverID: null } });
      return `somebody clears the serverID of ${metadata.name}`;
    }),
  },
  {
    id: 'terminate-policy',
    strike: toMachine((strike, machine) => {
      annotate(strike, machine, { [ANNOTATIONS.releasePolicy]: 'terminate' });
      return `somebody wants ${machine.metadata.name} terminated in the end`;
    }),
  },
  {
    id: 'release-host',
    strike: toHost(({ world }, { metadata, spec }) => {
      if (spec.release === undefined) world.operator.merge(MAC_HOSTS, metadata.name, { spec: { release: BY_HAND } });
      return `somebody releases ${metadata.name} by hand`;
    }),
  },
  {
    id: 'hold-host',
    strike: toHost(({ world }, { metadata }) => {
      world.operator.merge(MAC_HOSTS, metadata.name, { spec: { hold: { reason: 'Investigating' } } });
      return `somebody holds ${metadata.name}`;
    }),
  },
  {
    id: 'unhold-hosts',
    strike: ({ world }) => {
      for (const { metadata, spec } of world.operator.list(MAC_HOSTS))
        if (spec.hold?.reason === 'Investigating')
          world.operator.merge(MAC_HOSTS, metadata.name, { spec: { hold: null } });
      return 'somebody ends all holds of theirs';
    },
  },
  {
    id: 'reboot-request',
    strike: toHost(({ world }, { metadata }) => {
      world.operator.merge(MAC_HOSTS, metadata.name, { spec: { rebootRequest: { id: 'by-hand', by: 'somebody' } } });
      return `somebody asks for a reboot of ${metadata.name}`;
    }),
  },
  {
    id: 'delete-host',
    strike: toHost(({ world }, { metadata }) => {
      world.operator.remove(MAC_HOSTS, metadata.name);
      return `somebody deletes the MacHost ${metadata.name}`;
    }),
  },
  {
    id: 'force-delete-host',
    strike: toHost(({ world }, { metadata }) => {
      world.operator.merge(MAC_HOSTS, metadata.name, { metadata: { finalizers: [] } });
      world.operator.remove(MAC_HOSTS, metadata.name);
      return `somebody deletes the MacHost ${metadata.name} and strips its finalizers`;
    }),
  },
  {
    id: 'upgrade',
    strike: ({ world, choose }) => {
      const release = String(1 + choose(3));
      world.upgrade(release);
      return `the managers are replaced by release ${release}`;
    },
  },
];

/** But for what is being deleted: nobody unpauses that, and it goes all the same (001-2). */
export const unpauseAll = ({ operator }: Pick<Strike['world'], 'operator'>): void => {
  operator.merge(clusters, 'demo', { spec: { paused: false } });
  const annotations = { [CLUSTER_API_ANNOTATIONS.paused]: null };
  for (const { metadata } of operator.listOwn(MACHINES))
    if (metadata.deletionTimestamp === undefined)
      operator.merge(MACHINES, metadata.name, { metadata: { annotations } });
};
