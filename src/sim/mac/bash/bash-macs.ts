/**
 * The Macs with real bash of a simulated project: each follows its server (delivered, rebooted, wiped, deleted), lets in the
 * keys that the cloud injected, and answers at an SSH port of its own.
 */
import type { Clock } from '../../../base/clock.ts';
import { FleetError, toFleetError } from '../../../base/errors.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Logger } from '../../../base/logger.ts';
import { unreachableHost } from '../../../hosts/port/session-errors.ts';
import type { Hosts } from '../../../hosts/port.ts';
import type { PowerEvent } from '../../cloud/cloud-core.ts';
import type { SimCloud } from '../../cloud/sim-cloud.ts';
import type { SimServer } from '../../cloud/sim-server.ts';
import type { SshDoor } from '../ssh-door.ts';
import { type BashMac, createBashMac } from './bash-mac.ts';
import type { MacRack } from './mac-rack.ts';
import { serveBashMac } from './serve-bash-mac.ts';

export interface BashMacsOptions {
  readonly cloud: SimCloud;
  readonly rack: MacRack;
  readonly ids: Ids;
  /** The Macs' time. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Every Mac answers at the address of its server, at this port; without it at a free port of 127.0.0.1. */
  readonly port?: number;
}

export interface BashMacs {
  mac(serverId: string): BashMac;
  /** Sessions by the address of the server, over `ssh` to the port where its Mac really answers. */
  hosts(ssh: Hosts): Hosts;
  /** When what the cloud asked for so far has been done. */
  settled(): Promise<void>;
  /** All off and scrapped. */
  stop(): Promise<void>;
}

interface Place {
  readonly mac: BashMac;
  readonly door: Promise<SshDoor>;
  /** Changes of power, one after the other. */
  work: Promise<void>;
}

export const createBashMacs = (options: BashMacsOptions): BashMacs => {
  const { cloud, rack, ids, clock, logger, port } = options;
  const places = new Map<string, Place>();
  /** Macs of deleted servers, on their way out. */
  const leaving: Promise<void>[] = [];
  const install = ({ id, password, authorizedKeys, status, address }: SimServer): void => {
    const mac = createBashMac({ rack, ids, clock, install: { password, authorizedKeys } });
    const work = status === 'ready' ? mac.power.on() : Promise.resolve();
    places.set(id, { mac, door: serveBashMac(mac, port === undefined ? {} : { host: address, port }), work });
  };
  const follow = ({ kind, server }: PowerEvent): void => {
    if (kind === 'added') install(server);
    const place = places.get(server.id);
    if (place === undefined) return;
    place.work = place.work
      .then(() => CHANGES[kind](place, server))
      .catch((error: unknown) =>
        logger.error('A simulated Mac does not follow its server', { server: server.id, error: toFleetError(error) }),
      );
    if (kind !== 'deleted') return;
    places.delete(server.id);
    leaving.push(place.work);
  };
  const stopFollowing = cloud.onPower(follow);
  for (const server of cloud.servers()) install(server);
  const settled = async (): Promise<void> => {
    await Promise.all([...leaving, ...[...places.values()].flatMap(({ work, door }) => [work, door])]);
  };
  return {
    settled,
    mac: (serverId) => {
      const place = places.get(serverId);
      if (place !== undefined) return place.mac;
      throw new FleetError('bug', { code: 'NoSuchMac', message: `no simulated Mac ${serverId}` });
    },
    hosts: (ssh) => ({
      open: async (target, signal) => {
        const server = cloud.servers().find(({ address }) => address === target.address);
        const place = server && places.get(server.id);
        if (place === undefined) throw unreachableHost(target.address);
        const { port } = await place.door;
        return ssh.open({ ...target, address: '127.0.0.1', port }, signal);
      },
    }),
    stop: async () => {
      stopFollowing();
      await settled();
      await Promise.all([...places.values()].map(scrap));
    },
  };
};

type Change = (place: Place, server: SimServer) => Promise<void> | void;

const start: Change = async ({ mac }, { authorizedKeys }) => {
  mac.authorize(authorizedKeys);
  await mac.power.on();
};

const scrap = async ({ mac, door }: Place): Promise<void> => {
  await (await door).close();
  await mac.scrap();
};

const CHANGES: Readonly<Record<PowerEvent['kind'], Change>> = {
  added: () => undefined,
  down: ({ mac }) => mac.power.off(),
  wiped: ({ mac }, { password, authorizedKeys }) => mac.wipe({ password, authorizedKeys }),
  up: start,
  deleted: scrap,
};
