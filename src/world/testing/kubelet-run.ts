/** What tests of tart-kubelet on the virtual clock share: Pods that come and go, and waiting for them. */
import assert from 'node:assert/strict';
import { type Node, PODS } from '../../kube/types/core.ts';
import type { Container, Pod, PodSpec } from '../../kube/types/pod.ts';
import type { NetworkOptions } from '../../sim/kernel/network.ts';
import { type KubeletWorld, NODE_NAME } from '../kubelet-world.ts';

const BOUNDS = { maxEvents: 1_000_000, maxVirtualMs: 2_400_000 };

export interface WantedPod {
  /** What the guest does, in the few words that guests of steps know. */
  readonly script?: string;
  readonly metadata?: object;
  readonly spec?: Partial<PodSpec>;
  readonly container?: Partial<Container>;
}

export const FOREVER = 'sleep infinity';

export const renderPod = (name: string, { script = FOREVER, metadata, spec, container }: WantedPod = {}): object => ({
  metadata: { name, ...metadata },
  spec: {
    ...{ nodeName: NODE_NAME, restartPolicy: 'Never' },
    ...spec,
    containers: [
      {
        ...{ name: 'main', image: 'ghcr.io/acme/macos:1', env: [{ name: 'SIM_GUEST_SCRIPT', value: script }] },
        ...container,
      },
    ],
  },
});

export interface At {
  readonly atMs: number;
  readonly name: string;
}

export const createPod = ({ kernel, operator }: KubeletWorld, { atMs, name }: At, wanted?: WantedPod): void => {
  const pod = renderPod(name, wanted);
  kernel.schedule(atMs, `create ${name}`, () => operator.create('/api/v1/namespaces/default/pods', pod));
};

export const deletePod = ({ kernel, operator }: KubeletWorld, { atMs, name }: At): void =>
  void kernel.schedule(atMs, `delete ${name}`, () => operator.remove(PODS, name));

/** Its phase and exit code: `Failed 3`. */
export const endOf = (pod: Pod | undefined): string =>
  `${pod?.status?.phase} ${pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode}`;

/** A Pod or a Node. */
export const isReady = (object: Pick<Pod | Node, 'status'> | undefined): boolean =>
  object?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

/** Nothing is on the Mac but bases, and no Pod waits for us. */
export const isClean = ({ mac, pods }: KubeletWorld): boolean =>
  mac.home.vmNames().every((name) => name.startsWith('tuist-golden-')) &&
  pods().every(({ metadata }) => metadata.finalizers === undefined);

export const runUntil = async (world: KubeletWorld, what: string, until: () => boolean): Promise<KubeletWorld> => {
  const { outcome } = await world.kernel.run({ ...BOUNDS, check: world.check, until });
  const trace = world.kernel.dump().split('\n').slice(-40).join('\n');
  assert.equal(outcome, 'until', `never: ${what}\n${trace}`);
  return world;
};

export const runFor = async (world: KubeletWorld, ms: number): Promise<void> => {
  await world.kernel.run({ ...BOUNDS, maxVirtualMs: ms, check: world.check });
};

/** Between the agent and the API; the Mac itself is near. */
export const STORM: NetworkOptions = {
  sites: {
    kube: { faults: { 'fail-before': 0.05, 'fail-after': 0.05, 'late-effect': 0.01, 'late-answer': 0.01 } },
    'kube:body': { faults: { cut: 0.02, freeze: 0.01, split: 0.2 } },
  },
};
