/**
 * All simulated Macs of a simulated project, behind the hosts port: in real time for `up`, and as calls of a kernel actor.
 * They follow the power of their servers and are found by address, as real ones are.
 */
import { abortable, throwIfAborted } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import { hostKeyNotPinned, sessionClosed, unreachableHost } from '../../hosts/port/session-errors.ts';
import type { Artefact, Batch, Epoch, HostSession, Hosts, HostTarget, StepPhase } from '../../hosts/port.ts';
import type { PowerEvent } from '../cloud/cloud-core.ts';
import type { SimCloud } from '../cloud/sim-cloud.ts';
import type { SimServer } from '../cloud/sim-server.ts';
import type { Actor } from '../kernel/actor.ts';
import type { StartAgent } from './mac-agent.ts';
import { restoreDisk, type SavedDisk } from './saved-disk.ts';
import { createSimMac, type DiskFate, type MacConnection, type MacMachine, type SimMac } from './sim-mac.ts';

export interface SimMacsOptions {
  readonly cloud: SimCloud;
  /** The clock of the cloud. */
  readonly clock: Clock;
  readonly random: Random;
  /** The private key that Scaleway's images let in. */
  readonly fleetKey: Secret<string>;
  readonly startAgent: StartAgent;
  /** One way, in real time only. */
  readonly latencyMs?: number;
  /** The disks of an earlier simulation, by server. */
  readonly saved?: Readonly<Record<string, SavedDisk>>;
  /** Called after every change of a disk. */
  readonly onChange?: () => void;
  /** Called when nothing runs on a Mac any more, at the end of its power and at a wipe. */
  readonly onDown?: (serverId: string, disk: DiskFate) => void;
  /** Called after a batch of changes that a Mac let through and carried out, of those that come as calls of an actor. */
  readonly onBatch?: (batch: BatchNote) => void;
  /** How long phases take, in relation to life. */
  readonly timeScale?: number;
  /** How long a look at something takes; a tenth of a second unless given. */
  readonly lookMs?: number;
}

export interface BatchNote {
  /** `<actor>#<life>`. */
  readonly caller: string;
  readonly serverId: string;
  readonly epoch: Epoch;
  readonly steps: readonly string[];
}

export interface SimMacs {
  /** In real time. */
  readonly hosts: Hosts;
  /** Sites: `ssh:open`, `ssh:survey`, `ssh:converge`, `ssh:upload`. Answers of steps come with the answer to their batch. */
  kernelHosts(actor: Actor): Hosts;
  mac(serverId: string): SimMac;
  /** Everything that `saved` needs. */
  save(): Readonly<Record<string, SavedDisk>>;
  /** Stops agents and scripts, and follows the cloud no more. */
  stop(): void;
}

/** How long an apply takes that unpacks or waits for something. */
const APPLY_MS: Readonly<Record<string, number>> = {
  'auto-login': 5_000,
  tart: 20_000,
  firewall: 1_000,
  'agent-runtime': 5_000,
  agent: 6_000,
};
const SHORT_APPLY_MS = 500;
const LOOK_MS = 100;
const UPLOAD_BYTES_PER_MS = 60_000;

const phaseMs = (step: string, phase: StepPhase, lookMs: number): number =>
  phase === 'apply' ? (APPLY_MS[step] ?? SHORT_APPLY_MS) : lookMs;

const uploadMs = ({ sizeBytes }: Artefact): number => LOOK_MS + sizeBytes / UPLOAD_BYTES_PER_MS;

export const createSimMacs = (options: SimMacsOptions): SimMacs => {
  const { cloud, clock, latencyMs = 0 } = options;
  const macs = new Map<string, MacMachine>();
  const stopped = new AbortController();
  const install = (server: SimServer): MacMachine => installMac(options, server, stopped.signal);
  const stopFollowing = cloud.onPower((event) => follow(macs, event, install));
  for (const server of cloud.servers()) macs.set(server.id, install(server));

  const connect: Connect = (target) => {
    const server = cloud.servers().find(({ address }) => address === target.address);
    const mac = server && macs.get(server.id);
    if (mac === undefined) throw unreachableHost(target.address);
    return mac.connect(target);
  };
  const tellBatch = ({ name, epoch: life }: Actor, { address }: HostTarget, { epoch, calls }: Batch): void => {
    const server = cloud.servers().find((one) => one.address === address);
    const steps = calls.map(({ step }) => step);
    if (server !== undefined) options.onBatch?.({ caller: `${name}#${life}`, serverId: server.id, epoch, steps });
  };
  const sendInRealTime: Send = async (_site, effect, signal) => {
    throwIfAborted(signal);
    if (latencyMs > 0) await sleep(clock, latencyMs, signal);
    const answer = await effect();
    if (latencyMs > 0) await sleep(clock, latencyMs, signal);
    return answer;
  };
  return {
    hosts: createHosts(connect, (site, effect, signal) => abortable(sendInRealTime(site, effect, signal), signal)),
    kernelHosts: (actor) =>
      createHosts(
        (target) => withoutListener(connect(target), (batch) => tellBatch(actor, target, batch)),
        (site, effect, signal) => actor.call({ site: `ssh:${site}`, effect, signal }),
      ),
    mac: (serverId) => {
      const mac = macs.get(serverId);
      if (mac === undefined)
        throw new FleetError('bug', { code: 'NoSuchMac', message: `no simulated Mac ${serverId}` });
      return mac;
    },
    save: () => Object.fromEntries([...macs].map(([id, mac]) => [id, mac.save()])),
    stop: () => {
      stopFollowing();
      stopped.abort();
      for (const mac of macs.values()) mac.powerOff();
    },
  };
};

const installMac = (options: SimMacsOptions, server: SimServer, stopped: AbortSignal): MacMachine => {
  const { clock, random, fleetKey, startAgent, onChange, onDown, timeScale = 1, lookMs = LOOK_MS } = options;
  const saved = options.saved?.[server.id];
  const mac = createSimMac({
    ...{ clock, fleetKey, startAgent, stopped, password: server.password },
    ...(saved === undefined ? {} : { disk: restoreDisk(saved) }),
    ...(onChange === undefined ? {} : { onChange }),
    ...(onDown === undefined ? {} : { onDown: (disk: DiskFate) => onDown(server.id, disk) }),
    random: random.stream(`mac ${server.id}`),
    phaseMs: (step, phase) => Math.round(phaseMs(step, phase, lookMs) * timeScale),
    uploadMs: (artefact) => Math.round(uploadMs(artefact) * timeScale),
  });
  if (server.status === 'ready') mac.powerOn();
  return mac;
};

const follow = (
  macs: Map<string, MacMachine>,
  { kind, server }: PowerEvent,
  install: (server: SimServer) => MacMachine,
): void => {
  const mac = macs.get(server.id);
  if (kind === 'added') macs.set(server.id, install(server));
  if (kind === 'down') mac?.powerOff();
  if (kind === 'wiped') mac?.wipe(server.password);
  if (kind === 'up') mac?.powerOn();
  if (kind === 'deleted') {
    mac?.powerOff();
    macs.delete(server.id);
  }
};

/** Whoever asked may be dead by the time a step ends: on the kernel an answer comes as one, or not at all. */
const withoutListener = (mac: MacConnection, onDone: (batch: Batch) => void): MacConnection => ({
  ...mac,
  run: async ({ onAnswer: _, ...batch }) => {
    const answer = await mac.run(batch);
    if (batch.calls.some(({ do: what }) => what !== 'check')) onDone(batch);
    return answer;
  },
});

type Connect = MacMachine['connect'];
type Send = <T>(site: string, effect: () => T | Promise<T>, signal: AbortSignal) => Promise<T>;

const createHosts = (connect: Connect, send: Send): Hosts => ({
  open: async (target, signal) => {
    const connection = await send('open', () => connect(target), signal);
    return createSession(connection, target, send);
  },
});

const createSession = (mac: MacConnection, { pinnedHostKey }: HostTarget, send: Send): HostSession => {
  let isClosed = false;
  const assertUsable = (): void => {
    if (isClosed) throw sessionClosed();
    if (pinnedHostKey === undefined) throw hostKeyNotPinned();
  };
  return {
    hostKey: mac.hostKey,
    run: async (batch, signal) => {
      assertUsable();
      const isSurvey = batch.calls.every(({ do: what }) => what === 'check');
      return send(isSurvey ? 'survey' : 'converge', () => mac.run(batch), signal);
    },
    upload: async (artefacts, signal) => {
      assertUsable();
      await send('upload', () => mac.upload(artefacts), signal);
    },
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
};
