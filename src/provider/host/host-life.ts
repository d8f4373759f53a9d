/**
 * A Mac's life as one total table (spec: the rules R1–R29 of the host's life): the state a host is in and the name its
 * server carries say which move comes next. The state is never remembered: it follows from the durable record.
 */
import type { HOST_STATES, MacHostSpec } from '../../kinds/mac-host.ts';
import { parseServerName } from '../../kinds/names.ts';

export type HostState = (typeof HOST_STATES)[number];

/** What the name of the server, seen live, says about it. */
export const NAME_SIGHTS = ['pool', 'pending', 'machine', 'releasing', 'foreign', 'unseen'] as const;
export type NameSight = (typeof NAME_SIGHTS)[number];

/** What to do next; each is carried out by the function of that name in plan-host.ts. */
export type Move =
  /** Nothing: only an event can change it. */
  | 'rest'
  /** Give the claimed server its machine's name, by way of a pending one (R7). */
  | 'take'
  /** Let go of a claim that lost its server or its machine, before anything was done to the server (R5). */
  | 'drop'
  /** Bootstrap, and wait for the Node. */
  | 'prepare'
  /** Take the server out of service and have it wiped (R12). */
  | 'wipe'
  /** Wait for the end of the wipe, then give it its pool name. */
  | 'return'
  /** The server is not where the record says: touch nothing, and tell (R8). */
  | 'report';

const REST: Readonly<Record<NameSight, Move>> = {
  pool: 'rest',
  pending: 'rest',
  machine: 'rest',
  releasing: 'rest',
  foreign: 'rest',
  unseen: 'rest',
};

export const HOST_LIFE: Readonly<Record<HostState, Readonly<Record<NameSight, Move>>>> = {
  free: REST,
  claimed: {
    pool: 'take',
    pending: 'take',
    machine: 'take',
    releasing: 'drop',
    foreign: 'drop',
    unseen: 'report',
  },
  preparing: {
    pool: 'report',
    pending: 'report',
    machine: 'prepare',
    releasing: 'report',
    foreign: 'report',
    unseen: 'report',
  },
  joined: { ...REST, unseen: 'report' },
  releasing: {
    pool: 'wipe',
    pending: 'wipe',
    machine: 'wipe',
    releasing: 'wipe',
    foreign: 'report',
    unseen: 'report',
  },
  wiping: {
    pool: 'return',
    pending: 'report',
    machine: 'report',
    releasing: 'return',
    foreign: 'report',
    unseen: 'report',
  },
  quarantined: REST,
  held: REST,
  terminating: REST,
};

/** Where the host is in its life, from its record and from whether its Node is there. */
export const hostStateOf = (spec: MacHostSpec, node: 'there' | 'absent'): HostState => {
  if (spec.release !== undefined) return isWipeAccepted(spec) ? 'wiping' : 'releasing';
  if (spec.hold !== undefined) return 'held';
  if (spec.quarantine !== undefined) return 'quarantined';
  if (spec.claimRef === undefined) return 'free';
  const { current, next } = spec.assignedName ?? {};
  if (current !== spec.claimRef.name || next !== undefined) return 'claimed';
  return node === 'there' ? 'joined' : 'preparing';
};

/** Our own evidence of a wipe: a reinstall of this very release was seen to begin (R12). */
const isWipeAccepted = ({ release, reinstall }: MacHostSpec): boolean =>
  release !== undefined && reinstall?.intentID === release.intentID && reinstall.acceptedAt !== undefined;

/** Only names that the record expects count as ours; every other one is foreign, however it looks. */
export const sightName = (spec: MacHostSpec, serverName: string | undefined): NameSight => {
  if (serverName === undefined) return 'unseen';
  const { current, next } = spec.assignedName ?? {};
  const prefix = spec.pool?.prefix;
  const parsed = parseServerName(serverName, prefix === undefined ? [] : [prefix]);
  const isExpected = serverName === current || serverName === next;
  if (parsed?.kind === 'pool') return isExpected || spec.assignedName === undefined ? 'pool' : 'foreign';
  if (!isExpected) return 'foreign';
  if (parsed?.kind === 'claim-pending') return 'pending';
  if (parsed?.kind === 'releasing') return 'releasing';
  return parsed === undefined ? 'machine' : 'foreign';
};
