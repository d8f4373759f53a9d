/** For tests: pools and runners as they stand in a cluster. */
import { FINALIZERS, LABELS } from '../../kinds/labels.ts';
import { parseRunnerPool, type RunnerPool } from '../../kinds/runner-pool.ts';
import type { Node } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';

export const IMAGE = `ghcr.test/runner@sha256:${'a'.repeat(64)}`;
export const OLD_IMAGE = `ghcr.test/runner@sha256:${'b'.repeat(64)}`;

export const poolWith = (
  spec: Readonly<Record<string, unknown>> = {},
  metadata: Partial<RunnerPool['metadata']> = {},
): RunnerPool =>
  parseRunnerPool({
    metadata: { name: 'ci', namespace: 'tuist-runners', uid: 'pool-uid', ...metadata },
    spec: {
      ...{ image: IMAGE, fleetSelector: 'm2', dispatchLabel: 'tuist-macos', runnerLabels: ['self-hosted'] },
      ...spec,
    },
  });

export interface RunnerFacts {
  readonly is?: 'unbound' | 'bound' | 'starting' | 'running' | 'succeeded' | 'failed' | 'deleting';
  readonly image?: string;
  readonly node?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: Pod['status'];
  readonly bornAt?: string;
}

const PHASES = {
  unbound: 'Pending',
  bound: 'Pending',
  starting: 'Pending',
  running: 'Running',
  deleting: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
} as const;

/** A Pod of the pool `ci`; running unless said otherwise. */
export const runner = (name: string, facts: RunnerFacts = {}): Pod => {
  const { is = 'running', image = IMAGE, node = 'mac-1', labels = {}, status = {} } = facts;
  const isBegun = is !== 'unbound' && is !== 'bound';
  return {
    metadata: {
      ...{ name, namespace: 'tuist-runners', uid: `uid-${name}`, resourceVersion: '1' },
      creationTimestamp: facts.bornAt ?? '2026-08-01T10:00:00Z',
      labels: { [LABELS.runner]: 'true', [LABELS.runnerPool]: 'ci', ...labels },
      ...(isBegun ? { finalizers: [FINALIZERS.pod] } : {}),
      ...(is === 'deleting' ? { deletionTimestamp: '2026-08-01T11:00:00Z', deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: { containers: [{ name: 'runner', image }], ...(is === 'unbound' ? {} : { nodeName: node }) },
    status: { phase: PHASES[is], ...status },
  };
};

export const BUSY = { [LABELS.runnerPoolOwner]: 'acme' };
export const LEAVING = { [LABELS.runnerOperatorDrain]: 'true' };
export const ROLLING = { [LABELS.runnerOperatorDrain]: 'true', [LABELS.drainEligible]: 'true' };

export const node = (name: string, more: { readonly fleet?: string; readonly not?: string } = {}): Node => {
  const { fleet = 'm2', not } = more;
  return {
    metadata: { name, labels: { [LABELS.fleet]: fleet, 'kubernetes.io/os': 'darwin' } },
    spec: { unschedulable: not === 'schedulable' },
    status: {
      allocatable: { cpu: '8', memory: '16384Mi', pods: '2' },
      conditions: [
        { type: 'Ready', status: not === 'ready' ? 'False' : not === 'known' ? 'Unknown' : 'True' },
        { type: 'DiskPressure', status: not === 'roomy' ? 'True' : 'False' },
      ],
    },
  };
};
