/**
 * The kubeconfig of a Secret as a connection. Whoever may write the Secret decides where Cluster API connects to, and nothing
 * more: a kubeconfig that names files or programs of this machine is refused.
 */
import { FleetError } from '../../../base/errors.ts';
import { type ConnectDeps, connectCluster } from '../../../kube/client/connect.ts';
import type { HostIo } from '../../../kube/client/login/host-io.ts';
import { parseKubeconfig } from '../../../kube/client/login/parse-kubeconfig.ts';
import { selectContext } from '../../../kube/client/login/select-context.ts';
import type { OpenRemote } from './remote-clusters.ts';

export const createOpenByKubeconfig =
  (deps: Omit<ConnectDeps, 'host'>): OpenRemote =>
  async (kubeconfig, source) => {
    const config = selectContext(parseKubeconfig([{ path: source, text: kubeconfig.reveal() }]));
    if (config.login.exec !== undefined) throw outside(source, `the program ${config.login.exec.command}`);
    return connectCluster(config, { ...deps, host: nothingHere(source) });
  };

const nothingHere = (source: string): HostIo => ({
  readText: async (path) => {
    throw outside(source, `the file ${path}`);
  },
  run: async ({ file }) => ({
    exitCode: undefined,
    stdout: '',
    stderr: '',
    problem: `is not run for ${source}: ${file}`,
  }),
});

const outside = (source: string, what: string): FleetError =>
  new FleetError('denied', {
    code: 'KubeconfigNotSelfContained',
    message: `the kubeconfig in ${source} asks for ${what}`,
    hint: 'Put certificates, keys and tokens into the kubeconfig itself.',
  });
