/**
 * The scripted node agent as a process: what a simulated Mac runs in place of tart-kubelet, with tart-kubelet's flags. It
 * registers a Node, keeps it alive and runs its Pods as scripts, until it is stopped.
 */
import './require-node.js';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { createSystemClock } from '../src/base/clock.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { Secret } from '../src/base/secret.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { KUBELET_CLIENT } from '../src/controlplane/node-connection.ts';
import { createHostIo, type HostIo, readRequired } from '../src/kube/client/login/host-io.ts';
import { readPem } from '../src/kube/client/login/load-credentials.ts';
import { createIdentityFile } from '../src/kube/node/identity-file.ts';
import { createNodeLogins, type NodeLogin, readConfig } from '../src/kube/node/node-login.ts';
import { runNodeAgent } from '../src/sim/node/node-agent.ts';
import { createServeNode, type ServeNode } from '../src/sim/node/node-server.ts';
import { openProcess } from './process-io.ts';

interface Flags {
  readonly nodeName: string;
  readonly kubeconfig: string;
  readonly providerId: string;
  readonly nodeLabels: string;
  readonly hostCpu: string;
  readonly hostMemoryMb: string;
  readonly maxPods: string;
  readonly serveLogs: boolean;
}

const { args, io } = openProcess();

/** `a=1,b=2` */
const parseLabels = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );

const flags = new Command('node-agent')
  .description('the scripted node agent of a simulated Mac')
  .allowUnknownOption()
  .requiredOption('--node-name <name>', 'the Node to be')
  .requiredOption('--kubeconfig <file>', 'how to reach the cluster')
  .option('--provider-id <id>', 'spec.providerID of the Node', '')
  .option('--node-labels <labels>', 'labels of the Node, as key=value,…', '')
  .option('--host-cpu <count>', 'processors that the Node offers', '8')
  .option('--host-memory-mb <count>', 'memory that it offers', '16384')
  .option('--max-pods <count>', 'Pods that it takes', '3')
  .option('--serve-logs', 'serve the logs of its Pods to the API server, on the loopback', false)
  .parse(args, { from: 'user' })
  .opts<Flags>();

/** Answers the API server alone, whose certificate is of the cluster's own authority. */
const createServing = async (login: NodeLogin, host: HostIo): Promise<ServeNode> => {
  const { ca } = readConfig(login);
  const clientAuthority = ca === undefined ? '' : (await readPem(ca, host)).reveal();
  return createServeNode({ host: '127.0.0.1', clientAuthority, caller: KUBELET_CLIENT.name });
};

const run = async (): Promise<void> => {
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({ clock, level: 'info', destination: { write: io.stdout } });
  const { nodeName, providerId, kubeconfig, nodeLabels, hostCpu, hostMemoryMb, maxPods } = flags;
  const logins = createNodeLogins({ host, clock, random, logger });
  const login = {
    nodeName,
    kubeconfig: new Secret(await readRequired(host, kubeconfig)),
    disk: createIdentityFile(join(dirname(kubeconfig), 'identity.json')),
  };
  const client = await logins.clientForNode(login);
  const serving = flags.serveLogs ? { serve: await createServing(login, host) } : {};
  const capacity = { cpu: hostCpu, memory: `${hostMemoryMb}Mi`, pods: maxPods };
  logger.info('Node agent starts', { node: nodeName });
  try {
    const facts = { nodeName, providerId, labels: parseLabels(nodeLabels), capacity };
    await runNodeAgent({ client, clock, random, logger, ...facts, ...serving }, io.signal);
  } finally {
    await logins.close();
  }
};

try {
  await run();
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
