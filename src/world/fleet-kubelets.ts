/**
 * tart-kubelet on the Macs of a simulated fleet: the real agent on a Mac of steps, an actor for each, started from what a bootstrap put
 * there. VMs outlive the agent and end with the power; a wipe takes everything.
 */
import { neverAborted } from '../base/abort.ts';
import { LABELS } from '../kinds/labels.ts';
import type { NodeLogin } from '../kube/node/node-login.ts';
import { createKubelet } from '../kubelet/create-kubelet.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import type { Kernel } from '../sim/kernel/kernel.ts';
import type { AgentStart } from '../sim/mac/mac-agent.ts';
import type { DiskFate } from '../sim/mac/sim-mac.ts';
import { seenBy } from '../sim/tart/step/seen-by.ts';
import { createStepMac, type StepMac } from '../sim/tart/step/step-mac.ts';
import { createKubeletPorts, type KubeletOnMac, MAC_FOLDERS } from './kubelet-ports.ts';
import { type LogIn, logInAsNode } from './world-login.ts';

/** What launchd on a Mac starts, and where that logs in. */
export interface WantedKubelet {
  readonly start: AgentStart & NodeLogin;
  readonly logIn: LogIn;
  readonly pace: Pick<KubeletOnMac, 'renewEveryMs' | 'vmLookEveryMs'>;
}

export interface FleetKubelets {
  /** In place of what ran there. Returns how to end it; its VMs run on. */
  start(wanted: WantedKubelet): () => void;
  onDown(serverId: string, disk: DiskFate): void;
  /** What runs and lies on a Mac, by its server; a wipe gives it another. */
  macs(): ReadonlyMap<string, StepMac>;
}

interface Machine {
  readonly mac: StepMac;
  boots: number;
}

/** As the kernel knows the agent of a Mac. */
export const kubeletOn = (serverId: string): string => `kubelet ${serverId}`;

export const createFleetKubelets = (kernel: Kernel): FleetKubelets => {
  const world = kernel.actor('world');
  const machines = new Map<string, Machine>();
  /** What launchd keeps running; undefined where it was told to stop. */
  const wishes = new Map<string, WantedKubelet | undefined>();
  const machineOf = (serverId: string): Machine => {
    const { clock, random } = world;
    const machine = machines.get(serverId) ?? {
      ...{ mac: createStepMac({ clock, random: random.stream(`tart ${serverId}`) }), boots: 1 },
    };
    for (const folder of MAC_FOLDERS) machine.mac.files.now.makeFolder(folder);
    machines.set(serverId, machine);
    return machine;
  };
  const boot = async (actor: Actor, serverId: string): Promise<void> => {
    const wanted = wishes.get(serverId);
    if (wanted !== undefined) await runKubelet(actor, machineOf(serverId), wanted);
  };
  return {
    start: (wanted) => {
      const serverId = serverIdOf(wanted.start);
      const name = kubeletOn(serverId);
      const isKnown = wishes.has(serverId);
      wishes.set(serverId, wanted);
      if (isKnown) kernel.restart(name, 0);
      else kernel.boot(name, async (actor) => actor.daemon('kubelet', () => boot(actor, serverId)));
      return () => {
        wishes.set(serverId, undefined);
        kernel.kill(name);
      };
    },
    onDown: (serverId, disk) => {
      const machine = machines.get(serverId);
      if (machine === undefined) return;
      machine.mac.losePower();
      machine.boots += 1;
      if (disk === 'wiped') machines.delete(serverId);
    },
    macs: () => new Map([...machines].map(([serverId, { mac }]) => [serverId, mac])),
  };
};

const serverIdOf = ({ providerId }: Pick<AgentStart, 'providerId'>): string =>
  providerId.slice(providerId.lastIndexOf('/') + 1);

const runKubelet = async (
  actor: Actor,
  { mac, boots }: Machine,
  { start, logIn, pace }: WantedKubelet,
): Promise<void> => {
  const { nodeName, providerId, fleet } = start;
  const { client, keepIdentity } = logInAsNode(actor, logIn, start);
  const life = neverAborted();
  const ports = await createKubeletPorts(actor, {
    ...{
      client,
      mac,
      seen: seenBy(actor, mac),
      life,
      nodeName,
      providerId,
      labels: { [LABELS.fleet]: fleet },
      bootId: `${providerId} ${boots}`,
    },
    ...{ ...pace, login: 'always' },
  });
  await Promise.all([createKubelet(ports).run(life), keepIdentity(life)]);
};
