/** What the fleet of `up` is given to do, and what a person may try on it. */

import { RUNNER_POOLS } from '../../kinds/runner-pool.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { DemoObject } from '../../world/demo-fleet.ts';
import { RUNNER_POOL } from '../../world/demo-fleet.ts';
import { RUNNERS_PER_MAC } from '../../world/runners-in-process.ts';
import { readExample } from './read-examples.ts';
import { shareMachines } from './share-machines.ts';
import type { FleetName, UpFlags } from './up-flags.ts';

/** What runs on the Macs of a fleet. */
const WORK: Readonly<Record<FleetName, readonly string[]>> = {
  macos: ['deployment', 'job'],
  runners: ['runner-pool'],
  builders: [],
};

/** A pool is no larger, however many Macs it has: its idle guests would take the machine that shows them. */
const RUNNERS_MAX = 40;

/** The manifests of `examples/`, in an order in which each finds what it refers to. */
export const renderWork = ({ machines, fleet }: Pick<UpFlags, 'machines' | 'fleet'>): readonly DemoObject[] => {
  const sizes = shareMachines(machines, fleet);
  const resized = (name: FleetName, demo: DemoObject): DemoObject => {
    const size = sizes[name] ?? 0;
    if (demo.resource === CLUSTER_API_RESOURCES.machineDeployments) return withReplicas(demo, size);
    return demo.resource === RUNNER_POOLS ? withReplicas(demo, Math.min(size * RUNNERS_PER_MAC, RUNNERS_MAX)) : demo;
  };
  return [
    ...readExample('cluster'),
    ...fleet.flatMap((name) =>
      [`fleet-${name}`, ...WORK[name]].flatMap(readExample).map((demo) => resized(name, demo)),
    ),
  ];
};

const specOf = (object: KubeObject): object =>
  'spec' in object && typeof object.spec === 'object' && object.spec !== null ? object.spec : {};

const withReplicas = ({ resource, object }: DemoObject, replicas: number): DemoObject => {
  const spec = { ...specOf(object), replicas };
  return { resource, object: { ...object, ...{ spec } } };
};

/** Undefined of what has no size. */
export const replicasOf = (object: KubeObject): number | undefined => {
  const spec = specOf(object);
  return 'replicas' in spec && typeof spec.replicas === 'number' ? spec.replicas : undefined;
};

export interface Tries {
  readonly fleet: readonly FleetName[];
  readonly kubeconfig: string;
  /** Whether an earlier run did the work; the logs of its Pods went with it. */
  readonly isKept: boolean;
  /** Where the jobs of runners are looked at and added. */
  readonly dispatchControl: string | undefined;
}

/** Five commands, each of which shows something else. */
const renderTries = ({ fleet, dispatchControl, isKept }: Omit<Tries, 'kubeconfig'>): readonly string[] => {
  const [first = 'macos'] = fleet;
  const job = isKept ? 'kubectl describe job hello-macos' : 'kubectl logs job/hello-macos';
  const work = fleet.includes('macos') ? job : 'kubectl describe machosts';
  const jobs =
    dispatchControl === undefined
      ? 'kubectl get nodes -o wide'
      : `curl ${dispatchControl}/jobs -d '{"pool": "${RUNNER_POOL}", "count": 10}'`;
  return [
    './macfleet status',
    'kubectl get machinedeployments,machines,machosts,nodes',
    work,
    jobs,
    `kubectl scale machinedeployment ${first} --replicas 3`,
  ];
};

export const renderHints = (tries: Tries): string =>
  [
    'Try in another terminal:',
    `  export KUBECONFIG=${tries.kubeconfig}`,
    ...renderTries(tries).map((line) => `  ${line}`),
    'Ctrl-C stops everything.',
  ].join('\n');
