/**
 * Days of runners from a seed, for whoever looks for defects: jobs whose labels get lost, a roll, a drain and scale-downs at any time, and a
 * network that loses questions and answers. Judged by what really happened (S30–S35).
 */

import { RUNNER_POOLS } from '../kinds/runner-pool.ts';
import { NODES } from '../kube/types/core.ts';
import { createRunnerFleet } from './runner-fleet.ts';
import { RUNNERS_NAMESPACE } from './runners-world.ts';

export interface RunnerBreach {
  readonly property: string;
  readonly message: string;
}

const SIZE = 3;
const IMAGES = ['a', 'b'].map((digit) => `ghcr.test/runner@sha256:${digit.repeat(64)}`);
const [OLD_IMAGE, IMAGE] = IMAGES;
const FAULTS = { 'fail-before': 0.05, 'fail-after': 0.05, 'late-answer': 0.01 };
const NETWORK = { sites: { kube: { faults: FAULTS }, dispatch: { faults: FAULTS } } };
const DAY_MS = 300_000;

/** What broke, in the order in which it did. */
export const playRunnerDay = async (seed: number): Promise<readonly RunnerBreach[]> => {
  const { world, dispatch, checker } = createRunnerFleet({
    ...{ seed, macs: SIZE, images: IMAGES, aliveMax: SIZE, traceLines: 0, network: NETWORK },
  });
  const { operator, kernel } = world;
  const spec = { fleetSelector: 'm2', dispatchLabel: 'macos', runnerLabels: ['self-hosted'] };
  operator.create(`/apis/tuist.dev/v1alpha1/namespaces/${RUNNERS_NAMESPACE}/runnerpools`, {
    ...{ apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool', metadata: { name: 'ci' } },
    spec: { ...spec, image: OLD_IMAGE, replicas: SIZE, rollout: { maxConcurrentPercent: 50 } },
  });
  dispatch.switchOn('F96b', { count: 10_000 });
  for (let at = 0; at < 2 * SIZE; at += 1) dispatch.queue({ pool: 'ci', durationMs: 60_000 });
  const sometime = (label: string, fromMs: number, run: () => void): void => {
    kernel.schedule(fromMs + kernel.choose(label, 60_000), label, run);
  };
  const merge = (more: object): void => operator.merge(RUNNER_POOLS, 'ci', { spec: more });
  const cordon = (unschedulable: boolean): void => operator.merge(NODES, 'mac-1', { spec: { unschedulable } });
  sometime('a roll', 15_000, () => merge({ image: IMAGE }));
  sometime('smaller', 20_000, () => merge({ replicas: 1 }));
  sometime('a drain', 40_000, () => cordon(true));
  sometime('back', 110_000, () => cordon(false));
  sometime('larger', 110_000, () => merge({ replicas: SIZE }));
  sometime('none', 180_000, () => merge({ replicas: 0 }));
  await kernel.run({ maxEvents: 600_000, maxVirtualMs: DAY_MS });
  return checker.judge(dispatch.record()).map(({ promise, message }) => ({ property: promise, message }));
};
