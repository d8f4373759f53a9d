/** A Mac for tart-kubelet in a folder: the simulated `tart` with VMs of real processes, and the agent's real adapters on it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock } from '../../src/base/clock.ts';
import { createIds } from '../../src/base/ids.ts';
import type { Logger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { createKubelet, type Kubelet } from '../../src/kubelet/create-kubelet.ts';
import { DEFAULT_SOURCES } from '../../src/kubelet/guest/forward/forwarder.ts';
import { createMetricsForwards } from '../../src/kubelet/guest/forward/metrics-server.ts';
import { createPortForwards } from '../../src/kubelet/guest/forward/port-forwards.ts';
import type { CommandPort, ProcessInfo } from '../../src/kubelet/host/command-port.ts';
import { createSystemCommands } from '../../src/kubelet/host/system-commands.ts';
import { createSystemFiles, measureSystemDisk } from '../../src/kubelet/host/system-files.ts';
import { createTartImages } from '../../src/kubelet/images/tart-images.ts';
import { createHostWatch } from '../../src/kubelet/node/host-watch.ts';
import { createNodePart } from '../../src/kubelet/node/node-part.ts';
import { FACTS } from '../../src/kubelet/node/testing/node-samples.ts';
import { noPodMetrics } from '../../src/kubelet/pods/pod-metrics.ts';
import { createNetworkDial } from '../../src/kubelet/pods/probes/network-dial.ts';
import { createTartCli } from '../../src/kubelet/vm/tart-cli.ts';
import { createTartVms } from '../../src/kubelet/vm/tart-vms.ts';
import type { VmPort } from '../../src/kubelet/vm/vm-port.ts';
import { installSimTart } from '../../src/sim/tart/program/install.ts';
import { DEFAULT_SETTINGS, loopbackOf, type SimTartSettings } from '../../src/sim/tart/tart-settings.ts';

export const NODE = FACTS.nodeName;
/** Of this machine, and not where guests listen. */
export const HOST_IP = '127.0.0.1';

export interface ProcessMac {
  readonly folder: string;
  readonly vms: VmPort;
  configure(settings: Partial<SimTartSettings>): void;
  /** One life of the agent, which ends with the signal; VMs live on. */
  createAgent(client: KubeClient, life: AbortSignal): Kubelet;
  /** Ends all VMs and takes the folder away. */
  scrap(): Promise<void>;
}

export const createProcessMac = (logger: Logger): ProcessMac => {
  const folder = mkdtempSync(join(tmpdir(), 'process-mac-'));
  const tart = installSimTart(folder, process.execPath);
  for (const name of ['records', 'logs', 'userdata']) mkdirSync(join(folder, name));
  const clock = createSystemClock();
  const random = createSystemRandom();
  const commands = commandsIn(tart.home);
  const files = createSystemFiles();
  const cli = createTartCli({ commands, binary: tart.binary });
  const createVms = (life: AbortSignal): VmPort =>
    createTartVms({
      ...{ cli, commands, files, clock, life, recordsDir: join(folder, 'records'), tartHome: tart.home },
      ...{ vmsMax: 2, ensureSession: async () => undefined },
    });
  const vms = createVms(neverAborted());
  const mapAddress = (host: string): string => loopbackOf(DEFAULT_SETTINGS, host);
  const forwarding = { clock, logger, mapAddress, ownAddresses: () => [], sources: DEFAULT_SOURCES };
  return {
    ...{ folder, vms, configure: tart.configure },
    createAgent: (client, life) => {
      const own = createVms(life);
      const deps = { client, clock, random, logger };
      return createKubelet({
        ...{ ...deps, ids: createIds(random), vms: own, files, metrics: noPodMetrics },
        images: createTartImages({
          ...{ cli, files, vms: own, clock, random, logger, measureDisk: measureSystemDisk, diskPath: folder },
          bookPath: join(folder, 'records', 'book.json'),
        }),
        dial: createNetworkDial(forwarding),
        forwardMetrics: createMetricsForwards(forwarding),
        forwardPort: createPortForwards(forwarding),
        node: createNodePart({
          ...{ ...deps, watch: watchWell(logger), nodeName: NODE, address: FACTS.address },
          facts: async () => ({ ...FACTS, servingPort: undefined }),
        }),
        settings: {
          ...{ nodeName: NODE, hostIp: HOST_IP, collects: 'nothing' },
          paths: { userdata: join(folder, 'userdata'), logs: join(folder, 'logs') },
        },
      });
    },
    scrap: async () => {
      const signal = neverAborted();
      for (const vm of await vms.running(signal)) await vms.stop({ vm, graceMs: 0, signal });
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Other Macs of other tests are on this machine too: only processes of VMs of this home are seen. */
const commandsIn = (home: string): CommandPort => {
  const machine = createSystemCommands({ clock: createSystemClock(), env: process.env });
  const folder = join(home, 'vms');
  const names = (): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
  const isHere = ({ command }: ProcessInfo): boolean => names().some((vm) => command.includes(vm));
  return { ...machine, processes: async (signal) => (await machine.processes(signal)).filter(isHere) };
};

const watchWell = (logger: Logger) => {
  const well = async () => ({ is: 'well' }) as const;
  return createHostWatch({
    ...{ clock: createSystemClock(), logger, labelSources: {}, runningVms: () => 0, measureDisk: async () => 1e12 },
    probes: { disk: well, memory: well, pids: well, guiSession: well, tart: well, autoLogin: well },
  });
};
