/**
 * RunnerPool: keeps a number of single-job runner Pods warm. A zero that was written on purpose stays a zero: defaults
 * only take the place of what is absent.
 */
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { RESOURCE_NAMES } from './resource-names.ts';
import { conditions } from './schema/conditions.ts';
import { choice, flag, int32, list, object, text, time } from './schema/fields.ts';
import { AGE, type Data, type Kind } from './schema/kind.ts';
import { createParser } from './schema/parse.ts';

const texts = (description: string) => list(description, text('One label.'), { maxItems: 256 });

const autoscaling = object('Lets the controller set replicas from the load the server reports.', {
  enabled: flag('Whether it does.').default(false),
  minWarmPoolFloor: int32('Idle runners kept on top of the load. 0 keeps none.', { minimum: 0 }).default(1),
  maxReplicas: int32('Upper limit of replicas. 0: no runner at all.', { minimum: 0 }).default(0),
  scaleDownCooldownSeconds: int32('Shortest time between two steps down. 0: none.', { minimum: 0 }).default(300),
});

const rollout = object('How fast a new image replaces the old one.', {
  maxConcurrentPercent: int32('Share of the replicas that may be replaced at once; at least one.', {
    minimum: 1,
    maximum: 100,
  }).default(5),
});

const provisioning = object('Limits on Pods that are starting (linux only).', {
  maxConcurrentPerFleetSelector: int32('Pods of all pools of the fleet that may be starting at once.', {
    minimum: 1,
  }).default(4),
  startTimeoutSeconds: int32('A Pod that has not started after this long is replaced. 0: never.', {
    minimum: 0,
  }).default(300),
});

const spec = object('The runners that are wanted.', {
  image: text('Image of the virtual machine.'),
  fleetSelector: text(
    'Fleet the runners run on: the value of the Node label tuist.dev/fleet (darwin) or node.cluster.x-k8s.io/pool (linux).',
  ),
  dispatchLabel: text('Label by which jobs ask for this pool in runs-on.'),
  runnerLabels: texts('Labels each runner registers with.'),
  labels: texts('Accepted for compatibility and ignored.').optional(),
  replicas: int32('How many runners there should be. Set by the autoscaler if that is enabled.', {
    minimum: 0,
  }).default(0),
  os: choice('What the runners run on.', ['darwin', 'linux']).default('darwin'),
  podCPUMilli: int32('CPU of a runner in thousandths, as request and limit.').default(8_000),
  podMemoryMB: int32('Memory of a runner in MiB, as request and limit.').default(14_336),
  runtimeClass: text('RuntimeClass of the Pods (linux only).').optional(),
  idleTimeoutSeconds: int32('A guest that gets no job for this long ends itself. 0: never.').default(0),
  autoscaling: autoscaling.prefault({}),
  rollout: rollout.prefault({}),
  provisioning: provisioning.prefault({}),
});

const status = object('The pool as last observed.', {
  observedReplicas: int32('Runners alive after the last pass.').optional(),
  selector: text('Label selector of the Pods of this pool, for the scale subresource.', {
    maxLength: 1_024,
  }).optional(),
  lastReconcile: time('When the pool last changed.').optional(),
  lastScaleDownAt: time('When the autoscaler last took a step down.').optional(),
  observedImage: text('The image last seen in spec.').optional(),
  imageRolledAt: time('When that image was first seen.').optional(),
  creating: list(
    'Runners that are being created, by name: on record before they are, so that none is made twice.',
    text('Name of a Pod.'),
    {
      maxItems: 100,
    },
  ).optional(),
  conditions: conditions.optional(),
});

export interface RunnerPool extends KubeObject {
  readonly spec: Data<typeof spec>;
  readonly status?: Data<typeof status>;
}

export const RUNNER_POOLS: Resource<RunnerPool> = RESOURCE_NAMES.runnerPools;

export const runnerPoolKind: Kind<RunnerPool> = {
  resource: RUNNER_POOLS,
  description: 'A number of runners, each a Pod that runs one job and ends.',
  shortName: 'rpool',
  categories: [],
  labels: {},
  columns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Observed', type: 'integer', jsonPath: '.status.observedReplicas' },
    { name: 'DispatchLabel', type: 'string', jsonPath: '.spec.dispatchLabel' },
    AGE,
    { name: 'Fleet', type: 'string', jsonPath: '.spec.fleetSelector', priority: 1 },
    { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
  ],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.observedReplicas',
    labelSelectorPath: '.status.selector',
  },
  fields: { spec, status },
};

export const parseRunnerPool = createParser(runnerPoolKind);
