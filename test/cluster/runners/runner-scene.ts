/**
 * Runners on a real Kubernetes: three Macs with tart-kubelet, the simulated dispatcher over HTTP, which believes tokens that the API server
 * knows, bin/runners.ts as a process with the rights of deploy/rbac, and a record of what became of every Pod.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSystemClock } from '../../../src/base/clock.ts';
import { Secret } from '../../../src/base/secret.ts';
import { PODS } from '../../../src/kube/types/core.ts';
import type { Pod } from '../../../src/kube/types/pod.ts';
import { createKubeView } from '../../../src/sim/dispatch/kube-view.ts';
import { createPodWitness } from '../../../src/sim/dispatch/pod-witness.ts';
import { serveDispatch } from '../../../src/sim/dispatch/serve-dispatch.ts';
import { createSimDispatch, type SimDispatch } from '../../../src/sim/dispatch/sim-dispatch.ts';
import { DISPATCH_SERVER } from '../../../src/world/dispatch-rights.ts';
import { RUNNERS_ACCOUNT } from '../../../src/world/identities.ts';
import { mustKubectl } from '../bench/must-kubectl.ts';
import { createServers, type Servers } from '../bench/servers.ts';
import { installKinds } from '../bench.ts';
import { requestToken } from '../kube/login.ts';
import { eventually, parts } from '../kube/scene.ts';
import { type MacPark, openMacPark, renderLogin } from '../tart-kubelet/mac-park.ts';
import { RUNNER_IMAGES, RUNNERS_NAMESPACE, renderRunnerBindings } from './runner-objects.ts';

export interface RunnerScene {
  readonly park: MacPark;
  readonly dispatch: SimDispatch;
  /** In the namespace of runners; rejects when it fails. */
  kubectl(words: string, input?: object): Promise<string>;
  /** Runners that are there now, whatever their state. */
  pods(): readonly Pod[];
  startController(): void;
  /** `kill -9` */
  killController(): Promise<void>;
  /** Settles in the moment in which a job has ended. */
  nextEnd(): Promise<void>;
  /** What the controllers said, one after the other. */
  controllerLog(): string;
  /** Waits for it, on a busy machine too; tells who stands how when it never comes. */
  until<T>(what: string, look: () => Promise<T> | T): Promise<Exclude<T, undefined | false>>;
}

const MACS = 3;
const CONTROLLER = join(import.meta.dirname, '..', '..', '..', 'bin', 'runners.ts');
const PROCESS = 'runners';
const READY_MS = 60_000;
const DEADLINE_MS = 150_000;
const LOG_SHOWN = 4_000;

export const openRunnerScene = async (t: TestContext): Promise<RunnerScene> => {
  const park = await openMacPark(t, { macs: MACS, images: RUNNER_IMAGES });
  await installKinds(park.cluster);
  await giveRights(park);
  const kubectl: RunnerScene['kubectl'] = async (words, input) => {
    const given = input === undefined ? {} : { input: JSON.stringify(input) };
    const args = ['-n', RUNNERS_NAMESPACE, ...words.split(' ')];
    const { code, stdout, stderr } = await park.cluster.kubectl(args, { timeoutMs: DEADLINE_MS, ...given });
    if (code !== 0) throw new Error(`kubectl ${words}: ${stdout}${stderr}`);
    return `${stdout}${stderr}`;
  };
  const { dispatch, urls } = await openDispatch(park);
  const pods = await followPods(park, dispatch);
  const controller = await prepareController(park, urls);
  const log = () => controller.log();
  const tell = (error: Error): never => {
    const jobs = dispatch.jobs().filter(({ state }) => state !== 'done');
    const standing = pods().map(({ metadata, status, spec }) => [metadata.name, status?.phase, spec.nodeName]);
    const facts = [jobs, standing].map((fact) => JSON.stringify(fact));
    throw new Error([error.message, ...facts, log().slice(-LOG_SHOWN)].join('\n'), { cause: error });
  };
  park.undo(async () => {
    // First of all: nobody makes runners again, nor holds their pool.
    await controller.servers.stopAll();
    await clearAway(park);
  });
  return {
    ...{ park, dispatch, kubectl, pods, controllerLog: log },
    startController: controller.start,
    killController: () => controller.servers.stop(PROCESS),
    nextEnd: () => nextEnd(dispatch),
    until: (what, look) => eventually(what, look, DEADLINE_MS).catch(tell),
  };
};

const nextEnd = ({ onEntry }: SimDispatch): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = createSystemClock().schedule(DEADLINE_MS, () => reject(new Error('no job ended')));
  const forget = onEntry(({ event }) => {
    if (event === 'ended') resolve();
  });
  return promise.finally(() => {
    cancel();
    forget();
  });
};

/** After a test that failed; otherwise nothing is left by then. The agents still run, and let the Pods go. */
const clearAway = async ({ cluster }: MacPark): Promise<void> => {
  const kubectl = (...words: readonly string[]) => cluster.kubectl(['-n', RUNNERS_NAMESPACE, ...words]);
  const { stdout } = await kubectl('get', 'rpool', '-o', 'name');
  for (const pool of stdout.split('\n').filter((name) => name !== '')) {
    await kubectl('delete', pool, '--ignore-not-found', '--wait=false');
    await kubectl('patch', pool, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
  }
  await kubectl('delete', 'pods,serviceaccounts', '-l', 'tuist.dev/runner-pool', '--grace-period=1', '--timeout=30s');
};

/** The bindings end with the test. */
const giveRights = async ({ cluster, namespace, undo }: MacPark): Promise<void> => {
  const rights = JSON.stringify(renderRunnerBindings(namespace));
  await mustKubectl(cluster, ['apply', '-f', '-'], rights);
  undo(() => mustKubectl(cluster, ['delete', '-f', '-'], rights));
};

/** It asks the API server with the rights of the original's server. */
const openDispatch = async ({ cluster, undo }: MacPark) => {
  const { clock, random } = parts();
  const client = await cluster.client(await cluster.kubeconfigFor({ name: DISPATCH_SERVER.name }));
  const dispatch = createSimDispatch({ clock, random, controller: RUNNERS_ACCOUNT, view: createKubeView(client) });
  const served = await serveDispatch({ clock, dispatch });
  undo(async () => {
    dispatch.stop();
    await served.close();
  });
  return { dispatch, urls: served.environment };
};

/** One watch from before the first runner on, so that every change is seen, and in its order. */
const followPods = async ({ client, undo }: MacPark, { notePod }: SimDispatch): Promise<() => readonly Pod[]> => {
  const life = new AbortController();
  const { signal } = life;
  const pods = new Map<string, Pod>();
  const witness = createPodWitness(notePod);
  const { resourceVersion } = (await client.list(PODS, { namespace: RUNNERS_NAMESPACE, signal })).metadata;
  const follow = async (): Promise<void> => {
    const watching = { namespace: RUNNERS_NAMESPACE, resourceVersion, timeoutSeconds: 600, signal };
    for await (const event of client.watch(PODS, watching)) {
      if (event.type === 'BOOKMARK') continue;
      const { type, object } = event;
      if (type === 'DELETED') pods.delete(object.metadata.name);
      else pods.set(object.metadata.name, object);
      witness([...pods.values()], 'somebody');
    }
  };
  const following = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  undo(() => {
    life.abort();
    return following;
  });
  return () => [...pods.values()];
};

interface ControllerProcess {
  readonly servers: Servers;
  start(): void;
  log(): string;
}

/** With the token of its ServiceAccount, as its Pod would have it: for the API server, and to show to the dispatcher. */
const prepareController = async (park: MacPark, urls: Readonly<Record<string, string>>): Promise<ControllerProcess> => {
  const { cluster, namespace, undo } = park;
  const dir = join(cluster.dir, namespace);
  mkdirSync(dir);
  const token = await requestToken({ ...park, namespace: RUNNERS_NAMESPACE }, RUNNERS_ACCOUNT.name);
  const [kubeconfig, tokenFile] = [join(dir, 'kubeconfig'), join(dir, 'token')];
  writeFileSync(kubeconfig, renderLogin(cluster, { token: new Secret(token) }));
  writeFileSync(tokenFile, token);
  const servers = createServers(dir, READY_MS);
  undo(() => servers.stopAll());
  const args = [
    ...[CONTROLLER, '--kubeconfig', kubeconfig, '--dispatch-token-file', tokenFile, '--lease-profile', 'fast'],
    ...['--metrics-bind-address', '0', '--health-probe-bind-address', '0'],
  ];
  return {
    servers,
    start: () => servers.start({ name: PROCESS, path: process.execPath, args, env: urls }),
    log: () => readFileSync(join(dir, `${PROCESS}.log`), 'utf8'),
  };
};
