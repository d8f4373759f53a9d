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
import type { GuestPrograms } from '../sim/tart/guest.ts';
import { createStepMac, type StepMac } from '../sim/tart/step/step-mac.ts';
import type { SimTartSettings } from '../sim/tart/tart-settings.ts';
import { createKubeletPorts, MAC_FOLDERS } from './kubelet-ports.ts';
import type { RunNode } from './step-level-macs.ts';

export interface KubeletsOnStepsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What its Tart finds: the images, above all. */
  readonly tart: Partial<SimTartSettings>;
  readonly guestPrograms: GuestPrograms;
}

export interface KubeletsOnSteps {
  readonly runNode: RunNode;
  /** Everything that runs on the Macs is gone at once. */
  stop(): void;
}

export const createKubeletsOnSteps = (options: KubeletsOnStepsOptions): KubeletsOnSteps => {
  const macs = new Map<string, StepMac>();
  return {
    runNode: async ({ client, nodeName, providerId, fleet, disk }, signal) => {
      if (disk === 'fresh') macs.get(providerId)?.losePower();
      const mac = (disk === 'fresh' ? undefined : macs.get(providerId)) ?? openMac(options, providerId);
      macs.set(providerId, mac);
      const { clock, logger } = options;
      const random = options.random.stream(nodeName);
      const ports = await createKubeletPorts(
        { clock, logger, random, ids: createIds(random) },
        {
          ...{ client, mac, seen: mac, login: 'always', life: signal },
          ...{ nodeName, providerId, labels: { [LABELS.fleet]: fleet }, bootId: nodeName },
        },
      );
      await createKubelet(ports).run(signal);
    },
    stop: () => {
      for (const mac of macs.values()) mac.losePower();
    },
  };
};

const openMac = ({ clock, random, tart, guestPrograms }: KubeletsOnStepsOptions, providerId: string): StepMac => {
  const mac = createStepMac({ clock, random: random.stream(`mac ${providerId}`), guestPrograms });
  mac.configure(tart);
  for (const folder of MAC_FOLDERS) mac.files.now.makeFolder(folder);
  return mac;
};
