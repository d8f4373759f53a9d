/**
 * How the agent on a Mac speaks to a cluster over TLS: with the kubeconfig that the bootstrap put on its disk. One
 * with a bootstrap token is good for one thing only, an identity of the Node's own (src/kube/node/node-identity.ts).
 */
import { toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Secret } from '../../base/secret.ts';
import type { KubeClient } from '../client/client.ts';
import { type ClusterConnection, type ConnectDeps, connectCluster, warnIfUnverified } from '../client/connect.ts';
import { createKubeClient } from '../client/create-client.ts';
import type { Credentials, CredentialsSource } from '../client/login/credentials.ts';
import { readPem } from '../client/login/load-credentials.ts';
import { parseKubeconfig } from '../client/login/parse-kubeconfig.ts';
import { type ClusterConfig, selectContext } from '../client/login/select-context.ts';
import type { Transport } from '../client/transport.ts';
import { createUndiciTransport, type UndiciTransportOptions } from '../client/undici-transport.ts';
import { createNodeCredentials, type IdentityDisk } from './node-identity.ts';

/** What lies on the Mac. */
export interface NodeLogin {
  readonly nodeName: string;
  readonly kubeconfig: Secret<string>;
  /** The same as it lies there by now, for a token that came later; the first one counts for ever unless given. */
  readonly readKubeconfig?: () => Promise<Secret<string>>;
  readonly disk: IdentityDisk;
}

export interface NodeLoginDeps extends ConnectDeps {
  /** The way to the server that a Mac's kubeconfig names; TLS unless given. */
  readonly openTransport?: (to: UndiciTransportOptions) => Transport;
}

export interface NodeLogins {
  clientForNode(login: NodeLogin): Promise<KubeClient>;
  close(): Promise<void>;
}

/** Connections are closed together. */
export const createNodeLogins = (deps: NodeLoginDeps): NodeLogins => {
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
const isBootstrapToken = (token: Secret<string> | undefined): token is Secret<string> =>
  token !== undefined && BOOTSTRAP_TOKEN.test(token.reveal());

/** The Node's own connection. Nothing is asked yet: the first call does, and again until it was let in. */
export const connectNode = async (deps: NodeLoginDeps, login: NodeLogin): Promise<ClusterConnection> => {
  const { nodeName, disk } = login;
  const config = readConfig(login);
  const { token } = config.login;
  if (!isBootstrapToken(token)) return connectCluster(config, deps);
  warnIfUnverified(config, deps.logger);
  const connect = await createOpener(config, deps);
  const { clock, random, logger } = deps;
  const tokens = createJoinTokens(login, { token, logger });
  const joining = connect(tokens);
  const { hasNewToken } = tokens;
  const credentials = createNodeCredentials({
    ...{ clock, random, logger, nodeName, disk },
    ...{ joining: joining.client, hasNewToken, connect },
  });
  const own = connect(credentials);
  return {
    ...own,
    close: async () => {
      await Promise.all([own.close(), joining.close()]);
    },
  };
};

interface JoinTokens extends CredentialsSource {
  hasNewToken(): Promise<boolean>;
}

/** What lies on the Mac when it is asked for: whoever brings a new token need not start anybody again. */
const createJoinTokens = (
  { nodeName, kubeconfig, readKubeconfig = async () => kubeconfig }: NodeLogin,
  { token, logger }: { readonly token: Secret<string>; readonly logger: Logger },
): JoinTokens => {
  let shown: Credentials = { token };
  const look = async (): Promise<Credentials> => {
    try {
      const { login } = readConfig({ nodeName, kubeconfig: await readKubeconfig() });
      return isBootstrapToken(login.token) && !isSame(login.token, shown.token) ? { token: login.token } : shown;
    } catch (thrown) {
      logger.warn('The kubeconfig cannot be read again', { error: toFleetError(thrown) });
      return shown;
    }
  };
  const show = async (): Promise<Credentials> => {
    shown = await look();
    return shown;
  };
  return { current: show, renew: show, hasNewToken: async () => (await look()) !== shown };
};

const isSame = (left: Secret<string>, right: Secret<string> | undefined): boolean => left.reveal() === right?.reveal();

/** The cluster and the login that the kubeconfig on a Mac names. */
export const readConfig = ({ nodeName, kubeconfig }: Pick<NodeLogin, 'nodeName' | 'kubeconfig'>): ClusterConfig =>
  selectContext(parseKubeconfig([{ path: `on the Mac ${nodeName}`, text: kubeconfig.reveal() }]));

const createOpener = async (
  config: ClusterConfig,
  deps: NodeLoginDeps,
): Promise<(credentials: CredentialsSource) => ClusterConnection> => {
  const { server, source, verifyServer, serverName } = config;
  const { openTransport = createUndiciTransport } = deps;
  const caPem = config.ca && (await readPem(config.ca, deps.host)).reveal();
  return (credentials) => {
    const transport = openTransport({
      ...{ server, source, verifyServer, credentials },
      ...(caPem === undefined ? {} : { caPem }),
      ...(serverName === undefined ? {} : { serverName }),
    });
    return { transport, client: createKubeClient({ ...deps, transport }), close: transport.close };
  };
};
