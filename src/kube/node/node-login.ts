/**
 * How the agent on a Mac speaks to a cluster over TLS: with the kubeconfig that the bootstrap put on its disk. One
 * with a bootstrap token is good for one thing only, an identity of the Node's own (src/kube/node/node-identity.ts).
 */
import type { Secret } from '../../base/secret.ts';
import type { KubeClient } from '../client/client.ts';
import { type ClusterConnection, type ConnectDeps, connectCluster } from '../client/connect.ts';
import { createKubeClient } from '../client/create-client.ts';
import type { CredentialsSource } from '../client/login/credentials.ts';
import { readPem } from '../client/login/load-credentials.ts';
import { parseKubeconfig } from '../client/login/parse-kubeconfig.ts';
import { type ClusterConfig, selectContext } from '../client/login/select-context.ts';
import { createUndiciTransport } from '../client/undici-transport.ts';
import { createNodeCredentials, type IdentityDisk } from './node-identity.ts';

/** What lies on the Mac. */
export interface NodeLogin {
  readonly nodeName: string;
  readonly kubeconfig: Secret<string>;
  readonly disk: IdentityDisk;
}

export interface NodeLogins {
  clientForNode(login: NodeLogin): Promise<KubeClient>;
  close(): Promise<void>;
}

/** Connections are closed together. */
export const createNodeLogins = (deps: ConnectDeps): NodeLogins => {
  const connections: ClusterConnection[] = [];
  return {
    clientForNode: async (login) => {
      const connection = await connectNode(deps, login);
      connections.push(connection);
      return connection.client;
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
};

const BOOTSTRAP_TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/** Any other token is somebody's own: the Go original gave each Mac one of a ServiceAccount. */
const isBootstrapToken = (token: Secret<string> | undefined): boolean =>
  token !== undefined && BOOTSTRAP_TOKEN.test(token.reveal());

/** The Node's own connection. Nothing is asked yet: the first call does, and again until it was let in. */
export const connectNode = async (deps: ConnectDeps, login: NodeLogin): Promise<ClusterConnection> => {
  const { nodeName, disk } = login;
  const config = readConfig(login);
  const first = await connectCluster(config, deps);
  if (!isBootstrapToken(config.login.token)) return first;
  const connect = await createOpener(config, deps);
  const { clock, random, logger } = deps;
  const credentials = createNodeCredentials({
    ...{ clock, random, logger, nodeName, disk },
    ...{ joining: first.client, connect },
  });
  const own = connect(credentials);
  return {
    ...own,
    close: async () => {
      await Promise.all([own.close(), first.close()]);
    },
  };
};

/** The cluster and the login that the kubeconfig on a Mac names. */
export const readConfig = ({ nodeName, kubeconfig }: Pick<NodeLogin, 'nodeName' | 'kubeconfig'>): ClusterConfig =>
  selectContext(parseKubeconfig([{ path: `on the Mac ${nodeName}`, text: kubeconfig.reveal() }]));

const createOpener = async (
  config: ClusterConfig,
  deps: ConnectDeps,
): Promise<(credentials: CredentialsSource) => ClusterConnection> => {
  const { server, source, verifyServer, serverName } = config;
  const caPem = config.ca && (await readPem(config.ca, deps.host)).reveal();
  return (credentials) => {
    const transport = createUndiciTransport({
      ...{ server, source, verifyServer, credentials },
      ...(caPem === undefined ? {} : { caPem }),
      ...(serverName === undefined ? {} : { serverName }),
    });
    return { transport, client: createKubeClient({ ...deps, transport }), close: transport.close };
  };
};
