/** The state of the simulated project and its moves in time: what takes a while, when it ends, and who hears of it. */
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import type { SshKey } from '../../scaleway/port/cloud.ts';
import type { AuditEntry, CallRing } from './call-log.ts';
import type { Catalogue } from './catalogue.ts';
import type { FaultSwitch } from './fault-switch.ts';
import type { Attachment, SimServer } from './sim-server.ts';

/** From, to; uniform between the two. */
type RangeMs = readonly [number, number];

export interface CloudTimes {
  readonly deliveryMs: RangeMs;
  readonly reinstallMs: RangeMs;
  readonly rebootMs: RangeMs;
  readonly diagnosisMs: RangeMs;
  /** Switching the option of private networks. */
  readonly vpcMs: RangeMs;
  readonly attachMs: RangeMs;
  readonly detachMs: RangeMs;
  /** After an install or a reboot no GET shows the password for so long. */
  readonly sealMs: RangeMs;
  /** A Mac that was shut down from within comes back by itself after so long. */
  readonly outageMs: RangeMs;
  /** A server is paid for, and cannot be deleted, at least so long. */
  readonly leaseMs: RangeMs;
}

/** What becomes of a reinstall; anything but `wiped` is a fault that somebody asked for. */
export type ReinstallFate = 'wiped' | 'disk-kept' | 'ends-in-error' | 'never-ends' | 'other-image';

/** What the Mac itself goes through. `up` comes after `wiped`, so the Mac that boots is the new one. */
export interface PowerEvent {
  readonly kind: 'added' | 'down' | 'wiped' | 'up' | 'deleted';
  readonly server: SimServer;
}

/** A server whose list row is older than the truth: what it was before its last change. */
interface StaleRow {
  readonly server: SimServer | undefined;
  readonly untilMs: number;
}

export interface CloudState {
  readonly servers: Map<string, SimServer>;
  readonly deleted: Set<string>;
  readonly fates: Map<string, ReinstallFate>;
  /** Servers whose next reboot a dialog on the screen holds up: the API says that it happened (F30). */
  readonly stuckReboots: Set<string>;
  readonly listeners: Set<(event: PowerEvent) => void>;
  /** Per server how to cancel what is under way. */
  readonly underWay: Map<string, () => void>;
  /** Per server how to cancel its scheduled deletion. */
  readonly deletions: Map<string, () => void>;
  readonly audit: AuditEntry[];
  /** All that is not in the audit. */
  readonly otherCalls: CallRing;
  readonly sshKeys: Map<string, SshKey>;
  /** By their own ids. */
  readonly attachments: Map<string, Attachment>;
  readonly diagnostics: Map<string, { readonly serverId: string; readonly readyAtMs: number }>;
  readonly faults: FaultSwitch[];
  readonly staleRows: Map<string, StaleRow>;
  /** For servers that are gone. */
  chargedEuros: number;
  /** Lists show a change only so long after it happened; 0 is at once. */
  listLagMs: number;
  awayUntilMs: number;
  /** How many requests there were so far. */
  requests: number;
  /** How many calls were noted so far. */
  calls: number;
}

/** Requests show the secret; the access key is the name under which it is known. */
export interface ApiKey {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface CloudCore {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly projectId: string;
  readonly zone: string;
  readonly catalogue: Catalogue;
  readonly times: CloudTimes;
  readonly timeScale: number;
  readonly earlyDelete: 'typed' | 'generic';
  /** The API keys that are let in; anyone is when absent. */
  readonly apiKeys?: readonly ApiKey[];
  /** Called after every change of a server: whoever keeps the state saves it now. */
  readonly onChange?: () => void;
  /** Called after every write that reached the API, also a refused one. */
  readonly onWrite?: (entry: AuditEntry) => void;
  /** What a connectivity check finds; the state of the server when absent. */
  readonly healthOf?: (serverId: string) => { readonly isAlive: boolean; readonly isSshUp: boolean };
  readonly state: CloudState;
}

export const emptyState = (listLagMs: number, otherCalls: CallRing): CloudState => ({
  servers: new Map(),
  deleted: new Set(),
  fates: new Map(),
  stuckReboots: new Set(),
  listeners: new Set(),
  underWay: new Map(),
  deletions: new Map(),
  audit: [],
  otherCalls,
  sshKeys: new Map(),
  attachments: new Map(),
  diagnostics: new Map(),
  faults: [],
  staleRows: new Map(),
  chargedEuros: 0,
  listLagMs,
  awayUntilMs: 0,
  requests: 0,
  calls: 0,
});

/** Throws `bug`: a checker or a test that names a server which is not there is mistaken. */
export const known = ({ state }: CloudCore, id: string): SimServer => {
  const server = state.servers.get(id);
  if (server === undefined) throw new FleetError('bug', { code: 'NoSuchServer', message: `no simulated server ${id}` });
  return server;
};

export const change = (core: CloudCore, id: string, fields: Partial<SimServer>): SimServer => {
  const before = known(core, id);
  rememberRow(core, id, before);
  const after = { ...before, ...fields, updatedAtMs: core.clock.now() };
  core.state.servers.set(id, after);
  core.onChange?.();
  return after;
};

/** With a lag, lists go on showing what was there when the first of several quick changes came. */
export const rememberRow = ({ state, clock }: CloudCore, id: string, before: SimServer | undefined): void => {
  const { listLagMs } = state;
  if (listLagMs === 0) return;
  const held = state.staleRows.get(id);
  if (held !== undefined && held.untilMs > clock.now()) return;
  state.staleRows.set(id, { server: before, untilMs: clock.now() + listLagMs });
};

export const announce = ({ state }: CloudCore, event: PowerEvent): void => {
  for (const listener of state.listeners) listener(event);
};

/** Twelve characters, as Scaleway's. */
export const drawPassword = ({ random }: CloudCore): Secret<string> =>
  new Secret(Buffer.from(random.bytes(9)).toString('base64url'));

export const turnOff = (core: CloudCore, id: string, status: 'rebooting' | 'reinstalling'): SimServer => {
  const server = change(core, id, { status });
  announce(core, { kind: 'down', server });
  return server;
};

/** What a start by the API does, also to a Mac that was only rebooted: the project's keys are put on it (F31). */
export const turnOn = (core: CloudCore, id: string): void => {
  const sealedUntilMs = core.clock.now() + drawMs(core, 'sealMs');
  const started = { status: 'ready', isDelivered: true, sealedUntilMs, authorizedKeys: keysOf(core) } as const;
  announce(core, { kind: 'up', server: change(core, id, started) });
};

/** The public keys of the project, as an install puts them on a Mac. */
export const keysOf = ({ state }: CloudCore): readonly string[] =>
  [...state.sshKeys.values()].map(({ publicKey }) => publicKey);

/** How long this takes this time. */
export const drawMs = ({ times, random, timeScale }: CloudCore, takes: keyof CloudTimes): number => {
  const [fromMs, toMs] = times[takes];
  return Math.round((fromMs + random.next() * (toMs - fromMs)) * timeScale);
};

interface Work {
  readonly takes: keyof CloudTimes;
  readonly finish: () => void;
}

/** One thing at a time: what is under way already, such as coming back after an outage, is overtaken by this. */
export const startWork = (core: CloudCore, id: string, { takes, finish }: Work): void => {
  const { underWay } = core.state;
  underWay.get(id)?.();
  const cancel = core.clock.schedule(drawMs(core, takes), () => {
    underWay.delete(id);
    finish();
  });
  underWay.set(id, cancel);
};

/** The option of private networks changes beside whatever else the server does. */
export const vpcKey = (serverId: string): string => `vpc of ${serverId}`;

export const cancelWork = ({ state }: CloudCore, id: string): void => {
  state.underWay.get(id)?.();
  state.underWay.delete(id);
  state.deletions.get(id)?.();
  state.deletions.delete(id);
};

export const removeServer = (core: CloudCore, id: string): void => {
  const server = known(core, id);
  cancelWork(core, id);
  cancelWork(core, vpcKey(id));
  for (const attachment of [...core.state.attachments.values()].filter(({ serverId }) => serverId === id)) {
    cancelWork(core, attachment.id);
    core.state.attachments.delete(attachment.id);
  }
  rememberRow(core, id, server);
  core.state.chargedEuros += costOf(core, server);
  core.state.servers.delete(id);
  core.state.deleted.add(id);
  core.onChange?.();
  announce(core, { kind: 'deleted', server });
};

/** What a server has cost so far: by the hour, and never less than its lease. */
export const costOf = ({ clock, catalogue, timeScale }: CloudCore, server: SimServer): number => {
  const price = catalogue.types.find(({ name }) => name === server.type)?.eurosPerHour ?? 0;
  const paidMs = Math.max(clock.now(), server.deletableAtMs) - server.createdAtMs;
  return (price * paidMs) / timeScale / 3_600_000;
};
