/** How others reach the cluster that this process works on: its Macs, and Cluster API core. */
import { FleetError } from '../base/errors.ts';
import type { HostIo } from '../kube/client/login/host-io.ts';
import { readPem } from '../kube/client/login/load-credentials.ts';
import type { ClusterConfig } from '../kube/client/login/select-context.ts';
import { type ClusterInfoDeps, findPublicServer } from './cluster-info.ts';

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
  /** Simulated ones are in this process, and reach what it reaches. */
  readonly macs: 'real' | 'simulated';
}

interface AccessDeps extends ClusterInfoDeps {
  readonly host: HostIo;
}

export const readClusterAccess = async (options: AccessOptions, deps: AccessDeps): Promise<ClusterAccess> => {
  const { server, ca, source } = options.config;
  if (ca === undefined) {
    throw new FleetError('invalid', {
      code: 'NoClusterAuthority',
      message: `${source} names no certificate authority, without which nobody else can be shown the way to the cluster`,
      hint: 'Use a kubeconfig with certificate-authority or certificate-authority-data.',
    });
  }
  const authority = (await readPem(ca, deps.host)).reveal();
  const forMacs = options.apiServerUrl ?? (await serverForMacs(options, deps));
  return { forMacs, forCore: options.runs === 'in-cluster' ? server : forMacs, authority };
};

/** The address by which a Pod reaches the API server leads nowhere from a Mac: it would be rebooted, wiped and put aside for it. */
const serverForMacs = async ({ config, runs, macs }: AccessOptions, deps: ClusterInfoDeps): Promise<string> => {
  if (macs === 'simulated') return config.server;
  const found = await findPublicServer(deps);
  if (found !== undefined || runs === 'elsewhere') return found ?? config.server;
  throw new FleetError('invalid', {
    code: 'NoApiServerForMacs',
    message:
      'Macs are outside of the cluster, and it does not say where they reach it: no https server in kube-public/cluster-info',
    hint: 'Say it with --api-server-url; "kubectl config view --minify" shows the address that you use yourself.',
  });
};
