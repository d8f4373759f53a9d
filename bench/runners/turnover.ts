/**
 * A pool on Macs with tart-kubelet, on a real Kubernetes with its scheduler: guests come and go, and each end is followed to the VM that
 * takes its place. All of it is what a fleet runs, but for Tart and the guests.
 */
import { neverAborted } from '../../src/base/abort.ts';
import { parseRunnerPool, RUNNER_POOLS } from '../../src/kinds/runner-pool.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { PODS } from '../../src/kube/types/core.ts';
import { mustKubectl } from '../../test/cluster/bench/must-kubectl.ts';
import { installKinds } from '../../test/cluster/bench.ts';
import { RUNNERS_NAMESPACE, renderRunnerBindings } from '../../test/cluster/runners/runner-objects.ts';
import { until } from '../control-plane/until.ts';
import { followPods } from '../kubelet/follow-pods.ts';
import { type AgentProcess, openKubeletLab } from '../kubelet/lab.ts';
import type { TartNote } from '../kubelet/light-tart.ts';
import { startController } from './controller.ts';

export interface Turnover {
  /** From the end of `tart run` to the Pod that takes its place. */
  readonly madeMs: number;
  /** To its `tart run`, without the time of its clone. */
  readonly startedMs: number;
}

interface MadePod {
  readonly atMs: number;
  readonly vm: string;
}

const FLEET = 'ci';
const IMAGE = 'ghcr.io/acme/macos:1';
/** Ends at any moment between looks, if anybody had any. */
const GUEST = 'sleep 1.$((RANDOM % 900 + 100))';
const signal = neverAborted();

/** So many, with one runner on each Mac; those that found a Mac without a base are left out. */
export const measureTurnovers = async (macs: number, count: number): Promise<readonly Turnover[]> => {
  const lab = await openKubeletLab('kubernetes');
  const life = new AbortController();
  try {
    await installKinds(lab.cluster);
    await mustKubectl(lab.cluster, ['apply', '-f', '-'], JSON.stringify(renderRunnerBindings('bench')));
    const agents = await Promise.all(Array.from({ length: macs }, (_, at) => lab.startAgent(`mac-${at}`)));
    for (const { tart } of agents) tart.teach(GUEST);
    const made = await noteMade(lab.client, life.signal);
    const controller = await startController(lab.cluster.kubeconfig);
    try {
      await createPool(lab.client, macs);
      const wanted = count + 2 * macs;
      await until('the runners to come and go', async () => notesOf(agents, 'ended').length >= wanted + macs);
    } finally {
      await controller.end('SIGKILL');
    }
    return pair(agents, made, macs).slice(macs, macs + count);
  } finally {
    life.abort();
    await lab.stop();
  }
};

const createPool = async (client: KubeClient, replicas: number): Promise<void> => {
  const spec = { image: IMAGE, fleetSelector: FLEET, dispatchLabel: 'ci', runnerLabels: ['macOS'], replicas };
  const metadata = { name: 'ci', namespace: RUNNERS_NAMESPACE };
  await client.create(RUNNER_POOLS, parseRunnerPool({ metadata, spec }), { signal });
};

/** Every Pod of a runner, when it was first seen. */
const noteMade = async (client: KubeClient, stopping: AbortSignal): Promise<readonly MadePod[]> => {
  const made: MadePod[] = [];
  const { resourceVersion } = (await client.list(PODS, { signal })).metadata;
  void followPods(client, { resourceVersion, signal: stopping }, ({ type, object: { metadata } }) => {
    if (type !== 'ADDED' || metadata.namespace !== RUNNERS_NAMESPACE) return;
    made.push({ atMs: performance.timeOrigin + performance.now(), vm: `pod-${metadata.name}-${metadata.uid}` });
  });
  return made;
};

const notesOf = (agents: readonly AgentProcess[], what: TartNote['what']): readonly TartNote[] =>
  agents
    .flatMap(({ tart }) => tart.notes())
    .filter((note) => note.what === what)
    .toSorted((left, right) => left.atMs - right.atMs);

/** The first ones took nobody's place; from then on the next end is followed by the next Pod. */
const pair = (agents: readonly AgentProcess[], made: readonly MadePod[], macs: number): readonly Turnover[] => {
  const times = (['clone', 'cloned', 'run'] as const).map(
    (what) => new Map(notesOf(agents, what).map(({ vm, atMs }) => [vm, atMs])),
  );
  return notesOf(agents, 'ended').map(({ atMs: endedMs }, at) => {
    const next = made[at + macs];
    const [cloneMs, clonedMs, runMs] = times.map((of) => of.get(next?.vm ?? '') ?? Number.NaN);
    return {
      madeMs: (next?.atMs ?? Number.NaN) - endedMs,
      startedMs: Number(runMs) - endedMs - (Number(clonedMs) - Number(cloneMs)),
    };
  });
};
