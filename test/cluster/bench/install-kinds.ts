/** Our own kinds, policies and roles, put into a cluster as a user would: `kubectl apply` of deploy/. */
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { mustKubectl } from './must-kubectl.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');

/** Settles when the kinds are served. May be repeated. */
export const installKinds = async (cluster: Cluster): Promise<void> => {
  await mustKubectl(cluster, ['apply', '--server-side', '--force-conflicts', '--recursive', '-f', DEPLOY]);
  const crds = ['-f', join(DEPLOY, 'crds')];
  await mustKubectl(cluster, ['wait', '--for=condition=Established', '--timeout=30s', ...crds]);
};
