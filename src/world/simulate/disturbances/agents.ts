/** What happens to tart-kubelet, its VMs and its Pods, where Macs have them. */
import { PODS } from '../../../kube/types/core.ts';
import type { StepMac } from '../../../sim/tart/step/step-mac.ts';
import { runningVms } from '../../../sim/tart/tart-home.ts';
import { kubeletOn } from '../../fleet-kubelets.ts';
import { submitJob } from '../submit-work.ts';
import type { Disturbance, Strike } from './disturbance.ts';

type Act = (strike: Strike, mac: StepMac, serverId: string) => string | undefined;

const toMac =
  (act: Act) =>
  (strike: Strike): string | undefined => {
    const macs = [...(strike.world.kubelets?.macs() ?? [])];
    const [serverId, mac] = macs[macs.length === 0 ? 0 : strike.choose(macs.length)] ?? [];
    const what = serverId === undefined || mac === undefined ? undefined : act(strike, mac, serverId);
    return what && `${what} (${serverId})`;
  };

const DOWN_MS = [5_000, 1_000, 120_000, 3_600_000] as const;
const FROZEN_MS = [10_000, 120_000, 1_200_000] as const;
const TROUBLE_MS = [60_000, 900_000, 3_600_000] as const;
const SCRIPTS = ['exit 0', 'sleep 300; exit 0', 'exit 3', 'sleep 5000; exit 0'] as const;

const pick = <T>({ choose }: Strike, from: readonly [T, ...T[]]): T => from[choose(from.length)] ?? from[0];

/** Something of its Tart does not work for a while. */
const forAWhile = (strike: Strike, mac: StepMac, faults: Parameters<StepMac['configure']>[0]): number => {
  const lastsMs = pick(strike, TROUBLE_MS);
  mac.configure(faults);
  strike.world.kernel.schedule(lastsMs, 'its Tart works again', () => endTartTrouble(mac));
  return lastsMs / 1_000;
};

export const endTartTrouble = (mac: StepMac): void => mac.configure({ pullFaults: {}, vmFaults: {}, hangs: [] });

/** Only where agents are the real ones: scripted ones have no VMs. */
const ROWS: readonly Omit<Disturbance, 'needs'>[] = [
  {
    id: 'kill-agent',
    strike: toMac((strike, _mac, serverId) => {
      const downMs = pick(strike, DOWN_MS);
      strike.world.kernel.restart(kubeletOn(serverId), downMs);
      return `its agent dies and is back after ${downMs / 1_000} s`;
    }),
  },
  {
    id: 'freeze-agent',
    strike: toMac((strike, _mac, serverId) => {
      const frozenMs = pick(strike, FROZEN_MS);
      strike.world.kernel.pause(kubeletOn(serverId), frozenMs);
      return `its agent freezes for ${frozenMs / 1_000} s`;
    }),
  },
  {
    id: 'kill-vm',
    strike: toMac(({ choose }, { home, processes }) => {
      const running = runningVms(home);
      const vm = running.length === 0 ? undefined : running[choose(running.length)];
      if (vm === undefined) return undefined;
      processes.kill(home.holderOf(vm) ?? 0, 'SIGKILL');
      return `the process of ${vm} is killed`;
    }),
  },
  {
    id: 'registry-fails',
    strike: toMac((strike, mac) => {
      const seconds = forAWhile(strike, mac, { pullFaults: { '*': { status: 503 } } });
      return `no image can be pulled for ${seconds} s`;
    }),
  },
  {
    id: 'tart-hangs',
    strike: toMac((strike, mac) => {
      const verb = pick(strike, ['clone', 'stop', 'delete', 'list', 'set'] as const);
      return `tart ${verb} hangs for ${forAWhile(strike, mac, { hangs: [verb] })} s`;
    }),
  },
  {
    id: 'vms-fail',
    strike: toMac((strike, mac) => {
      const faults = pick(strike, [{ startFails: { afterMs: 100, code: 1 } }, { ignoresStop: true }] as const);
      return `VMs fail for ${forAWhile(strike, mac, { vmFaults: { '*': faults } })} s: ${Object.keys(faults)}`;
    }),
  },
  {
    id: 'delete-pod',
    strike: ({ world: { operator }, choose }) => {
      const pods = operator.listOwn(PODS);
      const name = pods.length === 0 ? undefined : pods[choose(pods.length)]?.metadata.name;
      if (name === undefined) return undefined;
      const how = choose(2) === 0 ? 'remove' : 'force';
      operator[how](PODS, name);
      return `${name} is deleted${how === 'force' ? ' by force' : ''}`;
    },
  },
  {
    id: 'submit-job',
    strike: (strike) => {
      const { world } = strike;
      const script = pick(strike, SCRIPTS);
      submitJob(world, `job-${world.kernel.nowMs()}`, script);
      return `somebody submits a Job: ${script}`;
    },
  },
];

export const AGENT_DISTURBANCES: readonly Disturbance[] = ROWS.map((row) => ({ ...row, needs: 'tart-kubelet' }));
