/** kubectl where a refusal means that the bench is broken. */
import { FleetError } from '../../../src/base/errors.ts';
import type { Cluster } from './cluster.ts';

export const mustKubectl = async (cluster: Cluster, args: readonly string[], input = ''): Promise<void> => {
  const { code, stderr } = await cluster.kubectl(args, { input });
  if (code === 0) return;
  throw new FleetError('contract', {
    code: 'ManifestRefused',
    message: `kubectl ${args.join(' ')} ended with ${code}: ${stderr}`,
    hint: 'Are the manifests fresh (`npm run generate`, `npm run cluster:build`)?',
  });
};
