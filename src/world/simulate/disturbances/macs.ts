/** What happens on the Macs themselves. */
import { MACHINES } from '../../../kinds/machine.ts';
import type { SimMac } from '../../../sim/mac/sim-mac.ts';
import { type Disturbance, type Strike, unlessRefused } from './disturbance.ts';

const STEPS = ['tart', 'sudo', 'auto-login', 'firewall', 'agent', 'hostname'] as const;
const TIMES = [1, 3, 8, 30] as const;

const toMac =
  (act: (strike: Strike, mac: SimMac) => string) =>
  (strike: Strike): string | undefined => {
    const servers = strike.world.cloud.servers();
    const server = servers.length === 0 ? undefined : servers[strike.choose(servers.length)];
    return server && `${act(strike, strike.world.macs.mac(server.id))} (${server.id})`;
  };

export const MAC_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'step-fails',
    strike: toMac(({ choose }, mac) => {
      const step = STEPS[choose(STEPS.length)] ?? 'tart';
      const times = TIMES[choose(TIMES.length)] ?? 1;
      mac.addStepFault({ step, kind: 'exit', times });
      return `the step ${step} fails ${times} times`;
    }),
  },
  {
    id: 'step-hangs',
    strike: toMac(({ choose }, mac) => {
      const step = STEPS[choose(STEPS.length)] ?? 'tart';
      mac.addStepFault({ step, kind: 'hang', times: 1 });
      return `the step ${step} hangs`;
    }),
  },
  {
    id: 'connection-breaks',
    strike: toMac(({ choose }, mac) => {
      const number = 1 + choose(20);
      mac.cutConnectionAt(number, choose(2) === 0 ? 'lost-before' : 'lost-after');
      return `the connection breaks at phase ${number} from now`;
    }),
  },
  {
    id: 'refuses-connections',
    strike: toMac(({ choose }, mac) => {
      const times = TIMES[choose(TIMES.length)] ?? 1;
      mac.refuseConnections(times);
      return `refuses ${times} connections`;
    }),
  },
  {
    id: 'host-key-changes',
    strike: toMac((_strike, mac) => {
      mac.changeHostKey();
      return 'shows another host key';
    }),
  },
  {
    id: 'key-forgotten',
    strike: toMac((_strike, mac) => {
      mac.forgetKey();
      return "does not know the fleet's key any more";
    }),
  },
];

const LOCK_MS = [1_800_000, 60_000] as const;
const UPLOADS = ['upload-agent', 'upload-tart', 'upload-node'] as const;
const UPLOAD_FAULTS = ['exit', 'lost-before', 'lost-after', 'hang'] as const;

/** Kept apart, because rows are added at the end. */
export const MORE_MAC_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'upload-fails',
    strike: toMac(({ choose }, mac) => {
      const step = UPLOADS[choose(UPLOADS.length)] ?? 'upload-agent';
      const kind = UPLOAD_FAULTS[choose(UPLOAD_FAULTS.length)] ?? 'exit';
      mac.addStepFault({ step, kind, times: 1 });
      return `${step}: ${kind}`;
    }),
  },
  {
    id: 'password-changed',
    strike: toMac((_strike, mac) => {
      mac.changePassword();
      return 'somebody changes its password, and Scaleway shows the old one';
    }),
  },
  {
    id: 'banned',
    strike: toMac((_strike, mac) => {
      mac.ban();
      return 'bans our address until it is rebooted';
    }),
  },
  {
    id: 'reboots-itself',
    strike: toMac((_strike, mac) => {
      mac.rebootItself();
      return 'reboots by itself, as for an update';
    }),
  },
  {
    id: 'person-at-work',
    strike: toMac(({ world, choose }, mac) => {
      const lastsMs = LOCK_MS[choose(LOCK_MS.length)] ?? 0;
      const nowMs = world.kernel.actor('world').clock.now();
      mac.plantLeftover({ lock: { owner: 'anna', expiresAtMs: nowMs + lastsMs } });
      return `somebody works on it for ${lastsMs / 1_000} s`;
    }),
  },
];

/** Of Macs that just got their machine's name, and that nobody works on yet: their host key is pinned already. */
const justNamed = ({ world }: Strike): SimMac | undefined => {
  const named = world.operator
    .listOwn(MACHINES)
    .filter(({ status }) => status?.serverID && status.initialization?.provisioned !== true)
    .find(({ metadata, status }) => world.cloud.server(status?.serverID ?? '')?.name === metadata.name);
  return named?.status?.serverID === undefined ? undefined : world.macs.mac(named.status.serverID);
};

/** Kept apart, because rows are added at the end: behind those that strike after a write. */
export const LATE_MAC_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'host-key-changes-when-named',
    strike: (strike) => {
      const { world } = strike;
      const stop = world.onWrite(({ to, what }) => {
        if (world.trouble.isOver || to !== 'cloud' || what !== 'rename') return;
        world.kernel.schedule(0, 'another host key', () => {
          const mac = unlessRefused(() => justNamed(strike));
          if (mac === undefined || typeof mac === 'string') return;
          stop();
          mac.changeHostKey();
        });
      });
      return 'the next Mac that gets the name of a machine shows another host key then';
    },
  },
];
