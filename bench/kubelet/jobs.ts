/** Pods that are bound to agents, and when what happened to them: bound, run, ended, told as over. */
import type { KubeClient } from '../../src/kube/client/client.ts';
import { PODS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import { until } from '../control-plane/until.ts';
import type { BareAgent } from './bare-agent.ts';
import { followPods } from './follow-pods.ts';

export interface JobTimes {
  /** From the answer to the binding to the start of `tart run`, without the time of the clone. */
  readonly startMs: number;
  /** From the end of `tart run` to the Pod that is seen to be over. */
  readonly endMs: number;
}

export interface Jobs {
  /** Binds a Pod whose guest does this, and settles when it is over and its VM is gone. */
  run(agent: BareAgent, name: string, script: string): Promise<JobTimes>;
  stop(): void;
}

const wallMs = (): number => performance.timeOrigin + performance.now();

/** Watches all Pods from now on. */
export const openJobs = async (client: KubeClient): Promise<Jobs> => {
  const stop = new AbortController();
  const overMs = new Map<string, number>();
  const released = new Set<string>();
  const { resourceVersion } = (await client.list(PODS, { signal: stop.signal })).metadata;
  void followPods(client, { resourceVersion, signal: stop.signal }, ({ type, object: { metadata, status } }) => {
    if (type === 'DELETED') return;
    const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    if (isOver && !overMs.has(metadata.name)) overMs.set(metadata.name, wallMs());
    if (isOver && metadata.finalizers === undefined) released.add(metadata.name);
  });
  return {
    run: async (agent, name, script) => {
      const { metadata } = await client.create(PODS, renderJob(name, agent.nodeName, script), { signal: stop.signal });
      const boundMs = wallMs();
      await until(`${name} to be over`, async () => released.has(name));
      const vm = `pod-${name}-${metadata.uid}`;
      const notes = agent.tart.notes().filter((note) => note.vm === vm);
      const at = (what: string): number => notes.find((note) => note.what === what)?.atMs ?? Number.NaN;
      return {
        startMs: at('run') - boundMs - (at('cloned') - at('clone')),
        endMs: (overMs.get(name) ?? Number.NaN) - at('ended'),
      };
    },
    stop: () => stop.abort(),
  };
};

export const renderJob = (name: string, nodeName: string, script: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: {
    ...{ nodeName, restartPolicy: 'Never' },
    containers: [{ name: 'main', image: 'ghcr.io/acme/macos:1', env: [{ name: 'SIM_GUEST_SCRIPT', value: script }] }],
  },
});

/** The value that so many per cent of all are at or below. */
export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
};
