/**
 * A Scaleway project that exists only in this process: servers with their states, times and oddities, as a synchronous
 * core on an injected clock. Both its ports (cloud-ports.ts) call the same core, so a fast `up` and a seeded simulation see
 * the same cloud. Checkers read the truth (`servers`, `audit`), which the API never shows.
 */
import type { Clock } from '../../base/clock.ts';
import { createIds } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import { createCloudApi, resume, type SimCloudApi } from './cloud-api.ts';
import {
  type AuditEntry,
  announce,
  type CloudCore,
  type CloudTimes,
  cancelWork,
  change,
  drawPassword,
  emptyState,
  known,
  type PowerEvent,
  type ReinstallFate,
  startWork,
  turnOn,
} from './cloud-core.ts';
import { restoreServer, type SavedServer, saveServer } from './saved-server.ts';
import type { SimServer } from './sim-server.ts';

export interface SimCloudOptions {
  /** Of the servers. They go on while nobody asks. */
  readonly clock: Clock;
  readonly random: Random;
  readonly projectId?: string;
  readonly zone?: string;
  /** What can be installed; others are refused. */
  readonly osFamilies?: readonly string[];
  readonly times?: CloudTimes;
  /** The servers of an earlier simulation, to go on with. */
  readonly saved?: readonly SavedServer[];
  /** Called after every change of a server. */
  readonly onChange?: () => void;
  /** 1 is life; 0.01 lets everything take a hundredth of its time. Whoever compresses time says so to its user. */
  readonly timeScale?: number;
}

export interface NewServer {
  readonly name: string;
  readonly type?: string;
  readonly osFamily?: string;
  /** `ready` unless said otherwise; a server that is `starting` is delivered after a while. */
  readonly status?: 'ready' | 'starting';
}

export interface SimCloud {
  readonly zone: string;
  readonly projectId: string;
  /** The API as this caller uses it; the name appears in the audit. */
  as(caller: string): SimCloudApi;
  addServer(order: NewServer): SimServer;
  /** As a person does in the console: from now on the API denies that it exists. */
  deleteServer(id: string): void;
  /** No GET shows the password any more, until the next wipe makes a new one. */
  sealPassword(id: string): void;
  /** Decides about the next reinstall of the server. */
  setNextReinstall(id: string, fate: ReinstallFate): void;
  /** The API answers nobody for so long; what is under way goes on. */
  goAway(forMs: number): void;
  servers(): readonly SimServer[];
  server(id: string): SimServer | undefined;
  /** All writes so far; the list goes on growing. */
  audit(): readonly AuditEntry[];
  /** Everything that `saved` needs. */
  save(): readonly SavedServer[];
  /** The listener is called in the moment it happens; the returned function takes it back. */
  onPower(listener: (event: PowerEvent) => void): () => void;
  /** Cancels what is under way: no timer stays behind. */
  stop(): void;
}

/** As recorded at Scaleway. */
const RECORDED_TIMES: CloudTimes = {
  deliveryMs: [125_000, 137_000],
  reinstallMs: [300_000, 900_000],
  rebootMs: [104_000, 104_000],
};

export const createSimCloud = (options: SimCloudOptions): SimCloud => {
  const core = createCore(options);
  for (const server of (options.saved ?? []).map(restoreServer)) {
    core.state.servers.set(server.id, server);
    resume(core, server);
  }
  const { state, clock, zone, projectId } = core;
  return {
    zone,
    projectId,
    as: (caller) => createCloudApi(core, caller),
    addServer: createOrders(core),
    deleteServer: (id) => deleteServer(core, id),
    sealPassword: (id) => {
      change(core, id, { isSealed: true });
    },
    setNextReinstall: (id, fate) => {
      state.fates.set(known(core, id).id, fate);
    },
    goAway: (forMs) => {
      state.awayUntilMs = clock.now() + forMs;
    },
    servers: () => [...state.servers.values()],
    server: (id) => state.servers.get(id),
    audit: () => state.audit,
    save: () => [...state.servers.values()].map(saveServer),
    onPower: (listener) => {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    stop: () => {
      for (const id of [...state.underWay.keys()]) cancelWork(core, id);
    },
  };
};

const createCore = (options: SimCloudOptions): CloudCore => ({
  projectId: 'simulated-project',
  zone: 'fr-par-1',
  osFamilies: ['Tahoe', 'Sequoia', 'Sonoma'],
  times: RECORDED_TIMES,
  timeScale: 1,
  ...options,
  state: emptyState(),
});

const createOrders = (core: CloudCore): ((order: NewServer) => SimServer) => {
  const ids = createIds(core.random.stream('server ids'));
  let ordered = 0;
  return ({ name, type = 'M2-L', osFamily = 'Tahoe', status = 'ready' }) => {
    ordered += 1;
    const server: SimServer = {
      ...{ id: ids.uuid(), name, type, osFamily, status },
      ...{ zone: core.zone, projectId: core.projectId, isDelivered: status === 'ready' },
      // The range that RFC 2544 keeps for benchmarks: nobody lives there.
      address: `198.18.${ordered >> 8}.${ordered & 255}`,
      sshUser: 'm1',
      ...{ password: drawPassword(core), isSealed: false, wipes: 0 },
    };
    core.state.servers.set(server.id, server);
    announce(core, { kind: 'added', server });
    if (status === 'starting') {
      startWork(core, server.id, { takes: 'deliveryMs', finish: () => turnOn(core, server.id) });
    }
    return server;
  };
};

const deleteServer = (core: CloudCore, id: string): void => {
  const server = known(core, id);
  cancelWork(core, id);
  core.state.servers.delete(id);
  core.state.deleted.add(id);
  announce(core, { kind: 'deleted', server });
};
