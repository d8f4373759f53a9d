/**
 * A Mac's life as one total table (spec: the rules R1–R29 of the host's life): the state a host is in and what a live look
 * at its server shows say which move comes next. The state is never remembered: it follows from the durable record.
 */
import type { HOST_STATES, MacHost, MacHostSpec } from '../../kinds/mac-host.ts';
import { parseServerName } from '../../kinds/names.ts';

export type HostState = (typeof HOST_STATES)[number];

/** What a live look says about the server; mostly by its name. */
export const SIGHTS = [
  'pool',
  'pending',
  'ordered',
  'machine',
  'releasing',
  'quarantine',
  'foreign',
  'unseen',
  'gone',
] as const;
export type Sight = (typeof SIGHTS)[number];

/** What to do next; each is carried out by the function of that name in the plan-*.ts files. */
export type Move =
  /** Nothing: only an event can change it. */
  | 'rest'
  /** Give the claimed server its machine's name, by way of a pending one (R7). */
  | 'take'
  /** Let go of a claim that lost its server or its machine, before anything was done to the server (R5). */
  | 'drop'
  /** Bootstrap, wait for the Node, and help a Mac that does not get there (R21). */
  | 'prepare'
  /** Look after a Mac that works: whose it is, and whether somebody wants it rebooted (R15, R16, R24). */
  | 'tend'
  /** Take the server out of service and have it wiped (R12). */
  | 'wipe'
  /** Wait for the end of the wipe, then give it its pool name, or a quarantine name (R13, R21). */
  | 'return'
  /** Keep it out of every pool by its name (R21). */
  | 'seclude'
  /** End its rent (R25). */
  | 'terminate'
  /** Leave it as it is until somebody says what becomes of it, or its owner is back (R15–R18). */
  | 'keep'
  /** Take the record away: there is no Mac behind it, or it is nobody's business of ours (R3, R19). */
  | 'forget'
  /** The server is not where the record says: touch nothing, and tell (R8). */
  | 'report';

type Row = Readonly<Record<Sight, Move>>;

const EVERYWHERE = (move: Move): Omit<Row, 'gone'> => ({
  pool: move,
  pending: move,
  ordered: move,
  machine: move,
  releasing: move,
  quarantine: move,
  foreign: move,
  unseen: move,
});

/** A name that is not the record's, or none at all: nothing is done to such a server. */
const LOST = { foreign: 'report', unseen: 'report', gone: 'forget' } as const;

export const HOST_LIFE: Readonly<Record<HostState, Row>> = {
  free: { ...EVERYWHERE('rest'), foreign: 'forget', unseen: 'report', gone: 'forget' },
  claimed: {
    ...EVERYWHERE('drop'),
    pool: 'take',
    pending: 'take',
    ordered: 'take',
    machine: 'take',
    unseen: 'report',
    gone: 'forget',
  },
  preparing: { ...EVERYWHERE('report'), machine: 'prepare', gone: 'forget' },
  joined: { ...EVERYWHERE('report'), machine: 'tend', gone: 'forget' },
  releasing: { ...EVERYWHERE('wipe'), ...LOST },
  wiping: { ...EVERYWHERE('report'), pool: 'return', releasing: 'return', quarantine: 'return', gone: 'forget' },
  quarantined: { ...EVERYWHERE('seclude'), ...LOST },
  held: { ...EVERYWHERE('keep'), gone: 'forget' },
  terminating: { ...EVERYWHERE('terminate'), ...LOST },
};

/** A Mac that is to be rented: there is an intent, and no server on record yet (R25). */
export const isOrder = ({ source }: Pick<MacHostSpec, 'source'>): boolean =>
  source.scaleway !== undefined && source.scaleway.serverID === undefined;

/** Where the host is in its life, from its record and from whether its Node is there. An order is in none yet. */
export const hostStateOf = (spec: MacHostSpec, node: 'there' | 'absent'): HostState => {
  if (spec.release !== undefined) return releaseStateOf(spec);
  if (spec.hold !== undefined) return 'held';
  if (spec.quarantine !== undefined) return 'quarantined';
  if (spec.claimRef === undefined) return 'free';
  const { current, next } = spec.assignedName ?? {};
  if (current !== spec.claimRef.name || next !== undefined) return 'claimed';
  return node === 'there' ? 'joined' : 'preparing';
};

/** Without a pool and without an order of ours there is no right to wipe or delete it, whoever asks (R15). */
const releaseStateOf = (spec: MacHostSpec): HostState => {
  if (spec.pool === undefined && !spec.ordered) return 'held';
  if (spec.pool === undefined || spec.release?.policy === 'terminate') return 'terminating';
  return isWipeAccepted(spec) ? 'wiping' : 'releasing';
};

/** Our own evidence of a wipe: a reinstall of this very release was seen to begin (R12). */
const isWipeAccepted = ({ release, reinstall }: MacHostSpec): boolean =>
  release !== undefined && reinstall?.intentID === release.intentID && reinstall.acceptedAt !== undefined;

/** Whether the server was last seen under a name that is given on the way to a machine or back from it, and not on record. */
export const isTakenAway = ({ spec, status }: Pick<MacHost, 'spec' | 'status'>): boolean => {
  const name = status?.server?.name;
  const prefixes = spec.pool === undefined ? [] : [spec.pool.prefix];
  return name !== undefined && sightName(spec, name) === 'foreign' && parseServerName(name, prefixes) !== undefined;
};

/** Only names that the record expects count as ours; every other one is foreign, however it looks. */
export const sightName = (spec: MacHostSpec, serverName: string | undefined): Sight => {
  if (serverName === undefined) return 'unseen';
  const { current, next } = spec.assignedName ?? {};
  const prefix = spec.pool?.prefix;
  const parsed = parseServerName(serverName, prefix === undefined ? [] : [prefix]);
  const isExpected = serverName === current || serverName === next;
  if (parsed?.kind === 'pool') return isExpected || spec.assignedName === undefined ? 'pool' : 'foreign';
  if (!isExpected) return 'foreign';
  if (parsed === undefined) return 'machine';
  return parsed.kind === 'claim-pending' ? 'pending' : parsed.kind;
};
