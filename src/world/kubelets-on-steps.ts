/**
 * tart-kubelet in this process, in real time, on Macs of steps: for step-level Macs whose Pods are to be virtual machines. What is on such
 * a Mac outlives its agent and goes with a wipe.
 */
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { LABELS } from '../kinds/labels.ts';
import { createKubelet } from '../kubelet/create-kubelet.ts';
import type { DiskFate } from '../sim/mac/sim-mac.ts';
import type { GuestPrograms } from '../sim/tart/guest.ts';
import { createStepMac, type StepMac } from '../sim/tart/step/step-mac.ts';
import type { SimTartSettings } from '../sim/tart/tart-settings.ts';
import { createKubeletPorts, MAC_FOLDERS } from './kubelet-ports.ts';
import { serveStepKubelet } from './serve-step-kubelet.ts';
import type { RunNode, StartedNode } from './step-level-macs.ts';

export interface KubeletsOnStepsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What its Tart finds: the images, above all. */
  readonly tart: Partial<SimTartSettings>;
  readonly guestPrograms: GuestPrograms;
  /** PEM of the authority of those who may ask an agent for logs; without it nobody may. */
  readonly clientAuthority?: string;
  /** Where the Mac of a server is reached; on the loopback unless given. */
  readonly addressOf?: (serverId: string) => string | undefined;
}

export interface KubeletsOnSteps {
  readonly runNode: RunNode;
  /** The power of a Mac went, for a boot or for good: its virtual machines are gone, and after a wipe its disk too. */
  onDown(serverId: string, disk: DiskFate): void;
  /** Everything that runs on the Macs is gone at once. */
  stop(): void;
}

interface Machine {
  readonly mac: StepMac;
  boots: number;
}

const serverIdOf = (providerId: string): string => providerId.slice(providerId.lastIndexOf('/') + 1);

export const createKubeletsOnSteps = (options: KubeletsOnStepsOptions): KubeletsOnSteps => {
  const machines = new Map<string, Machine>();
  const goDown = (serverId: string, disk: DiskFate): void => {
    const machine = machines.get(serverId);
    if (machine === undefined) return;
    machine.mac.losePower();
    machine.boots += 1;
    if (disk === 'wiped') machines.delete(serverId);
  };
  return {
    runNode: async (node, signal) => {
      const { providerId, disk } = node;
      const serverId = serverIdOf(providerId);
      if (disk === 'fresh') goDown(serverId, 'wiped');
      const machine = machines.get(serverId) ?? { mac: openMac(options, providerId), boots: 1 };
      machines.set(serverId, machine);
      await runKubelet(options, { ...node, ...machine }, signal);
    },
    onDown: goDown,
    stop: () => {
      for (const { mac } of machines.values()) mac.losePower();
    },
  };
};

const LOOPBACK = '127.0.0.1';

const runKubelet = async (
  { clock, logger, random, clientAuthority, addressOf }: KubeletsOnStepsOptions,
  { client, nodeName, providerId, fleet, mac, boots }: StartedNode & Readonly<Machine>,
  signal: AbortSignal,
): Promise<void> => {
  const own = random.stream(nodeName);
  const { files } = mac;
  const address = addressOf?.(serverIdOf(providerId)) ?? LOOPBACK;
  const serving =
    clientAuthority === undefined
      ? undefined
      : await serveStepKubelet({ clock, logger, client, nodeName, address, files, clientAuthority });
  try {
    const ports = await createKubeletPorts(
      { clock, logger, random: own, ids: createIds(own) },
      {
        ...{ client, mac, seen: mac, login: 'always', life: signal, ...(serving !== undefined && { serving }) },
        ...{ nodeName, providerId, labels: { [LABELS.fleet]: fleet }, bootId: `${providerId} ${boots}` },
      },
    );
    const kubelet = createKubelet(ports);
    serving?.answerFor(kubelet);
    await kubelet.run(signal);
  } finally {
    await serving?.close();
  }
};

const openMac = ({ clock, random, tart, guestPrograms }: KubeletsOnStepsOptions, providerId: string): StepMac => {
  const mac = createStepMac({ clock, random: random.stream(`mac ${providerId}`), guestPrograms });
  mac.configure(tart);
  for (const folder of MAC_FOLDERS) mac.files.now.makeFolder(folder);
  return mac;
};
