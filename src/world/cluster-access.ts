/** How others reach the cluster that this process works on: its Macs, and Cluster API core. */
import { FleetError } from '../base/errors.ts';
import type { HostIo } from '../kube/client/login/host-io.ts';
import { readPem } from '../kube/client/login/load-credentials.ts';
import type { ClusterConfig } from '../kube/client/login/select-context.ts';

export interface ClusterAccess {
  readonly forMacs: string;
  readonly forCore: string;
  /** PEM of the authority behind the API server's certificate. */
  readonly authority: string;
}

export interface AccessOptions {
  readonly config: ClusterConfig;
  /** What an operator says Macs are to use. */
  readonly apiServerUrl: string | undefined;
  /** A process in a Pod reaches the API server as core does, which is a Pod too. */
  readonly runs: 'in-cluster' | 'elsewhere';
}

export const readClusterAccess = async (
  { config, apiServerUrl, runs }: AccessOptions,
  host: HostIo,
): Promise<ClusterAccess> => {
  const { server, ca, source } = config;
  if (ca === undefined) {
    throw new FleetError('invalid', {
      code: 'NoClusterAuthority',
      message: `${source} names no certificate authority, without which nobody else can be shown the way to the cluster`,
      hint: 'Use a kubeconfig with certificate-authority or certificate-authority-data.',
    });
  }
  const authority = (await readPem(ca, host)).reveal();
  const forMacs = apiServerUrl ?? server;
  return { forMacs, forCore: runs === 'in-cluster' ? server : forMacs, authority };
};
