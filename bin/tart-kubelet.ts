/**
 * tart-kubelet: what launchd runs on a Mac, as its login user. It makes the Mac a Node and its Pods virtual machines, until it is stopped;
 * the machines run on without it.
 */
import './require-node.js';
import { cpus, freemem, hostname, networkInterfaces, release, totalmem, userInfo } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import { createSystemClock } from '../src/base/clock.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import type { SystemUsage } from '../src/kubelet/api/usage/measure-usage.ts';
import { checkHost } from '../src/kubelet/check-host.ts';
import { parseKubeletFlags } from '../src/kubelet/flags.ts';
import { parseNodeName } from '../src/kubelet/flags-values.ts';
import type { InterfaceAddress } from '../src/kubelet/node/node-address.ts';
import { decideCapacity } from '../src/kubelet/node/node-capacity.ts';
import { type HostProcess, openHost } from '../src/kubelet/open-host.ts';
import { runAgent } from '../src/kubelet/run-agent.ts';
import { serveHealth } from '../src/world/manager-health.ts';
import { openProcess, runToEnd } from './process-io.ts';
import { keepHeapSmall } from './small-heap.ts';

const program = openProcess();
const { args, io } = program;

const AGENT_VERSION = `tart-kubelet-v${packageJson.version}`;

const listInterfaces = (): readonly InterfaceAddress[] =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map(({ family, address, internal, cidr }) => ({ interface: name, family, address, internal, cidr })),
  );

const readUsage = (): SystemUsage => {
  const busyMs = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  return { cpuSeconds: busyMs / 1_000, memoryTotalBytes: totalmem(), memoryFreeBytes: freemem() };
};

/** `192.168.64=127.64.0`: guests of a simulated Tart are reached at addresses of the loopback. */
const mapAddress = (host: string): string => {
  const [from, to] = (io.env['TART_KUBELET_VM_NETWORK'] ?? '').split('=');
  return from && to && host.startsWith(`${from}.`) ? `${to}${host.slice(from.length)}` : host;
};

const run = async (closing: AsyncDisposableStack): Promise<void> => {
  const { signal, env } = io;
  const flags = parseKubeletFlags(args, env);
  if (flags.does === 'tell-version') {
    io.stdout(`${AGENT_VERSION}\n`);
    return;
  }
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({
    clock,
    level: flags.logLevel,
    destination: { write: flags.does === 'check' ? io.stderr : io.stdout },
  });
  for (const note of flags.notes) logger.warn(note);
  const { username: user, uid } = userInfo();
  const here: HostProcess = {
    ...{ platform: process.platform === 'darwin' ? 'macos' : 'other', kernelVersion: release() },
    ...{ user, uid, env, interfaces: listInterfaces, usage: readUsage },
    size: { cpus: cpus().length, memoryBytes: totalmem() },
  };
  const nodeName = flags.nodeName ?? parseNodeName(hostname().toLowerCase());
  const kubeconfig = flags.kubeconfig ?? `${env['HOME'] ?? ''}/.kube/config`;
  const common = {
    flags,
    clock,
    random,
    logger,
    host,
    process: here,
    nodeName,
    kubeconfig,
    agentVersion: AGENT_VERSION,
  };
  if (flags.does === 'check') {
    const mac = openHost({ ...common, life: signal });
    const capacity = decideCapacity(flags.capacity, here.size);
    const say = (line: string) => io.stdout(`${line}\n`);
    const isWell = await checkHost({ mac, host, nodeName, capacity, kubeconfig, signal, say });
    process.exitCode = isWell ? 0 : 1;
    return;
  }
  closing.defer(keepHeapSmall(clock));
  const metrics = createRuntimeMetrics();
  await runAgent({
    ...{ ...common, metrics, mapAddress, closing, signal },
    serveHealth: async (where) => {
      const addresses = { metrics: where, probes: flags.probes };
      closing.use(await serveHealth(addresses, { metrics, notReadyBecause: () => undefined, logger }));
    },
  });
};

await runToEnd(program, run);
