/**
 * The way to the logs of Pods: the kubelet of their Node, at the address and port that the Node reports. Who answers there must
 * show a certificate of the cluster's own authority for that address; a Node cannot choose to go unverified.
 */
import { messageOf, toFleetError } from '../base/errors.ts';
import type { Transport, TransportResponse } from '../kube/client/transport.ts';
import type { NodeLog, NodeLogRequest, OpenNodeLog } from './api/node-log.ts';
import { ApiRefusal, badRequest } from './api/refusal.ts';
import { fieldsOf, type StoredObject } from './store/object.ts';

export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
}

/** A connection to that very endpoint, that shows who we are and trusts the cluster's authority alone. */
export type ConnectNode = (endpoint: NodeEndpoint) => Transport;

const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS', 'Hostname'];
/** Of what an agent says about an error. */
const TEXT_BYTES_MAX = 2_048;

export const createNodeLogs =
  (connect: ConnectNode): OpenNodeLog =>
  async (request) => {
    const endpoint = findEndpoint(request.node);
    const transport = connect(endpoint);
    const life = new AbortController();
    const end = async (): Promise<void> => {
      life.abort();
      await transport.close();
    };
    try {
      const response = await transport.send({
        ...{ method: 'GET', path: renderPath(request), headers: {}, signal: life.signal },
      });
      if (response.status < 200 || response.status > 206) throw await readRefusal(response);
      return pour(response, end);
    } catch (thrown) {
      await end();
      throw thrown instanceof ApiRefusal ? thrown : unreachableAgent(request, endpoint, thrown);
    }
  };

export const findEndpoint = (node: StoredObject): NodeEndpoint => {
  const status = fieldsOf(node['status']);
  const port = fieldsOf(fieldsOf(status['daemonEndpoints'])['kubeletEndpoint'])['Port'];
  const { name } = node.metadata;
  if (typeof port !== 'number' || port <= 0) {
    const why = 'its agent serves none (status.daemonEndpoints.kubeletEndpoint.Port is not set)';
    throw new ApiRefusal('ServiceUnavailable', `there are no logs from Node ${name}: ${why}`);
  }
  const listed = status['addresses'];
  const addresses = (Array.isArray(listed) ? listed : []).map(fieldsOf);
  const found = ADDRESS_TYPES.flatMap((wanted) =>
    addresses.flatMap(({ type, address }) => (type === wanted && typeof address === 'string' ? [address] : [])),
  );
  const [host] = found;
  if (host !== undefined) return { host, port };
  throw new ApiRefusal('ServiceUnavailable', `there are no logs from Node ${name}: it reports no address`);
};

const renderPath = ({ pod, container, options }: NodeLogRequest): string => {
  const { namespace = '', name } = pod.metadata;
  const query = options.toString();
  const path = [namespace, name, container].map(encodeURIComponent).join('/');
  return `/containerLogs/${path}${query === '' ? '' : `?${query}`}`;
};

const pour =
  ({ body }: TransportResponse, end: () => Promise<void>): NodeLog =>
  (sink) => {
    let isStopped = false;
    const run = async (): Promise<void> => {
      for await (const chunk of body) {
        sink.push(chunk);
        await sink.room?.();
      }
      sink.end();
    };
    run()
      .catch((thrown: unknown) => {
        if (!isStopped) sink.fail(messageOf(thrown));
      })
      .finally(end);
    return () => {
      isStopped = true;
      void end();
    };
  };

/** What the agent says is said on, under the code that a real API server would give it. */
const readRefusal = async ({ status, body }: TransportResponse): Promise<ApiRefusal> => {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes >= TEXT_BYTES_MAX) break;
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, TEXT_BYTES_MAX).trim();
  if (status === 400) return badRequest(text);
  if (status === 404) return new ApiRefusal('NotFound', `the server could not find the requested resource: ${text}`);
  return new ApiRefusal('InternalError', `Internal error occurred: the agent answered ${status}: ${text}`);
};

const unreachableAgent = ({ node }: NodeLogRequest, { host, port }: NodeEndpoint, thrown: unknown): ApiRefusal => {
  const { message } = toFleetError(thrown);
  return new ApiRefusal(
    'InternalError',
    `the agent of Node ${node.metadata.name} at ${host}:${port} cannot be asked: ${message}`,
  );
};
