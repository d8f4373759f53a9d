/**
 * A Scaleway project that exists only in this process: servers with their states, times and oddities, as a synchronous
 * core on an injected clock. It speaks Scaleway's HTTP API through `serve`, whoever carries the requests (transports.ts,
 * ../http/http-server.ts). Checkers read the truth (`servers`, `audit`), which the API never shows.
 */
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { createIds } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import type { SshKey } from '../../scaleway/port/cloud.ts';
import type { ApiAnswer, ApiRequest } from '../http/api-message.ts';
import { type AuditEntry, CALLS_KEPT, CONSOLE, createCallRing, type RecentCalls } from './call-log.ts';
import { createCatalogue, newestOf } from './catalogue.ts';
import {
  type CloudCore,
  cancelWork,
  change,
  costOf,
  emptyState,
  known,
  type PowerEvent,
  type ReinstallFate,
  removeServer,
} from './cloud-core.ts';
import type { FaultScope, FaultSwitch } from './fault-switch.ts';
import { switchOff, switchOn } from './faults.ts';
import { resume } from './installs.ts';
import { addServer } from './orders.ts';
import { resumeNetworks } from './private-networks.ts';
import { RECORDED_TIMES } from './recorded-times.ts';
import { restoreServer, type SavedCloud, saveServer } from './saved-cloud.ts';
import { serve } from './serve.ts';
import type { SimServer } from './sim-server.ts';
import { type CloudVerbs, createVerbs } from './verbs.ts';

export interface SimCloudOptions
  extends Partial<
    Pick<CloudCore, 'projectId' | 'zone' | 'times' | 'earlyDelete' | 'apiKeys' | 'onChange' | 'onWrite' | 'healthOf'>
  > {
  /** Of the servers. They go on while nobody asks. */
  readonly clock: Clock;
  readonly random: Random;
  /** An earlier simulation, to go on with. */
  readonly saved?: SavedCloud;
  /** Lists show a change only so long after it happened; 0 is at once. */
  readonly listLagMs?: number;
  /** So many of the calls that are no writes are kept for `otherCalls`; CALLS_KEPT unless said. */
  readonly callsKept?: number;
  /** 1 is life; 0.01 lets everything take a hundredth of its time. Whoever compresses time says so to its user. */
  readonly timeScale?: number;
}

export interface NewServer {
  readonly name: string;
  readonly type?: string;
  readonly osFamily?: string;
  /** `ready` unless said otherwise; a server that is `starting` is delivered after a while. */
  readonly status?: 'ready' | 'starting';
  /** One where nobody lives unless given: some of the loopback, for Macs that really answer there. */
  readonly address?: string;
}

export interface SimCloud {
  readonly zone: string;
  readonly projectId: string;
  /** One request of Scaleway's HTTP API; undefined when the connection breaks. */
  serve(request: ApiRequest): ApiAnswer | undefined;
  /** The verbs without the wire, as a person at the console; the name appears in the audit. */
  as(caller: string): CloudVerbs;
  addServer(server: NewServer): SimServer;
  /** As a person does in the console: from now on the API denies that it exists. */
  deleteServer(id: string): void;
  /** No GET shows the password any more, until the next wipe makes a new one. */
  sealPassword(id: string): void;
  /** Decides about the next reinstall of the server. */
  setNextReinstall(id: string, fate: ReinstallFate): void;
  /** The API answers nobody for so long; what is under way goes on. */
  goAway(forMs: number): void;
  /** One of FAULT_IDS (faults.ts). */
  switchOn(fault: string, scope?: FaultScope): void;
  switchOff(fault: string, scope?: FaultScope): void;
  /** Those that change answers and are on. */
  faults(): readonly FaultSwitch[];
  servers(): readonly SimServer[];
  server(id: string): SimServer | undefined;
  sshKeys(): readonly SshKey[];
  /** All writes so far; the list goes on growing. */
  audit(): readonly AuditEntry[];
  /** The latest of all other calls: reads, and whatever was refused before it reached a verb. */
  otherCalls(): RecentCalls;
  /** What all servers have cost so far. */
  euros(): number;
  /** Everything that `saved` needs. */
  save(): SavedCloud;
  /** The listener is called in the moment it happens; the returned function takes it back. */
  onPower(listener: (event: PowerEvent) => void): () => void;
  /** Cancels what is under way: no timer stays behind. */
  stop(): void;
}

export const createSimCloud = (options: SimCloudOptions): SimCloud => {
  const core = createCore(options);
  const { state, clock, zone, projectId } = core;
  if (options.saved !== undefined) restore(core, options.saved);
  return {
    zone,
    projectId,
    serve: (request) => serve(core, request),
    as: (caller) => createVerbs(core, { caller, principal: CONSOLE }),
    addServer: (server) => putServer(core, server),
    deleteServer: (id) => removeServer(core, id),
    sealPassword: (id) => {
      change(core, id, { isSealed: true });
    },
    setNextReinstall: (id, fate) => {
      state.fates.set(known(core, id).id, fate);
    },
    goAway: (forMs) => {
      state.awayUntilMs = clock.now() + forMs;
    },
    switchOn: (fault, scope) => switchOn(core, fault, scope),
    switchOff: (fault, scope) => switchOff(core, fault, scope),
    faults: () => state.faults.filter(({ left }) => left > 0),
    servers: () => [...state.servers.values()],
    server: (id) => state.servers.get(id),
    sshKeys: () => [...state.sshKeys.values()],
    audit: () => state.audit,
    otherCalls: () => state.otherCalls.recent(),
    euros: () => [...state.servers.values()].reduce((sum, server) => sum + costOf(core, server), state.chargedEuros),
    save: () => ({
      servers: [...state.servers.values()].map(saveServer),
      deleted: [...state.deleted],
      sshKeys: [...state.sshKeys.values()],
      attachments: [...state.attachments.values()].map((row) => ({ ...row, ipIds: [...row.ipIds] })),
      chargedEuros: state.chargedEuros,
    }),
    onPower: (listener) => {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    stop: () => {
      for (const id of [...state.underWay.keys(), ...state.deletions.keys()]) cancelWork(core, id);
    },
  };
};

const restore = (core: CloudCore, saved: SavedCloud): void => {
  const { state } = core;
  const { servers, deleted, sshKeys, attachments } = saved;
  state.chargedEuros = saved.chargedEuros ?? 0;
  for (const id of deleted) state.deleted.add(id);
  for (const key of sshKeys) state.sshKeys.set(key.id, key);
  for (const attachment of attachments) state.attachments.set(attachment.id, attachment);
  for (const server of servers.map(restoreServer)) {
    state.servers.set(server.id, server);
    resume(core, server);
  }
  resumeNetworks(core);
};

const createCore = ({ listLagMs = 0, callsKept = CALLS_KEPT, ...options }: SimCloudOptions): CloudCore => ({
  projectId: '00000000-0000-4000-a000-000000000001',
  zone: 'fr-par-1',
  catalogue: createCatalogue(),
  times: RECORDED_TIMES,
  timeScale: 1,
  earlyDelete: 'typed',
  ...options,
  ids: createIds(options.random.stream('server ids')),
  state: emptyState(listLagMs, createCallRing(callsKept)),
});

const putServer = (
  core: CloudCore,
  { name, type = 'M2-L', osFamily = 'Tahoe', status = 'ready', address }: NewServer,
): SimServer => {
  const image = newestOf(core.catalogue, osFamily);
  const at = address === undefined ? {} : { address };
  if (image !== undefined) return addServer(core, { name, type, zone: core.zone, image, status, ...at });
  throw new FleetError('invalid', { code: 'NoSuchFamily', message: `the simulated cloud has no image of ${osFamily}` });
};
