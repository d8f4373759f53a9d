/**
 * The scripted node agent: a Node whose Pods are scripts, or processes of whoever gives it a way to run them. It stands for tart-kubelet wherever virtual machines are not the
 * point: it registers, sends heartbeats, runs Pods and stops them, over the same API, on the injected clock.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { keepLease } from '../../kube/node/lease-keeper.ts';
import { keepServingCertificate } from '../../kube/node/serving-certificate.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { createNodeApi, type ReadLog } from './node-api.ts';
import { createNodeKeeper } from './node-keeper.ts';
import { addressOf, type NodeFacts } from './node-object.ts';
import type { ServeNode } from './node-server.ts';
import type { PodProcesses } from './pod-processes.ts';
import { createPodRunner } from './pod-runner.ts';

export interface NodeAgentOptions extends NodeFacts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Runs the Pods that bring no script. */
  readonly processes?: PodProcesses;
  /** Serves logs to the API server; without it there are none. */
  readonly serve?: ServeNode;
  /** Of the Pods that `processes` runs. */
  readonly readLog?: ReadLog;
  /** How often its Lease is renewed; every ten seconds unless given. */
  readonly renewEveryMs?: number;
}

/** Runs until the signal is aborted: then the Node is silent, as when a Mac is switched off. */
export const runNodeAgent = async (options: NodeAgentOptions, signal: AbortSignal): Promise<void> => {
  const { client, clock, nodeName } = options;
  const random = options.random.stream(`node ${nodeName}`);
  const logger = options.logger.with({ node: nodeName });
  const deps = { client, clock, random, logger };
  const nodes = createCache<Node>({
    ...deps,
    resource: NODES,
    transform: dropManagedFields,
    fieldSelector: `metadata.name=${nodeName}`,
  });
  const pods = createCache<Pod>({
    ...deps,
    resource: PODS,
    transform: dropManagedFields,
    fieldSelector: `spec.nodeName=${nodeName}`,
  });
  const readLog = options.readLog === undefined ? {} : { readLog: options.readLog };
  const server = await options.serve?.(createNodeApi({ pods, clock, ...readLog }));
  const facts = { ...options, ...(server !== undefined && { servingPort: server.port }) };
  const running = options.processes === undefined ? {} : { processes: options.processes };
  const manager = createManager({
    ...deps,
    name: 'node-agent',
    caches: [nodes, pods],
    controllers: [createNodeKeeper(facts, nodes), createPodRunner({ pods, hostIp: addressOf(options), ...running })],
  });
  const renewal = options.renewEveryMs === undefined ? {} : { renewEveryMs: options.renewEveryMs };
  const use = server?.useCertificate;
  const serving = { ...deps, nodeName, ipAddress: addressOf(options) };
  try {
    await Promise.all([
      manager.run(signal),
      keepLease({ client, clock, logger, nodeName, ...renewal }, signal),
      ...(use === undefined ? [] : [keepServingCertificate(serving, use, signal)]),
    ]);
  } finally {
    await server?.close();
  }
};
