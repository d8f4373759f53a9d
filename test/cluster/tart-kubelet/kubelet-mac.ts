/**
 * One Mac with tart-kubelet on this machine: the agent as a process, which can be stopped, killed and started again, and VMs of the simulated
 * Tart, which run on without it and end only when the Mac itself loses its power.
 */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Pod } from '../../../src/kube/types/pod.ts';
import { vmNameOf } from '../../../src/kubelet/pods/vm-name.ts';
import { killNow } from '../../../src/sim/tart/program/kill-now.ts';
import type { SimTartSettings } from '../../../src/sim/tart/tart-settings.ts';
import { type Agent, createAgents } from '../../tart-kubelet/agent-process.ts';

export interface KubeletMac {
  readonly nodeName: string;
  /** Everything of the Mac is in it. */
  readonly folder: string;
  /** The file; nobody has written it yet. */
  readonly kubeconfig: string;
  /** The agent, for the first time or again. */
  start(...flags: readonly string[]): Agent;
  /** Ends the agent as launchd does. */
  stop(): Promise<void>;
  /** `kill -9` of the agent alone. */
  kill(): Promise<void>;
  /** Nothing that ran is left, and nobody had time to write that down. */
  losePower(): Promise<void>;
  /** `kill -9` of the VM of this Pod: its guest is gone with it. */
  killVm(pod: Pod): void;
  /** What its agents said, all in one. */
  said(): string;
  /** What the guest of this Pod has as its disk. */
  diskOf(pod: Pod): string;
  /** Ends it all. */
  scrap(): Promise<void>;
}

export interface KubeletMacOptions {
  readonly nodeName: string;
  /** The Node's label `tuist.dev/fleet`. */
  readonly fleet: string;
  /** The first three parts of the addresses of its guests. */
  readonly loopback: string;
  /** Of its Tart; every image is there, and idles, unless given. */
  readonly images?: SimTartSettings['images'];
}

export const createKubeletMac = ({ nodeName, fleet, loopback, images }: KubeletMacOptions): KubeletMac => {
  const folder = mkdtempSync(join(tmpdir(), 'kubelet-mac-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const agents = createAgents({ folder, nodeName, kubeconfig, loopback, labels: `tuist.dev/fleet=${fleet}` });
  if (images !== undefined) agents.tart.configure({ loopback, images });
  const started: Agent[] = [];
  const losePower = async (): Promise<void> => {
    for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
      for (const { pid, command } of left) if (!command.includes(WATCHER)) killNow(pid);
      await turn();
    }
    await Promise.all(started.map(hasEnded));
  };
  return {
    ...{ nodeName, folder, kubeconfig, stop: agents.stop, losePower },
    start: (...flags) => {
      const agent = agents.start(...flags);
      started.push(agent);
      return agent;
    },
    kill: async () => {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(hasEnded));
    },
    killVm: (pod) => {
      const isRun = (command: string): boolean =>
        command
          .split('\0')
          .slice(-8)
          .join(' ')
          .includes(`run ${vmNameOf(pod)}`);
      for (const { pid, command } of processesOf(folder)) if (isRun(command)) killNow(pid);
    },
    said: () => started.map(({ said }) => said()).join(''),
    diskOf: (pod) => join(folder, 'tart', 'vms', vmNameOf(pod), 'disk'),
    scrap: async () => {
      await losePower();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

const hasEnded = async ({ child }: Agent): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Who sees to it that a guest ends with its VM has its work still to do, and is waited for. */
const WATCHER = 'guest-power';

/** By their words, in which the Mac's folder is. One that is just being started may have none yet, and is found by the next look. */
const processesOf = (folder: string): readonly { readonly pid: number; readonly command: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ command }) => command.includes(`${folder}/`));

/** Of a process that is gone there is none. */
const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
