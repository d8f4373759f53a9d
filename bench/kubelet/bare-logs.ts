/**
 * The least that anybody must do for `kubectl logs`: a Node whose server sends bytes that it has in memory, over TLS, to whoever asks. How
 * fast that comes through the API server and kubectl is what the agent's own speed is held against.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSystemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { NODE_GROUP, nodeUserOf } from '../../src/kube/node/node-certificate.ts';
import { keepServingCertificate, type ServingPair } from '../../src/kube/node/serving-certificate.ts';
import { NODES, PODS } from '../../src/kube/types/core.ts';
import type { Cluster } from '../../test/cluster/bench/cluster.ts';
import { renderJob } from './jobs.ts';

export interface BareLogsOptions {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  /** Of its Node, and of its Pod. */
  readonly name: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

const ADDRESS = '127.0.0.1';

/** Settles when the log of its Pod can be read; ends with the signal. */
export const startBareLogs = async (options: BareLogsOptions): Promise<void> => {
  const { client, name, text, signal } = options;
  const { certificatePem, keyPem } = await obtainCertificate(options);
  const pair = { cert: certificatePem, key: keyPem.reveal() };
  const worker = new Worker(new URL('./bare-logs-worker.ts', import.meta.url), { workerData: { pair, text } });
  signal.addEventListener('abort', () => void worker.terminate(), { once: true });
  const [port] = await once(worker, 'message');
  await client.create(NODES, { metadata: { name } }, { signal });
  const daemonEndpoints = { kubeletEndpoint: { Port: Number(port) } };
  const body = { status: { addresses: [{ type: 'InternalIP', address: ADDRESS }], daemonEndpoints } };
  await client.patch(NODES, { name }, { type: 'merge', body }, { subresource: 'status', signal });
  await client.create(PODS, renderJob(name, name, ''), { signal });
};

const obtainCertificate = async ({ cluster, name, signal }: BareLogsOptions): Promise<ServingPair> => {
  const kubeconfig = await cluster.kubeconfigFor({ name: nodeUserOf(name), groups: [NODE_GROUP] });
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const deps = { client: await cluster.client(kubeconfig), clock, random, logger: silentLogger };
  const { promise, resolve } = Promise.withResolvers<ServingPair>();
  void keepServingCertificate({ ...deps, nodeName: name, ipAddress: ADDRESS }, resolve, signal);
  return promise;
};
