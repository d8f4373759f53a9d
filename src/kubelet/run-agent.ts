/** One life of the agent on its Mac, from flags to the end: connected as a Node, served, and running Pods. */
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { BindAddress } from '../base/flags/flag-values.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import type { ResponseInfo } from '../kube/client/call.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { ClusterConnection } from '../kube/client/connect.ts';
import { createKubeClient } from '../kube/client/create-client.ts';
import { type HostIo, readRequired } from '../kube/client/login/host-io.ts';
import { readPem } from '../kube/client/login/load-credentials.ts';
import { createEventRecorder } from '../kube/controller/events.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import { createIdentityFile } from '../kube/node/identity-file.ts';
import { connectNode, readConfig } from '../kube/node/node-login.ts';
import { runChores } from './agent-chores.ts';
import { createAgentLife } from './agent-life.ts';
import { createAccess } from './api/access.ts';
import { type KubeletServer, startKubeletServer } from './api/https-server.ts';
import { createKubeletApi, type KubeletApi } from './api/kubelet-api.ts';
import { createLogKeeper, type LogKeeper } from './api/logs/log-keeper.ts';
import { renderResourceMetrics, renderSummary, type UsageView } from './api/usage/render-usage.ts';
import { createKubelet, type Kubelet } from './create-kubelet.ts';
import { type KubeletFlags, metricsAddressOf } from './flags.ts';
import { decideCapacity, judgeCapacity } from './node/node-capacity.ts';
import { createNodePart } from './node/node-part.ts';
import { type HostProcess, type OpenHost, openHost } from './open-host.ts';
import { openWaysIn } from './open-ways-in.ts';
import { createPodMetrics } from './pods/pod-metrics.ts';
import type { MapAddress } from './pods/probes/network-dial.ts';
import { parseVmName } from './pods/vm-name.ts';

export interface AgentOptions {
  readonly flags: KubeletFlags;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly host: HostIo;
  readonly process: HostProcess;
  readonly nodeName: string;
  readonly kubeconfig: string;
  readonly agentVersion: string;
  readonly metrics: RuntimeMetrics;
  /** Where an address of a VM is really reached; itself on a Mac. */
  readonly mapAddress: MapAddress;
  /** Serves metrics there, and probes where the flags say. */
  readonly serveHealth: (metrics: BindAddress | 'off') => Promise<void>;
  readonly closing: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

const IDENTITY_FILE = 'identity.json';

/** Settles after a clean stop. VMs run on. */
export const runAgent = async (given: AgentOptions): Promise<void> => {
  const life = createAgentLife({ ...given, stop: given.signal });
  const options: AgentOptions = { ...given, signal: life.signal };
  const { flags, clock, random, logger, nodeName, closing, signal, metrics } = options;
  const startedAtMs = clock.now();
  const mac = openHost({ ...options, life: signal });
  const { files, vms, images, watch, folders } = mac;
  const [address, connection] = await Promise.all([
    mac.address(),
    login(options),
    ...Object.values(folders).map((folder) => files.makeDirectory(folder)),
  ]);
  const { client, transport, authority } = connection;
  await options.serveHealth(metricsAddressOf(flags, address));
  if (address === undefined) logger.warn('This Mac has no address: there are no logs, figures and forwarders');
  const server = address === undefined ? undefined : await listen(options, { address, authority, client });
  const ids = createIds(random);
  const events = createEventRecorder({ client, clock, ids, logger, component: 'tart-kubelet', signal });
  const { providerId, nodeLabels: labels } = flags;
  const { size } = options.process;
  const capacity = decideCapacity(flags.capacity, size);
  for (const note of judgeCapacity(flags.capacity, size)) logger.warn(note);
  const node = createNodePart({
    ...{ client, clock, random, logger, watch, events, nodeName, address },
    leaseClient: createKubeClient({ transport, clock, random, logger }),
    facts: async () => {
      const system = await mac.system();
      return { nodeName, providerId, labels, capacity, address, servingPort: server?.port, system };
    },
    ...(server === undefined ? {} : { useCertificate: server.useCertificate }),
  });
  const logs = openLogs(options, mac);
  closing.defer(() => logs.close());
  const waysIn = await openWaysIn({ ...options, files, vms, address, ownAddresses: options.process.interfaces });
  const kubelet = createKubelet({
    ...{ client, clock, random, logger, ids, vms, images, files, node, logs, ...waysIn },
    metrics: createPodMetrics(metrics.registry),
    prepare: async () => {
      await Promise.all([mac.system(), watch.lookOnce(signal), resumeLogs(mac, logs, signal)]);
    },
    settings: {
      ...{ nodeName, ...(address === undefined ? {} : { hostIp: address }) },
      paths: { userdata: folders.userdata, logs: folders.logs },
      collects: flags.collectsGarbage ? 'images' : 'nothing',
    },
  });
  life.beforeEnd(async (limit) => {
    if (!(await mac.goesDown(limit))) return;
    logger.warn('The Mac shuts down: its VMs are stopped');
    await kubelet.goDown(limit);
  });
  server?.answerWith(createApi({ ...options, mac, logs, kubelet, startedAtMs }));
  logger.info('tart-kubelet starts', { node: nodeName, version: options.agentVersion, address });
  await Promise.all([
    kubelet.run(signal),
    runChores({ ...mac, clock, logger, registry: metrics.registry, pods: kubelet.pods }, signal),
  ]);
};

const openLogs = ({ clock, logger }: AgentOptions, { files, folders }: OpenHost): LogKeeper =>
  createLogKeeper({
    ...{ files, clock, logger, logDirectory: folders.logs },
    runLogOf: (vm) => `${folders.logs}/${vm}.log`,
    guestLogOf: (vm) => ({
      directory: `${folders.userdata}/${vm}/status`,
      path: `${folders.userdata}/${vm}/status/runner.log`,
    }),
  });

/** Of VMs that an earlier life left. */
const resumeLogs = async ({ vms }: OpenHost, logs: LogKeeper, signal: AbortSignal): Promise<void> => {
  for (const vm of await vms.running(signal)) if (parseVmName(vm) !== undefined) await logs.resume(vm);
};

interface ApiOf extends Pick<AgentOptions, 'clock' | 'nodeName' | 'metrics'> {
  readonly mac: OpenHost;
  readonly logs: LogKeeper;
  readonly kubelet: Kubelet;
  readonly startedAtMs: number;
}

const createApi = ({ clock, nodeName, metrics, mac, logs, kubelet, startedAtMs }: ApiOf): KubeletApi => {
  const { files, folders, usage } = mac;
  const view = async (signal: AbortSignal): Promise<UsageView> => {
    const sample = await usage.read(signal);
    return { nodeName, startedAtMs, sample, before: usage.before(), pods: kubelet.pods.list(), vmOf: kubelet.vmOf };
  };
  return createKubeletApi({
    clock,
    pods: () => kubelet.pods.list(),
    logs: { files, keeper: logs, logDirectory: folders.logs, vmOf: kubelet.vmOf },
    metrics: () => metrics.registry.metrics(),
    resourceMetrics: async (signal) => renderResourceMetrics(await view(signal)),
    summary: async (signal) => renderSummary(await view(signal)),
  });
};

interface NodeConnection extends Pick<ClusterConnection, 'client' | 'transport'> {
  /** PEM of the cluster's own authority, if the kubeconfig says it. */
  readonly authority: string | undefined;
}

const login = async ({ kubeconfig, nodeName, closing, ...deps }: AgentOptions): Promise<NodeConnection> => {
  const { host, clock, random, logger, metrics } = deps;
  const readKubeconfig = async (): Promise<Secret<string>> => new Secret(await readRequired(host, kubeconfig));
  const secret = await readKubeconfig();
  const disk = createIdentityFile(join(dirname(kubeconfig), IDENTITY_FILE));
  const onResponse = (info: ResponseInfo): void =>
    metrics.requested({ method: info.method, host: info.host, code: String(info.status ?? '<error>') });
  const connection = await connectNode(
    { host, clock, random, logger, onResponse },
    { nodeName, kubeconfig: secret, readKubeconfig, disk },
  );
  closing.defer(connection.close);
  const { ca } = readConfig({ nodeName, kubeconfig: secret });
  return { ...connection, authority: ca === undefined ? undefined : (await readPem(ca, host)).reveal() };
};

interface Listening {
  readonly address: string;
  readonly authority: string | undefined;
  readonly client: KubeClient;
}

/** On every interface: an address that the Node has from a router is none of this Mac's own. */
const listen = async (
  { flags, clock, logger, nodeName, closing }: AgentOptions,
  { address, authority, client }: Listening,
): Promise<KubeletServer> => {
  if (authority === undefined)
    logger.warn('The kubeconfig names no authority of the cluster: callers are known by tokens, not by certificates');
  const server = await startKubeletServer({
    ...{ host: address.startsWith('127.') ? address : '0.0.0.0', port: flags.kubeletPort, logger },
    ...{ clientAuthority: authority, access: createAccess({ client, clock, nodeName }) },
  });
  closing.defer(server.close);
  return server;
};
