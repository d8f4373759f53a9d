/** A cluster that a command can do nothing with, told in its own words. Pure. */
import { FleetError } from '../../base/errors.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Listed } from './list-kinds.ts';

/** Throws unless one of these kinds of ours can be read. */
export const requireFleet = (ours: readonly Listed<KubeObject>[], source: string): void => {
  if (ours.some(({ is }) => is === 'listed')) return;
  const denied = ours.find((listed) => listed.is === 'denied');
  if (denied?.is === 'denied') throw noRights(denied.error, source);
  throw new FleetError('not-found', {
    code: 'FleetNotInstalled',
    message: `the cluster of ${source} serves none of Macfleet's kinds (infrastructure.cluster.x-k8s.io/v1alpha1)`,
    hint: 'Install Macfleet there (deploy/crds first), or name another cluster with --context or --kubeconfig.',
  });
};

const noRights = (cause: FleetError, source: string): FleetError =>
  new FleetError('denied', {
    code: 'FleetForbidden',
    message: `${source} may read neither MacHosts nor machines there`,
    hint: 'Ask for get, list and watch on machosts and scalewayapplesiliconmachines (group infrastructure.cluster.x-k8s.io).',
    cause,
  });

/** What a person must know about kinds that could not be read. */
export const noteMissing = (name: string, listed: Listed<KubeObject>): readonly string[] => {
  if (listed.is === 'denied') return [`${name} are not shown: this login may not list them.`];
  return [];
};

export const CLUSTER_API_MISSING =
  'Cluster API core (cluster.x-k8s.io/v1beta2) is not installed: nothing makes machines, drains Nodes or replaces Macs. Install core 1.11 or later with clusterctl init.';
