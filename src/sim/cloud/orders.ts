/** New servers: ordered within quota and stock, or simply put there. */
import type { CatalogueImage, CatalogueType } from './catalogue.ts';
import {
  announce,
  type CloudCore,
  change,
  drawMs,
  drawPassword,
  keysOf,
  rememberRow,
  startWork,
  turnOn,
} from './cloud-core.ts';
import { findImage } from './installs.ts';
import { forbiddenChange, invalidArgument, outOfStock, quotaExceeded } from './refusals.ts';
import type { Commitment, SimServer } from './sim-server.ts';

export interface Order {
  readonly name: string;
  readonly type: string;
  readonly osId?: string | undefined;
  readonly commitment?: Commitment;
  readonly vpc?: 'vpc_enabled' | 'vpc_disabled';
}

const NAME_LENGTH_MAX = 255;
const MONTH_LEASES = 30;

export const assertName = (name: string): string => {
  if (name.trim() === '') throw invalidArgument('name', 'must not be empty');
  if (name.length > NAME_LENGTH_MAX) throw invalidArgument('name', `must have at most ${NAME_LENGTH_MAX} characters`);
  return name;
};

/** All of them or none. */
export const placeOrders = (core: CloudCore, zone: string, orders: readonly Order[]): readonly SimServer[] => {
  const placed = orders.map((order) => {
    const type = core.catalogue.types.find((sold) => sold.name === order.type && sold.zone === zone);
    if (type === undefined) throw invalidArgument('type', 'is no type of server that this zone has');
    return { order: { ...order, name: assertName(order.name) }, image: findImage(core, order.type, order.osId), type };
  });
  for (const { type } of placed) assertAvailable(core, type, placed.filter((other) => other.type === type).length);
  return placed.map(({ order: { osId: _, ...order }, image }) =>
    addServer(core, { ...order, zone, image, status: 'starting' }),
  );
};

const assertAvailable = ({ state }: CloudCore, type: CatalogueType, wanted: number): void => {
  const held = [...state.servers.values()].filter((server) => server.type === type.name).length;
  if (held + wanted > type.quota) {
    throw quotaExceeded(`apple_silicon_${type.name.toLowerCase()}`, { quota: type.quota, current: held });
  }
  if (type.stock === 'no_stock') throw outOfStock(type.name);
};

interface Addition {
  readonly name: string;
  readonly type: string;
  readonly zone: string;
  readonly image: CatalogueImage;
  readonly status: 'ready' | 'starting';
  readonly address?: string;
  readonly commitment?: Commitment;
  readonly vpc?: 'vpc_enabled' | 'vpc_disabled';
}

/** Puts a server there, whatever quota and stock say. One that is starting is delivered after a while. */
export const addServer = (core: CloudCore, addition: Addition): SimServer => {
  const server = newServer(core, addition);
  rememberRow(core, server.id, undefined);
  core.state.servers.set(server.id, server);
  core.onChange?.();
  announce(core, { kind: 'added', server });
  if (server.status === 'starting') {
    startWork(core, server.id, { takes: 'deliveryMs', finish: () => turnOn(core, server.id) });
  }
  return server;
};

const newServer = (core: CloudCore, { image, ...wanted }: Addition): SimServer => {
  const nowMs = core.clock.now();
  const { commitment = 'duration_24h', vpc = 'vpc_disabled' } = wanted;
  const leaseMs = drawMs(core, 'leaseMs') * (commitment === 'renewed_monthly' ? MONTH_LEASES : 1);
  return {
    id: core.ids.uuid(),
    projectId: core.projectId,
    ...wanted,
    osId: image.id,
    osFamily: image.family,
    isDelivered: wanted.status === 'ready',
    address: wanted.address ?? freeAddress(core),
    sshUser: 'm1',
    password: drawPassword(core),
    isSealed: false,
    sealedUntilMs: 0,
    authorizedKeys: keysOf(core),
    wipes: 0,
    fakedWipes: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    deletableAtMs: nowMs + leaseMs,
    isDeletionScheduled: false,
    commitment,
    vpc,
  };
};

/** From the day to the month; never back. */
export const commit = (core: CloudCore, server: SimServer, to: Commitment): SimServer => {
  if (to === server.commitment) return server;
  if (to === 'duration_24h') throw forbiddenChange('a monthly commitment cannot be taken back');
  const monthMs = drawMs(core, 'leaseMs') * MONTH_LEASES;
  return change(core, server.id, { commitment: to, deletableAtMs: server.createdAtMs + monthMs });
};

/** One that no server has: some go without a trace. */
const freeAddress = ({ state: { servers, deleted } }: CloudCore): string => {
  const taken = new Set([...servers.values()].map(({ address }) => address));
  let count = servers.size + deleted.size + 1;
  while (taken.has(addressOf(count))) count += 1;
  return addressOf(count);
};

/** In 198.18.0.0/15, which RFC 2544 keeps for benchmarks: nobody lives there. */
const addressOf = (count: number): string => `198.${18 + ((count >> 16) & 1)}.${(count >> 8) & 255}.${count & 255}`;
