/** The state of the simulated project and its moves in time: what takes a while, when it ends, and who hears of it. */
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import type { SimServer } from './sim-server.ts';

/** From, to; uniform between the two. */
type RangeMs = readonly [number, number];

export interface CloudTimes {
  readonly deliveryMs: RangeMs;
  readonly reinstallMs: RangeMs;
  readonly rebootMs: RangeMs;
}

/** What becomes of a reinstall; anything but `wiped` is a fault that somebody asked for. */
export type ReinstallFate = 'wiped' | 'disk-kept' | 'ends-in-error' | 'never-ends';

/** One write as it arrived: whether it was accepted, and what it met. */
export interface AuditEntry {
  readonly atMs: number;
  readonly caller: string;
  readonly verb: 'rename' | 'reinstall' | 'reboot';
  readonly serverId: string;
  /** The new name, or the family to install. */
  readonly argument: string;
  readonly before: SimServer | undefined;
  /** `accepted`, or the code of the refusal. */
  readonly outcome: string;
}

/** What the Mac itself goes through. `up` comes after `wiped`, so the Mac that boots is the new one. */
export interface PowerEvent {
  readonly kind: 'added' | 'down' | 'wiped' | 'up' | 'deleted';
  readonly server: SimServer;
}

interface CloudState {
  readonly servers: Map<string, SimServer>;
  readonly deleted: Set<string>;
  readonly fates: Map<string, ReinstallFate>;
  readonly listeners: Set<(event: PowerEvent) => void>;
  /** Per server how to cancel what is under way. */
  readonly underWay: Map<string, () => void>;
  readonly audit: AuditEntry[];
  awayUntilMs: number;
}

export interface CloudCore {
  readonly clock: Clock;
  readonly random: Random;
  readonly projectId: string;
  readonly zone: string;
  readonly osFamilies: readonly string[];
  readonly times: CloudTimes;
  readonly timeScale: number;
  /** Called after every change of a server: whoever keeps the state saves it now. */
  readonly onChange?: () => void;
  readonly state: CloudState;
}

export const emptyState = (): CloudState => ({
  servers: new Map(),
  deleted: new Set(),
  fates: new Map(),
  listeners: new Set(),
  underWay: new Map(),
  audit: [],
  awayUntilMs: 0,
});

/** Throws `bug`: a checker or a test that names a server which is not there is mistaken. */
export const known = ({ state }: CloudCore, id: string): SimServer => {
  const server = state.servers.get(id);
  if (server === undefined) throw new FleetError('bug', { code: 'NoSuchServer', message: `no simulated server ${id}` });
  return server;
};

export const change = (core: CloudCore, id: string, fields: Partial<SimServer>): SimServer => {
  const after = { ...known(core, id), ...fields };
  core.state.servers.set(id, after);
  core.onChange?.();
  return after;
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

export const turnOn = (core: CloudCore, id: string): void => {
  announce(core, { kind: 'up', server: change(core, id, { status: 'ready', isDelivered: true }) });
};

interface Work {
  readonly takes: keyof CloudTimes;
  readonly finish: () => void;
}

/** One thing at a time per server: the API refuses a second. */
export const startWork = (core: CloudCore, id: string, { takes, finish }: Work): void => {
  const { underWay } = core.state;
  const [fromMs, toMs] = core.times[takes];
  const delayMs = Math.round((fromMs + core.random.next() * (toMs - fromMs)) * core.timeScale);
  const cancel = core.clock.schedule(delayMs, () => {
    underWay.delete(id);
    finish();
  });
  underWay.set(id, cancel);
};

export const cancelWork = ({ state }: CloudCore, id: string): void => {
  state.underWay.get(id)?.();
  state.underWay.delete(id);
};
