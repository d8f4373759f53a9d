/** What happens at Scaleway: faults of its API for a while, and people in its console. */
import type { SimServer } from '../../../sim/cloud/sim-server.ts';
import type { Disturbance, Strike } from './disturbance.ts';

const LASTS_MS = [60_000, 10_000, 600_000] as const;

const serverOf = ({ world, choose }: Strike): SimServer | undefined => {
  const servers = world.cloud.servers();
  return servers.length === 0 ? undefined : servers[choose(servers.length)];
};

/** Answers go wrong for a while, with that probability. */
const answers = (fault: string, probability: number): Disturbance => ({
  id: fault,
  strike: ({ world, choose }) => {
    const lastsMs = LASTS_MS[choose(LASTS_MS.length)] ?? 0;
    world.cloud.switchOn(fault, { probability });
    world.kernel.schedule(lastsMs, `${fault} ends`, () => world.cloud.switchOff(fault));
    return `${fault} for ${lastsMs / 1_000} s`;
  },
});

/** They replace what is under way, which Scaleway does not. */
const NEEDS_REST = ['F08', 'F09', 'F09b', 'F09c', 'F09d', 'F09e', 'F32'];

/** One server meets it. */
const toServer = (fault: string): Disturbance => ({
  id: fault,
  strike: (strike) => {
    const server = serverOf(strike);
    if (server === undefined || (NEEDS_REST.includes(fault) && server.status !== 'ready')) return undefined;
    strike.world.cloud.switchOn(fault, { serverId: server.id });
    return `${fault} for ${server.id}`;
  },
});

/** Scaleway shows a lease that is over, and refuses all the same, for as long as the server is there. */
const refusesDeletion = (fault: string): Disturbance => ({
  id: `${fault}-for-ever`,
  strike: (strike) => {
    const server = serverOf(strike);
    if (server === undefined) return undefined;
    strike.world.cloud.switchOn('F26b', { serverId: server.id });
    strike.world.cloud.switchOn(fault, { serverId: server.id });
    return `${fault}: ${server.id} cannot be deleted, although its lease is over`;
  },
});

/** The whole project meets it for a while. */
const toProject = (fault: string): Disturbance => ({
  id: fault,
  strike: ({ world, choose }) => {
    const lastsMs = LASTS_MS[choose(LASTS_MS.length)] ?? 0;
    world.cloud.switchOn(fault);
    world.kernel.schedule(lastsMs, `${fault} ends`, () => world.cloud.switchOff(fault));
    return `${fault} in the project for ${lastsMs / 1_000} s`;
  },
});

/** One server meets it for a while. */
const toServerForAWhile = (fault: string): Disturbance => ({
  id: fault,
  strike: (strike) => {
    const { world, choose } = strike;
    const server = serverOf(strike);
    if (server === undefined || server.status !== 'ready') return undefined;
    const lastsMs = LASTS_MS[choose(LASTS_MS.length)] ?? 0;
    world.cloud.switchOn(fault, { serverId: server.id });
    world.kernel.schedule(lastsMs, `${fault} ends`, () => {
      if (world.cloud.server(server.id) !== undefined) world.cloud.switchOff(fault, { serverId: server.id });
    });
    return `${fault} for ${server.id}, for ${lastsMs / 1_000} s`;
  },
});

/** Kept apart, because rows are added at the end. */
export const MORE_CLOUD_DISTURBANCES: readonly Disturbance[] = [
  ...['F01b', 'F05c', 'F06', 'F07', 'F07b', 'F13', 'F13b', 'F14', 'F16b', 'F19b', 'F25b'].map((fault) =>
    answers(fault, 0.5),
  ),
  ...['cut', 'expired', 'html', 'no-status', 'nothing', 'slow'].map((fault) => answers(fault, 0.2)),
  ...['F08', 'F09c', 'F09d', 'F09e', 'F21b', 'F22', 'F24', 'F26', 'F26b'].map(toServer),
  ...['F10'].map(toServerForAWhile),
  ...['F27', 'F27b', 'F31', 'F33'].map(toProject),
  ...['F06', 'F07', 'F07b'].map(refusesDeletion),
  {
    id: 'F11',
    strike: (strike) => {
      const server = serverOf(strike);
      if (server === undefined) return undefined;
      strike.world.cloud.switchOn('F11', { serverId: server.id });
      strike.world.cloud.addServer({ name: 'tuist-pool-yet-another' });
      return `${server.id} is gone, and reads as never there`;
    },
  },
  {
    id: 'F28',
    strike: ({ world }) => {
      world.cloud.switchOn('F28');
      return 'another cluster has a server in the project, under a name of our shape';
    },
  },
];

export const CLOUD_DISTURBANCES: readonly Disturbance[] = [
  ...['F01', 'F05', 'F05b', 'F18', 'F18b', 'F19', 'F25', 'lost'].map((fault) => answers(fault, 0.5)),
  ...['F02', 'F03', 'F04', 'F12', 'F16', 'F17'].map((fault) => answers(fault, 0.5)),
  ...['F09', 'F09b', 'F18c', 'F20', 'F21', 'F23', 'F29', 'F30', 'F32'].map(toServer),
  {
    id: 'F15',
    strike: ({ world }) => {
      world.cloud.switchOn('F15');
      return 'lists are a minute old from now on';
    },
  },
  {
    id: 'console-reboot',
    strike: (strike) => {
      const server = serverOf(strike);
      if (server?.status !== 'ready') return undefined;
      strike.world.cloud.as('console').reboot(server);
      return `somebody reboots ${server.id} in the console`;
    },
  },
  {
    id: 'console-delete',
    strike: (strike) => {
      const server = serverOf(strike);
      if (server === undefined) return undefined;
      strike.world.cloud.deleteServer(server.id);
      strike.world.cloud.addServer({ name: 'tuist-pool-another' });
      return `somebody deletes ${server.id} in the console and orders another`;
    },
  },
];
