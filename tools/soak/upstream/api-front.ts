/**
 * What the suite speaks to: a front that passes everything on to the control plane under test, as its administrator unless the
 * request brings a token. One answer it gives itself: the suite does not begin without the Service `kubernetes`, from which
 * it learns the family of addresses, and the embedded control plane has no Services.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import { FleetError } from '../../../src/base/errors.ts';
import type { ClusterConfig } from '../../../src/kube/client/login/select-context.ts';

export interface ApiFront {
  readonly url: string;
  close(): Promise<void>;
}

const SERVICE_PATH = '/api/v1/namespaces/default/services/kubernetes';
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '10.96.0.1', ports: [{ port: 443, protocol: 'TCP' }] },
};

export const startApiFront = async (config: ClusterConfig): Promise<ApiFront> => {
  const agents = createAgents(config);
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'GET' && incoming.url === SERVICE_PATH) answerService(outgoing);
    else passOn(incoming, outgoing, { server: new URL(config.server), agents });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new FleetError('bug', { code: 'NoPort', message: 'a listening server has no port' });
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      for (const agent of Object.values(agents)) agent.destroy();
      await once(server, 'close');
    },
  };
};

interface Agents {
  readonly administrator: Agent;
  readonly anonymous: Agent;
}

const createAgents = ({ ca, login }: ClusterConfig): Agents => {
  const { certificate } = login;
  if (ca?.in !== 'data' || certificate?.certificate.in !== 'data' || certificate.key.in !== 'data')
    throw new FleetError('bug', { code: 'NoInlineLogin', message: 'the kubeconfig of the control plane names files' });
  const trust = { ca: ca.pem.reveal(), keepAlive: true };
  const identity = { cert: certificate.certificate.pem.reveal(), key: certificate.key.pem.reveal() };
  return { administrator: new Agent({ ...trust, ...identity }), anonymous: new Agent(trust) };
};

const answerService = (outgoing: ServerResponse): void => {
  outgoing.setHeader('content-type', 'application/json');
  outgoing.end(JSON.stringify(SERVICE));
};

const passOn = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { server, agents }: { readonly server: URL; readonly agents: Agents },
): void => {
  const { method, url, headers } = incoming;
  const onward = request({
    ...{ host: server.hostname, port: server.port, method, path: url },
    headers: { ...headers, host: server.host },
    agent: headers.authorization === undefined ? agents.administrator : agents.anonymous,
  });
  onward.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    // A watch that has nothing to say yet has answered all the same.
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  // The suite sees a broken connection, as it would without us.
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
};
