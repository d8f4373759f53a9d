/** The two shells that Cluster API core wants to see before it works with Machines: there is nothing to provision for them. */
import { parseCluster, type ScalewayAppleSiliconCluster } from '../../kinds/cluster.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { parseControlPlane, type ScalewayAppleSiliconControlPlane } from '../../kinds/control-plane.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { reconcileLifecycle } from '../../kube/controller/lifecycle.ts';
import { done, type Reconciled, type Report, type StepResult, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_ANNOTATIONS, type ClusterApiCluster } from '../../kube/types/cluster-api.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { clusterNameOf, isPaused, reportPause } from './pause.ts';

export interface ShellCaches<T extends Reconciled> {
  readonly shells: Cache<T>;
  readonly clusters: Cache<ClusterApiCluster>;
}

export const createClusterController = (
  caches: ShellCaches<ScalewayAppleSiliconCluster>,
  events: EventRecorder,
): Controller =>
  createShellController(caches, events, {
    read: parseCluster,
    up: {
      status: { initialization: { provisioned: true }, ready: true },
      condition: {
        type: CONDITIONS.cluster.ready,
        status: 'True',
        reason: REASONS.cluster.ready.provisioned,
        message: '',
      },
    },
  });

export const createControlPlaneController = (
  caches: ShellCaches<ScalewayAppleSiliconControlPlane>,
  events: EventRecorder,
): Controller =>
  createShellController(caches, events, {
    read: parseControlPlane,
    up: {
      status: { initialization: { controlPlaneInitialized: true }, externalManagedControlPlane: true },
      condition: {
        type: CONDITIONS.controlPlane.available,
        status: 'True',
        reason: REASONS.controlPlane.available.available,
        message: '',
      },
    },
  });

interface Shell<T extends Reconciled> {
  readonly read: (stored: T) => T;
  /** What is to be said of it, once and for all. */
  readonly up: Report<T> & Required<Pick<Report<T>, 'condition'>>;
}

const createShellController = <T extends Reconciled>(
  { shells, clusters }: ShellCaches<T>,
  events: EventRecorder,
  { read, up }: Shell<T>,
): Controller =>
  createController({
    name: `${shells.resource.plural}.shell`,
    watches: [
      watchPrimary(shells),
      watchMapped(clusters, (change) => {
        const { metadata } = change.type === 'deleted' ? change.old : change.object;
        return shells
          .list()
          .filter((shell) => shell.metadata.namespace === metadata.namespace && clusterNameOf(shell) === metadata.name)
          .map((shell) => renderKey(keyOf(shell)));
      }),
    ],
    reconcile: reconcileLifecycle<T>({
      cache: shells,
      events,
      read,
      gate: async (shell) => gate(clusters, shell),
      up: [
        {
          name: 'go-on',
          condition: CONDITIONS.cluster.paused,
          run: async () => done<T>({ condition: reportPause('False') }),
        },
        { name: 'provision', condition: up.condition.type, run: async () => done<T>(up) },
      ],
      down: [],
    }),
  });

/** A shell that another tool manages is never written to (the contract says label, core reads the annotation). */
const gate = <T extends Reconciled>(clusters: Cache<ClusterApiCluster>, shell: T): StepResult<T> | undefined => {
  const { labels, annotations } = shell.metadata;
  const managedBy = annotations?.[CLUSTER_API_ANNOTATIONS.managedBy] ?? labels?.[CLUSTER_API_ANNOTATIONS.managedBy];
  if (managedBy !== undefined) return stop<T>();
  return isPaused(clusters, shell) ? stop<T>({ condition: reportPause('True') }) : undefined;
};
