/** What tart-kubelet works on in a simulated world: the very adapters of production, on a Mac of steps. */

import type { KubeClient } from '../kube/client/client.ts';
import type { KubeletServer } from '../kubelet/api/https-server.ts';
import type { LogKeeper } from '../kubelet/api/logs/log-keeper.ts';
import type { KubeletPorts } from '../kubelet/create-kubelet.ts';
import { createTartImages } from '../kubelet/images/tart-images.ts';
import { createGuiSession, noGuiSession } from '../kubelet/node/gui-session.ts';
import { createMacProbes, type HostProbesOptions } from '../kubelet/node/host-probes.ts';
import { createHostWatch } from '../kubelet/node/host-watch.ts';
import type { NodeFacts } from '../kubelet/node/node-facts.ts';
import { createNodePart } from '../kubelet/node/node-part.ts';
import { noPodMetrics } from '../kubelet/pods/pod-metrics.ts';
import type { Dial } from '../kubelet/pods/probes/dial.ts';
import { createTartCli } from '../kubelet/vm/tart-cli.ts';
import { createTartVms } from '../kubelet/vm/tart-vms.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import type { SeenMac } from '../sim/tart/step/seen-by.ts';
import type { StepMac } from '../sim/tart/step/step-mac.ts';
import { LOGIN_UID } from './kubelet-login.ts';

export interface KubeletOnMac extends Pick<NodeFacts, 'nodeName' | 'providerId' | 'labels'> {
  readonly client: KubeClient;
  readonly mac: StepMac;
  /** The same as the agent sees it: an actor of the kernel meets every command as an effect of its own. */
  readonly seen: SeenMac;
  /** Another one after each start of the Mac. */
  readonly bootId: string;
  /** How often its Lease is renewed; every ten seconds unless given. */
  readonly renewEveryMs?: number;
  /** How often its VMs are looked at although nobody told of anything; every second unless given. */
  readonly vmLookEveryMs?: number;
  /** Whether the Mac has a loginwindow to look after; without one somebody is always logged in. */
  readonly login: 'modelled' | 'always';
  /** Of the agent. */
  readonly life: AbortSignal;
  /** How its API is reached, and who keeps what VMs print; without it there are no logs. */
  readonly serving?: KubeletServing;
}

export interface KubeletServing {
  readonly address: string;
  readonly server: Pick<KubeletServer, 'port' | 'useCertificate'>;
  readonly logs: LogKeeper;
}

/** Whoever runs the agent: an actor, or this process. */
export type KubeletDeps = Pick<Actor, 'clock' | 'random' | 'ids' | 'logger'>;

const ROOT = '/var/lib';

export const MAC_PATHS = { userdata: `${ROOT}/tart-userdata`, logs: '/var/log/tart-vms' } as const;

/** Made when a Mac is prepared. */
export const MAC_FOLDERS = [MAC_PATHS.logs, MAC_PATHS.userdata, `${ROOT}/tart-records`];

const ADDRESS = '10.0.0.7';

/** As the real agent does, the Mac is looked at before it is told as a Node. */
export const createKubeletPorts = async (
  { clock, random, ids, logger }: KubeletDeps,
  on: KubeletOnMac,
): Promise<KubeletPorts> => {
  const { client, mac, nodeName, login, renewEveryMs, vmLookEveryMs, life, serving } = on;
  const address = serving?.address ?? ADDRESS;
  const { commands, files, measureDisk } = on.seen;
  const cli = createTartCli({ commands, binary: mac.tartBinary });
  const session =
    login === 'always' ? noGuiSession : createGuiSession({ commands, clock, logger, uid: LOGIN_UID, life });
  const vms = createTartVms({
    ...{ cli, commands, files, clock, life, tartHome: mac.tartHome },
    ...{ recordsDir: `${ROOT}/tart-records`, vmsMax: 2, ensureSession: session.ensure },
    ...(vmLookEveryMs !== undefined && { lookEveryMs: vmLookEveryMs }),
  });
  const bookPath = `${ROOT}/tart-records/book.json`;
  const deps = { client, clock, random, logger };
  const watch = createMacWatch({
    clock,
    logger,
    commands,
    vms,
    session,
    user: 'm1',
    measureDisk: () => measureDisk('/'),
  });
  return {
    ...{ ...deps, ids, vms, files, dial: noDial, metrics: noPodMetrics },
    images: createTartImages({ ...{ cli, files, vms, clock, random, logger, measureDisk, diskPath: '/' }, bookPath }),
    node: createNodePart({
      ...{ ...deps, nodeName, address, facts: async () => factsOf(on), watch },
      ...(serving !== undefined && { useCertificate: serving.server.useCertificate }),
      ...(renewEveryMs !== undefined && { renewEveryMs }),
    }),
    ...(serving !== undefined && { logs: serving.logs }),
    prepare: watch.lookOnce,
    settings: { ...{ nodeName, hostIp: address, collects: 'images' }, paths: MAC_PATHS },
  };
};

type MacWatchOptions = Pick<KubeletDeps, 'clock' | 'logger'> & Omit<HostProbesOptions, 'noteRunning'>;

/** A Mac on which all is well, but for who is logged in and what Tart says. */
const createMacWatch = ({ clock, logger, ...host }: MacWatchOptions) => {
  const well = async () => ({ is: 'well' }) as const;
  const isAlwaysWell = host.session === noGuiSession;
  let running = 0;
  const noteRunning = (count: number): void => {
    running = count;
  };
  const { guiSession, tart } = createMacProbes({ ...host, noteRunning });
  const watch = createHostWatch({
    ...{ clock, logger, labelSources: {}, runningVms: () => running, measureDisk: async () => 500e9 },
    probes: { disk: well, memory: well, pids: well, guiSession, tart: isAlwaysWell ? well : tart, autoLogin: well },
  });
  // Where somebody is always logged in nothing is ever found, and six hours of looks cost more than all else.
  return isAlwaysWell ? { ...watch, run: aborted } : watch;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const factsOf = ({ nodeName, providerId, labels, bootId, serving }: KubeletOnMac): NodeFacts => ({
  ...{ nodeName, providerId, labels, address: serving?.address ?? ADDRESS },
  capacity: { cpu: 8, memoryMib: 16_384, pods: 3 },
  servingPort: serving?.server.port,
  system: {
    ...{ osImage: 'macOS 26.1', kernelVersion: '25.1.0', machineId: nodeName, systemUuid: nodeName, bootId },
    ...{ agentVersion: 'tart-kubelet-v0', runtimeVersion: 'tart' },
  },
});

/** Guests of steps have no network to reach into. */
const noDial: Dial = { http: async () => 200, tcp: async () => undefined, grpc: async () => 'SERVING' };
