/**
 * The clusters that Machines join, each reached by the kubeconfig in the Secret `<cluster>-kubeconfig`, as Cluster API core
 * does it: one connection for all Machines of a Cluster, made anew when the Secret changes, asked now and then whether it
 * still works. What is known of it stands on the Cluster and its Machines.
 */
import { withTimeLimit } from '../../../base/abort.ts';
import { isKind, messageOf } from '../../../base/errors.ts';
import { Secret } from '../../../base/secret.ts';
import { type Cache, createCache, dropManagedFields } from '../../../kube/cache/cache.ts';
import type { Change } from '../../../kube/cache/object-store.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { CLUSTER_API_LABELS } from '../../../kube/types/cluster-api.ts';
import { type Secret as KubeSecret, type Node, SECRETS } from '../../../kube/types/core.ts';
import type { CacheDeps } from '../../core/cluster-caches.ts';
import { subjectOf } from '../../core/watch-related.ts';
import type { Cluster } from '../machine-kinds.ts';
import { followRemote, type OpenRemoteCluster, type RemoteCluster, type RemoteConnection } from './remote-cluster.ts';

/** From the kubeconfig to a way in. `source` is for messages. Throws when it is no kubeconfig that can be used. */
export type OpenRemote = (kubeconfig: Secret<string>, source: string) => Promise<RemoteConnection>;

/** How it stands with the connection of a Cluster. */
export interface RemoteState {
  /** Undefined while there is none that works. */
  readonly remote: RemoteCluster | undefined;
  /** Why not. */
  readonly problem: string;
  /** When it was last seen to work; undefined when never since this process started. */
  readonly lastSuccessMs: number | undefined;
}

export interface RemoteListeners {
  nodeChanged(clusterKey: string, change: Change<Node>): void;
  /** The connection came, went, or failed again. */
  stateChanged(clusterKey: string): void;
  /** A write for this key is known now. */
  reached(key: string): void;
}

export interface RemoteClusters {
  readonly caches: readonly [Cache<KubeSecret>, RunsWithManager];
  /** Keeps the connections. */
  readonly controller: Controller;
  look(clusterKey: string): RemoteState;
  subscribe(listeners: RemoteListeners): void;
}

/** For a manager it is like a cache that is always warm: a cluster that cannot be reached holds nobody up. */
interface RunsWithManager {
  readonly resource: { readonly plural: string };
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

/** For this long without a connection, what was last seen of a Node is believed. */
export const BELIEVED_MS = 300_000;
const SUFFIX = '-kubeconfig';
const PROBE_EVERY_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;
/** One lost answer is no lost cluster. */
const FAILURES_MAX = 5;
const NEVER_LOOKED: RemoteState = { remote: undefined, problem: 'nobody looked yet', lastSuccessMs: undefined };

interface Entry {
  readonly kubeconfig: string;
  readonly open: OpenRemoteCluster;
  /** Until it was seen to work nobody uses it. */
  isProven: boolean;
  failures: number;
}

/** When a kubeconfig was last tried: our own news about it are no reason to try again. */
interface Look {
  readonly kubeconfig: string;
  readonly atMs: number;
}

interface Book {
  readonly entries: Map<string, Entry>;
  readonly looks: Map<string, Look>;
  readonly problems: Map<string, string>;
  readonly successes: Map<string, number>;
}

export interface RemoteClustersOptions {
  readonly clusters: Cache<Cluster>;
  readonly openRemote: OpenRemote;
  readonly probeEveryMs?: number;
}

export const createRemoteClusters = (
  deps: CacheDeps,
  { clusters, openRemote, probeEveryMs = PROBE_EVERY_MS }: RemoteClustersOptions,
): RemoteClusters => {
  const book: Book = { entries: new Map(), looks: new Map(), problems: new Map(), successes: new Map() };
  const listeners = new Set<RemoteListeners>();
  const life = new AbortController();
  const tell = (clusterKey: string): void => {
    for (const listener of listeners) listener.stateChanged(clusterKey);
  };
  const kubeconfigs = createCache<KubeSecret>({
    ...{ ...deps, resource: SECRETS, transform: dropManagedFields },
    labelSelector: CLUSTER_API_LABELS.clusterName,
  });
  const drop = async (clusterKey: string, problem: string): Promise<void> => {
    const entry = book.entries.get(clusterKey);
    const isNews = entry !== undefined || book.problems.get(clusterKey) !== problem;
    book.entries.delete(clusterKey);
    book.problems.set(clusterKey, problem);
    if (isNews) tell(clusterKey);
    await entry?.open.close();
  };
  const follow = (clusterKey: string, connection: RemoteConnection): OpenRemoteCluster =>
    followRemote(deps, connection, {
      signal: life.signal,
      listener: {
        nodeChanged: (change) => {
          for (const listener of listeners) listener.nodeChanged(clusterKey, change);
        },
        synced: () => tell(clusterKey),
        reached: (key) => {
          for (const listener of listeners) listener.reached(key);
        },
      },
    });
  const keeper: Keeper = { book, clusters, kubeconfigs, openRemote, probeEveryMs, drop, follow, tell };
  return {
    caches: [kubeconfigs, keepUntilStopped(book, life)],
    controller: createController({
      name: 'clusters.remote',
      watches: [watchPrimary(clusters), watchMapped(kubeconfigs, clusterKeysOf)],
      reconcile: (context) => keepConnection(keeper, context),
    }),
    look: (clusterKey) => lookAt(book, clusterKey),
    subscribe: (added) => void listeners.add(added),
  };
};

const keepUntilStopped = ({ entries }: Book, life: AbortController): RunsWithManager => ({
  resource: { plural: 'remote clusters' },
  synced: true,
  whenSynced: () => Promise.resolve(),
  run: async (signal) => {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    life.abort();
    await Promise.all([...entries.values()].map(({ open }) => open.close()));
  },
});

const clusterKeysOf = (change: Change<KubeSecret>): readonly string[] => {
  const { namespace, name } = subjectOf(change).metadata;
  return name.endsWith(SUFFIX) ? [`${namespace}/${name.slice(0, -SUFFIX.length)}`] : [];
};

const lookAt = ({ entries, problems, successes }: Book, clusterKey: string): RemoteState => {
  const lastSuccessMs = successes.get(clusterKey);
  const entry = entries.get(clusterKey);
  const remote = entry?.isProven === true && entry.open.nodes.synced ? entry.open : undefined;
  const problem = remote === undefined ? problems.get(clusterKey) : '';
  if (problem === undefined && entry === undefined) return NEVER_LOOKED;
  return { remote, problem: problem ?? 'its Nodes are not listed yet', lastSuccessMs };
};

interface Keeper {
  readonly book: Book;
  readonly clusters: Cache<Cluster>;
  readonly kubeconfigs: Cache<KubeSecret>;
  readonly openRemote: OpenRemote;
  readonly probeEveryMs: number;
  readonly drop: (clusterKey: string, problem: string) => Promise<void>;
  readonly follow: (clusterKey: string, connection: RemoteConnection) => OpenRemoteCluster;
  readonly tell: (clusterKey: string) => void;
}

const keepConnection = async (keeper: Keeper, context: ReconcileContext): Promise<Verdict> => {
  const { book, clusters, kubeconfigs, probeEveryMs, drop } = keeper;
  const { key } = context;
  const cluster = clusters.get(key);
  if (cluster === undefined) {
    await drop(key, 'the Cluster is gone');
    for (const part of [book.problems, book.successes, book.looks]) part.delete(key);
    return { next: 'rest' };
  }
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) {
    book.looks.delete(key);
    await drop(key, 'the infrastructure of the Cluster is not provisioned');
    return { next: 'rest' };
  }
  const secretKey = `${key}${SUFFIX}`;
  const kubeconfig = kubeconfigs.get(secretKey)?.data?.['value'];
  if (kubeconfig === undefined) {
    book.looks.delete(key);
    await drop(key, `there is no Secret ${secretKey} with a kubeconfig under "value" and the label ${LABEL}`);
    return waitForBelief(keeper, context);
  }
  const look = book.looks.get(key);
  const leftMs = look?.kubeconfig === kubeconfig ? look.atMs + probeEveryMs - context.clock.elapsed() : 0;
  if (leftMs > 0) return { next: 'again', afterMs: leftMs };
  book.looks.set(key, { kubeconfig, atMs: context.clock.elapsed() });
  const held = book.entries.get(key);
  if (held !== undefined && held.kubeconfig !== kubeconfig) await drop(key, `the Secret ${secretKey} has changed`);
  const entry = book.entries.get(key) ?? (await connect(keeper, { kubeconfig, secretKey }, context));
  if (entry !== undefined) await checkConnection(keeper, entry, context);
  if (entry === undefined) waitForBelief(keeper, context);
  return { next: 'again', afterMs: probeEveryMs };
};

/** Whoever believes what was last seen looks again, until that is too old to be believed. */
const waitForBelief = ({ book, tell, probeEveryMs }: Keeper, { key, clock }: ReconcileContext): Verdict => {
  const lastSuccessMs = book.successes.get(key);
  if (lastSuccessMs === undefined || clock.now() - lastSuccessMs > BELIEVED_MS + probeEveryMs) return { next: 'rest' };
  tell(key);
  return { next: 'again', afterMs: probeEveryMs };
};

const LABEL = CLUSTER_API_LABELS.clusterName;

const connect = async (
  { book, openRemote, drop, follow }: Keeper,
  { kubeconfig, secretKey }: { readonly kubeconfig: string; readonly secretKey: string },
  { key }: ReconcileContext,
): Promise<Entry | undefined> => {
  try {
    const text = new Secret(Buffer.from(kubeconfig, 'base64').toString());
    const open = follow(key, await openRemote(text, `Secret ${secretKey}`));
    const entry: Entry = { kubeconfig, open, isProven: false, failures: 0 };
    book.entries.set(key, entry);
    return entry;
  } catch (error) {
    await drop(key, `the kubeconfig in Secret ${secretKey} cannot be used: ${messageOf(error)}`);
    return undefined;
  }
};

/** Whoever is refused is not let in by waiting: that connection ends at once, and the next pass makes another. */
const checkConnection = async (
  { book, drop, tell }: Keeper,
  entry: Entry,
  context: ReconcileContext,
): Promise<void> => {
  const { key, clock, signal } = context;
  const limit = { clock, timeoutMs: PROBE_TIMEOUT_MS, signal, doing: `asking the cluster of ${key}` };
  try {
    await withTimeLimit(limit, (limited) => entry.open.probe(limited));
    const isNews = !entry.isProven || book.problems.has(key);
    entry.isProven = true;
    entry.failures = 0;
    book.problems.delete(key);
    book.successes.set(key, clock.now());
    if (isNews) tell(key);
  } catch (error) {
    entry.failures += 1;
    const problem = `the kubeconfig in Secret ${key}${SUFFIX} does not work: ${messageOf(error)}`;
    if (isKind(error, 'denied') || entry.failures >= FAILURES_MAX) await drop(key, problem);
    else book.problems.set(key, problem);
    tell(key);
  }
};
