/**
 * The API server of a simulated cluster as a process that can die: its store, what it answers, and how it comes back, from
 * its own log or from an old backup of it. Each life has randomness of its own, so that no UID is given twice.
 */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { createGuardedApi, type GuardedApi, type GuardedApiOptions } from '../controlplane/control-plane.ts';
import type { LogRecord, StoreLog } from '../controlplane/store/log.ts';
import { createStore, type Store } from '../controlplane/store/store.ts';

export interface PlaneOptions extends Omit<GuardedApiOptions, 'store' | 'clock' | 'random'> {
  readonly clock: Clock;
  readonly random: Random;
  /** `log`: what is acknowledged is in a log, and `restart` has nothing else to read. Costs something per write. */
  readonly keeps?: 'log';
  /** What it holds at its first beginning; nothing unless given. */
  readonly initial?: Backup;
}

/** Everything that a cluster held at one moment, as etcd's snapshot has it. */
export interface Backup {
  readonly revision: number;
  readonly records: readonly LogRecord[];
}

export interface Plane extends Pick<GuardedApi, 'api' | 'tokens' | 'authorize'> {
  /** Of the present life: do not keep it. */
  readonly store: Store;
  backUp(): Backup;
  /** The process is killed and started again. */
  restart(): void;
  /**
   * It comes back with what it had then. Plain, it gives revisions a second time; bumped, it goes on far beyond all that it
   * gave, and watches from before are refused (etcdutl's `--bump-revision --mark-compacted`).
   */
  restore(backup: Backup, how: 'plain' | 'bumped'): void;
  /** Told after each new beginning. */
  onReopened(listener: (how: 'restarted' | 'restored') => void): void;
}

const EMPTY: Backup = { revision: 0, records: [] };

interface Life extends GuardedApi {
  readonly store: Store;
}

/** More than anybody may have seen. */
const BUMP = 1_000;

export const createPlane = ({ keeps, initial = EMPTY, ...options }: PlaneOptions): Plane => {
  const listeners: ((how: 'restarted' | 'restored') => void)[] = [];
  const log = keeps === 'log' ? createMemoryLog() : undefined;
  let lives = 0;
  const open = (backup: Backup): Life => {
    const store = openStore(log, backup);
    const random = lives === 0 ? options.random : options.random.stream(`life ${lives}`);
    lives += 1;
    return { store, ...createGuardedApi({ ...options, random, store }) };
  };
  let life = open(initial);
  const reopen = (backup: Backup, how: 'restarted' | 'restored'): void => {
    life.api.close();
    life = open(backup);
    for (const listener of listeners) listener(how);
  };
  const backUp = (): Backup => ({ revision: life.store.revision, records: recordsOf(life.store) });
  return {
    get store() {
      return life.store;
    },
    api: {
      handle: (request) => life.api.handle(request),
      answer: (request) => life.api.answer(request),
      close: () => life.api.close(),
    },
    get tokens() {
      return life.tokens;
    },
    authorize: (attempt) => life.authorize(attempt),
    backUp,
    restart: () => reopen(log?.load() ?? backUp(), 'restarted'),
    restore: ({ revision, records }, how) => {
      const bumped = life.store.revision + BUMP;
      reopen({ revision: how === 'plain' ? revision : bumped, records }, 'restored');
    },
    onReopened: (listener) => void listeners.push(listener),
  };
};

/** A simulated cluster is small and short: all of it stays parsed. */
const PARSED_MAX = 4_096;

const recordsOf = (store: Store): readonly LogRecord[] =>
  store
    .collections()
    .flatMap((collection) =>
      store.list(collection).map(({ key, revision, json }) => ({ collection, key, revision, json })),
    );

interface MemoryLog extends StoreLog {
  /** Forgets all it has for this. */
  begin(backup: Backup): void;
}

/** Writes of this store are facts at once: each is appended by itself. */
const openStore = (log: MemoryLog | undefined, backup: Backup): Store => {
  if (log === undefined) return createStore({ initial: backup, parsedMax: PARSED_MAX });
  log.begin(backup);
  const inner = createStore({ log, parsedMax: PARSED_MAX });
  const durable = <T>(written: T): T => {
    inner.flush();
    return written;
  };
  return {
    ...inner,
    get revision() {
      return inner.revision;
    },
    put: (collection, object) => durable(inner.put(collection, object)),
    remove: (collection, object) => durable(inner.remove(collection, object)),
  };
};

const createMemoryLog = (): MemoryLog => {
  const records = new Map<string, LogRecord>();
  let revision = 0;
  const append = (added: readonly LogRecord[]): void => {
    for (const record of added) {
      const place = `${record.collection} ${record.key}`;
      if (record.json === undefined) records.delete(place);
      else records.set(place, record);
      revision = record.revision;
    }
  };
  return {
    begin: (backup) => {
      records.clear();
      append(backup.records);
      ({ revision } = backup);
    },
    load: () => ({ revision, records: [...records.values()] }),
    append,
    defer: () => undefined,
    close: () => undefined,
  };
};
