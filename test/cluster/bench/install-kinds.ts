/** Our own kinds, policies and roles, put into a cluster as a user would: `kubectl apply` of deploy/. */
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { mustKubectl } from './must-kubectl.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');

const CRDS = ['-f', join(DEPLOY, 'crds')];
/** Charts and components are for other ways of installing. */
const REST = ['policies', 'rbac', 'runners'].flatMap((folder) => ['-f', join(DEPLOY, folder)]);

/** Settles when the kinds are served. May be repeated. */
export const installKinds = async (cluster: Cluster): Promise<void> => {
  await applyAndWait(cluster, [...CRDS, ...REST]);
};

/** The kinds without roles and policies, which a chart brings along. */
export const installDefinitions = async (cluster: Cluster): Promise<void> => {
  await applyAndWait(cluster, CRDS);
};

const applyAndWait = async (cluster: Cluster, files: readonly string[]): Promise<void> => {
  await mustKubectl(cluster, ['apply', '--server-side', '--force-conflicts', ...files]);
  await mustKubectl(cluster, ['wait', '--for=condition=Established', '--timeout=30s', ...CRDS]);
};
