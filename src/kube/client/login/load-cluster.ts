/** Which cluster to call: from kubeconfig files, or from inside a Pod. All reading goes through HostIo. */
import { delimiter, join } from 'node:path';
import { FleetError } from '../../../base/errors.ts';
import { type HostIo, readRequired } from './host-io.ts';
import type { ClusterConfig } from './select-context.ts';

export interface KubeconfigChoice {
  /** `--kubeconfig`: this file and no other. */
  readonly path?: string;
  /** The value of KUBECONFIG: a list of files, of which missing ones are skipped. */
  readonly searchPath?: string;
  /** Where `.kube/config` is looked for when neither is given. */
  readonly homeDirectory?: string;
  /** Instead of the current context. */
  readonly context?: string;
}

export const loadKubeconfig = async (choice: KubeconfigChoice, host: HostIo): Promise<ClusterConfig> => {
  const paths = choice.path === undefined ? toSearchPaths(choice) : [choice.path];
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await host.readText(path) })));
  const found = files.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  if (found.length > 0) {
    // In a Pod there is no kubeconfig, and a YAML parser would cost every manager 25 ms and 11 MB.
    const { parseKubeconfig } = await import('./parse-kubeconfig.ts');
    const { selectContext } = await import('./select-context.ts');
    return selectContext(parseKubeconfig(found), choice.context);
  }
  throw new FleetError('invalid', {
    code: 'NoKubeconfig',
    message: paths.length === 0 ? 'no kubeconfig is named' : `no kubeconfig at ${paths.join(', ')}`,
    hint: 'Name one with --kubeconfig or KUBECONFIG.',
  });
};

const toSearchPaths = ({ searchPath, homeDirectory }: KubeconfigChoice): readonly string[] => {
  const named = (searchPath ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0) return named;
  return homeDirectory === undefined ? [] : [join(homeDirectory, '.kube', 'config')];
};

/** The values of KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
export interface InClusterAddress {
  readonly serviceHost: string | undefined;
  readonly servicePort: string | undefined;
}

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** As every Pod is given it: address by environment, token, CA and namespace by mounted files. */
export const loadInCluster = async (address: InClusterAddress, host: HostIo): Promise<ClusterConfig> => {
  const { serviceHost, servicePort } = address;
  if (!serviceHost || !servicePort) {
    throw new FleetError('invalid', {
      code: 'NotInCluster',
      message: 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
      hint: 'Run inside a Pod, or name a kubeconfig.',
    });
  }
  const namespace = await readRequired(host, join(SERVICE_ACCOUNT_DIRECTORY, 'namespace'));
  return {
    source: `the service account in ${SERVICE_ACCOUNT_DIRECTORY}`,
    server: `https://${serviceHost.includes(':') ? `[${serviceHost}]` : serviceHost}:${servicePort}`,
    namespace: namespace.trim(),
    ca: { in: 'file', path: join(SERVICE_ACCOUNT_DIRECTORY, 'ca.crt') },
    verifyServer: 'yes',
    login: { tokenFile: join(SERVICE_ACCOUNT_DIRECTORY, 'token') },
  };
};
