/**
 * How the agent on a simulated Mac speaks to a real cluster: with the kubeconfig that the bootstrap put on its disk. One
 * with a bootstrap token is good for one thing only, a certificate of the Node's own, renewed before it expires.
 */
import { Secret } from '../base/secret.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type ClusterConnection, type ConnectDeps, connectCluster } from '../kube/client/connect.ts';
import { createKubeClient } from '../kube/client/create-client.ts';
import {
  type ClientCertificate,
  type CredentialsSource,
  cachedCredentials,
  type LoadedCredentials,
} from '../kube/client/login/credentials.ts';
import { readRequired } from '../kube/client/login/host-io.ts';
import { readPem } from '../kube/client/login/load-credentials.ts';
import { parseKubeconfig } from '../kube/client/login/parse-kubeconfig.ts';
import { type ClusterConfig, selectContext } from '../kube/client/login/select-context.ts';
import type { Transport } from '../kube/client/transport.ts';
import { createUndiciTransport } from '../kube/client/undici-transport.ts';
import { parseCertificates } from '../pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../pki/key.ts';
import type { JoinCredentials } from '../provider/host/ports.ts';
import { requestNodeCertificate } from '../sim/node/node-certificate.ts';

export interface NodeLogins {
  /** Gives every Mac the kubeconfig in the file, as it is at that time. */
  readonly join: JoinCredentials;
  clientForNode(nodeName: string, kubeconfig: Secret<string>): Promise<KubeClient>;
  close(): Promise<void>;
}

export const createNodeLogins = (joinKubeconfig: string, deps: ConnectDeps): NodeLogins => {
  const connections: ClusterConnection[] = [];
  return {
    join: { issue: async () => new Secret(await readRequired(deps.host, joinKubeconfig)) },
    clientForNode: async (nodeName, kubeconfig) => {
      const connection = await connectNode(deps, { nodeName, kubeconfig });
      connections.push(connection);
      return connection.client;
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
};

interface NodeLogin {
  readonly nodeName: string;
  readonly kubeconfig: Secret<string>;
}

/** The Node's own connection. Nothing is asked yet: the first call does, and again until it was let in. */
const connectNode = async (deps: ConnectDeps, { nodeName, kubeconfig }: NodeLogin): Promise<ClusterConnection> => {
  const path = `on the Mac ${nodeName}`;
  const config = selectContext(parseKubeconfig([{ path, text: kubeconfig.reveal() }]));
  const first = await connectCluster(config, deps);
  if (config.login.token === undefined) return first;
  const open = await createOpener(config, deps);
  const transport = open(certified(deps, { nodeName, first, open }));
  return {
    transport,
    client: createKubeClient({ ...deps, transport }),
    close: async () => {
      await Promise.all([transport.close(), first.close()]);
    },
  };
};

type Open = (credentials: CredentialsSource) => Transport;

const createOpener = async (config: ClusterConfig, { host }: ConnectDeps): Promise<Open> => {
  const { server, source, verifyServer, serverName } = config;
  const caPem = config.ca && (await readPem(config.ca, host)).reveal();
  return (credentials) =>
    createUndiciTransport({
      ...{ server, source, verifyServer, credentials },
      ...(caPem === undefined ? {} : { caPem }),
      ...(serverName === undefined ? {} : { serverName }),
    });
};

interface Asking {
  readonly nodeName: string;
  /** Under the bootstrap token. */
  readonly first: ClusterConnection;
  readonly open: Open;
}

/** A certificate by the token, the next one by the last certificate; a key is kept until it was certified. */
const certified = (deps: ConnectDeps, { nodeName, first, open }: Asking): CredentialsSource => {
  const { clock, logger, random } = deps;
  let keyPair = createKeyPair(random);
  let held: (ClientCertificate & { readonly notAfterMs: number }) | undefined;
  const load = async (signal: AbortSignal): Promise<LoadedCredentials> => {
    const renewing = held !== undefined && clock.now() < held.notAfterMs ? open(fixed(held)) : undefined;
    const client = renewing === undefined ? first.client : createKubeClient({ ...deps, transport: renewing });
    try {
      const certificatePem = await requestNodeCertificate({ client, clock, nodeName, keyPair }, signal);
      const [{ notAfterMs }] = parseCertificates(certificatePem);
      held = { certificatePem, keyPem: renderPrivateKey(keyPair), notAfterMs };
      keyPair = createKeyPair(random);
      return { credentials: { certificate: held }, expiresAtMs: notAfterMs };
    } finally {
      await renewing?.close();
    }
  };
  return cachedCredentials({ clock, logger, load });
};

const fixed = (certificate: ClientCertificate): CredentialsSource => ({
  current: async () => ({ certificate }),
  renew: async (refused) => refused,
});
