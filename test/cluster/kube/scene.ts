/** What the tests of src/kube on a real API server share: a namespace per test, connections, and waiting for a fact. */
import type { TestContext } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { type Clock, createSystemClock, sleep } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { type ClusterConnection, type ConnectDeps, connectCluster } from '../../../src/kube/client/connect.ts';
import { createHostIo } from '../../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../../src/kube/client/login/load-cluster.ts';
import type { ClusterConfig } from '../../../src/kube/client/login/select-context.ts';
import { NAMESPACES } from '../../../src/kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../../src/kube/types/meta.ts';
import type { Cluster } from '../bench/cluster.ts';
import { sharedCluster } from '../bench.ts';

export interface Scene {
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: KubeClient;
  /** Of this test alone; deleted after it. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Called after the test, last first, while the client still works. */
  undo(work: () => Promise<unknown>): void;
}

/** On the shared cluster unless another is given. */
export const openScene = async (t: TestContext, given?: Cluster): Promise<Scene> => {
  const cluster = given ?? (await sharedCluster('kubernetes'));
  const { client, close } = await dial(cluster.kubeconfig);
  const made = await client.create(
    NAMESPACES,
    { metadata: { name: '', generateName: 'kube-test-' } },
    { signal: t.signal },
  );
  const namespace = made.metadata.name;
  const undoing: (() => Promise<unknown>)[] = [
    close,
    () => client.delete(NAMESPACES, { name: namespace }, { signal: neverAborted() }),
  ];
  t.after(() => undoAll(undoing));
  return { cluster, client, namespace, signal: t.signal, undo: (work) => undoing.push(work) };
};

/** Last first. One that fails keeps no other from being undone. */
const undoAll = async (undoing: readonly (() => Promise<unknown>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const undo of undoing.toReversed()) await undo().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
};

/** A connection of its own, from a kubeconfig file or a ready configuration; closed after the test. */
export const connect = async (
  t: TestContext,
  config: string | ClusterConfig,
  deps: Partial<ConnectDeps> = {},
): Promise<ClusterConnection> => {
  const connection = await dial(config, deps);
  t.after(() => connection.close());
  return connection;
};

const dial = async (config: string | ClusterConfig, deps: Partial<ConnectDeps> = {}): Promise<ClusterConnection> => {
  const host = createHostIo();
  const loaded = typeof config === 'string' ? await loadKubeconfig({ path: config }, host) : config;
  return connectCluster(loaded, { host, ...parts(), ...deps });
};

/** Clock, randomness and silence, for whatever a test composes. */
export const parts = () => ({ clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger });

/** The system's clock, which a test may move on instead of waiting. */
export const createMovableClock = (): Clock & { moveOn(ms: number): void } => {
  const clock = createSystemClock();
  let aheadMs = 0;
  return {
    now: () => clock.now() + aheadMs,
    elapsed: () => clock.elapsed() + aheadMs,
    schedule: clock.schedule,
    moveOn: (ms) => {
      aheadMs += ms;
    },
  };
};

/** A clock on which everything is over sooner by this factor. */
export const createHurriedClock = (factor: number): Clock => {
  const clock = createSystemClock();
  return {
    now: clock.now,
    elapsed: () => clock.elapsed() * factor,
    schedule: (delayMs, run) => clock.schedule(delayMs / factor, run),
  };
};

const FACT_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 25;

/** Waits until `look` gives something other than undefined or false, and gives it; past the deadline it throws. */
export const eventually = async <T>(
  fact: string,
  look: () => Promise<T> | T,
  timeoutMs = FACT_TIMEOUT_MS,
): Promise<Exclude<T, undefined | false>> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (isFact(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`did not come true within ${timeoutMs} ms: ${fact}`);
    await sleep(createSystemClock(), LOOK_EVERY_MS, neverAborted());
  }
};

const isFact = <T>(seen: T): seen is Exclude<T, undefined | false> => seen !== undefined && seen !== false;

/** Which objects these are and in which version: equal for equal content, in any order. */
export const versionsOf = (objects: readonly KubeObject[]): readonly string[] =>
  objects
    .map((object) => `${renderKey(keyOf(object))} ${object.metadata.uid} ${object.metadata.resourceVersion}`)
    .sort();
