/**
 * Macs with real bash in real time, with a simulated cloud: bootstrapped over SSH with the real scripts, and their agents are
 * started by their own launchd from nothing but what lies on their disks. They end with this process.
 */
import { createIds } from '../base/ids.ts';
import { readStepFiles } from '../hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../hosts/ssh/ssh-hosts.ts';
import { createSimCloud } from '../sim/cloud/sim-cloud.ts';
import { switchesOfBash } from '../sim/mac/bash/bash-faults.ts';
import { createBashMacs } from '../sim/mac/bash/bash-macs.ts';
import { createMacArtefacts } from '../sim/mac/bash/mac-artefacts.ts';
import type { MacRack } from '../sim/mac/bash/mac-rack.ts';
import { PROJECT_ON_MAC } from '../sim/mac/bash/mac-root.ts';
import { scaleClock } from '../sim/mac/bash/scaled-clock.ts';
import { renderTartSettings } from '../sim/tart/program/render-settings.ts';
import type { SimTartSettings } from '../sim/tart/tart-settings.ts';
import { POOL_PREFIX, type Simulation, type SimulationOptions } from './simulated-provider.ts';

export interface RealBashOptions extends SimulationOptions {
  /** Closed by whoever opened it, after the simulation was stopped. */
  readonly rack: MacRack;
  /** What the simulated Tart of every Mac finds; its defaults without it. */
  readonly tart?: Partial<SimTartSettings>;
}

/** Real programs run there: their time cannot be compressed as much as that of a model. */
const REAL_BASH_SPEED_UP = 10;

/** All Macs have the network of this machine: their agents listen where nobody else does, and on the loopback alone. */
const FLAGS = ['--node-ip=127.0.0.1', '--kubelet-port=0', '--metrics-bind-address=0', '--health-probe-bind-address=0'];
/** tart-kubelet, whose virtual machines are those of the simulated Tart. */
const renderAgent = (tart: Partial<SimTartSettings>): string => `${renderTartSettings(tart)}
process.argv.push(...${JSON.stringify(FLAGS)});
await import('${PROJECT_ON_MAC}/bin/tart-kubelet.ts');
`;

export const startRealBashMacs = (options: RealBashOptions): Simulation => {
  const { clock, random, logger, rack, macs: count, speedUp, projectId } = options;
  const cloud = createSimCloud({
    ...{ clock, random: random.stream('cloud'), timeScale: 1 / speedUp },
    ...(projectId === undefined ? {} : { projectId }),
  });
  const ids = createIds(random.stream('macs'));
  const macs = createBashMacs({ cloud, rack, ids, logger, clock: scaleClock(clock, REAL_BASH_SPEED_UP) });
  const files = readStepFiles();
  return {
    cloud,
    macOf: (serverId) => switchesOfBash(macs.mac(serverId), logger),
    access: {
      hosts: macs.hosts(createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files })),
      ...{ files, artefacts: createMacArtefacts({ agent: renderAgent(options.tart ?? {}) }) },
    },
    fleetKey: undefined,
    deliver: async () => {
      for (let at = 1; at <= count; at += 1) cloud.addServer({ name: `${POOL_PREFIX}${at}` });
      await macs.settled();
    },
    stop: async () => {
      cloud.stop();
      await macs.stop();
    },
  };
};
