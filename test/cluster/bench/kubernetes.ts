/** Starts etcd and Kubernetes, each when the one it needs is ready. */
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { isKind } from '../../../src/base/errors.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { SERVICE_ACCOUNTS } from '../../../src/kube/types/core.ts';
import { CLUSTER_ROLE_BINDINGS } from '../../../src/kube/types/rbac.ts';
import { type ChoosePort, onFreePort } from '../../../tools/processes/ports.ts';
import { auditFlags } from './audit.ts';
import type { ClusterOptions } from './cluster.ts';
import { apiServerFlags, controllerManagerFlags, etcdFlags, schedulerFlags } from './kubernetes-flags.ts';
import { ADMIN } from './open-cluster.ts';
import { type ClusterPki, type ClusterUser, writePrivate } from './pki.ts';
import { probe } from './probe.ts';
import type { Servers } from './servers.ts';

export interface Starting {
  readonly dir: string;
  readonly options: ClusterOptions;
  readonly pki: ClusterPki;
  readonly servers: Servers;
  readonly choosePort: ChoosePort;
  /** The full path of a program. */
  readonly program: (name: string) => string;
}

/** Gives etcd's address. */
export const startEtcd = ({ dir, options, servers, choosePort, program }: Starting): Promise<string> =>
  onFreePort(choosePort, async (port) => {
    const url = `http://127.0.0.1:${port}`;
    await servers.stop('etcd');
    servers.start({ name: 'etcd', path: program('etcd'), args: etcdFlags(dir, url, options) });
    const waiting = 'etcd to be healthy';
    await servers.until(waiting, async () => (await probe(`${url}/health`)) === 200);
    return url;
  });

/** Gives the server's address. */
export const startApiServer = (starting: Starting, etcdUrl: string): Promise<string> => {
  const { dir, options, pki, servers, choosePort, program } = starting;
  const identity = { caPem: pki.caPem, client: pki.issueClient(ADMIN) };
  return onFreePort(choosePort, async (port) => {
    const server = `https://127.0.0.1:${port}`;
    await servers.stop('kube-apiserver');
    const args = [...apiServerFlags({ pki, etcdUrl, port }, options), ...auditFlags(dir, options)];
    servers.start({ name: 'kube-apiserver', path: program('kube-apiserver'), args });
    const waiting = 'kube-apiserver to be ready';
    await servers.until(waiting, async () => (await probe(`${server}/readyz`, identity)) === 200);
    return server;
  });
};

/** The API server makes the role; that its own kubelet certificate has it is for whoever sets up a cluster. */
export const allowKubeletCalls = async (client: KubeClient): Promise<void> => {
  await client.create(
    CLUSTER_ROLE_BINDINGS,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'kube-apiserver-kubelet-api-admin' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver' }],
    },
    { signal: neverAborted() },
  );
};

export const startControllers = (starting: Starting, server: string): void => {
  const { options, pki, servers, program } = starting;
  const manager = writeKubeconfig(starting, server, { name: 'system:kube-controller-manager' });
  const scheduler = writeKubeconfig(starting, server, { name: 'system:kube-scheduler' });
  const args = controllerManagerFlags(pki, manager, options);
  servers.start({ name: 'kube-controller-manager', path: program('kube-controller-manager'), args });
  servers.start({ name: 'kube-scheduler', path: program('kube-scheduler'), args: schedulerFlags(scheduler, options) });
};

/** Pods can be created from here on, and the controllers that make it so are running. */
export const untilControllersWork = async ({ servers }: Starting, client: KubeClient): Promise<void> => {
  const waiting = 'the default ServiceAccount to exist';
  const key = { namespace: 'default', name: 'default' };
  await servers.until(waiting, () =>
    client.get(SERVICE_ACCOUNTS, key, { signal: neverAborted() }).then(
      () => true,
      (error: unknown) => {
        if (isKind(error, 'not-found')) return false;
        throw error;
      },
    ),
  );
};

/** For one of the cluster's own parts. */
export const writeKubeconfig = ({ dir, pki }: Starting, server: string, user: ClusterUser): string => {
  const path = join(dir, 'users', `${user.name.replaceAll(':', '-')}.kubeconfig`);
  writePrivate(path, pki.kubeconfig(server, user));
  return path;
};
