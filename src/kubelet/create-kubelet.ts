/**
 * tart-kubelet, put together from its ports: the Node, its Pods, and what is tidied up beside them. Used by the entry point, by the
 * simulated world and by tests alike; nothing in here touches the real Mac.
 */

import { linkedController } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { toFleetError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { type Cache, createCache, dropManagedFields } from '../kube/cache/cache.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createEventRecorder } from '../kube/controller/events.ts';
import { createManager } from '../kube/manager/manager.ts';
import { PODS } from '../kube/types/core.ts';
import type { Pod } from '../kube/types/pod.ts';
import type { LogKeeper } from './api/logs/log-keeper.ts';
import { withLogs } from './api/logs/logged-shares.ts';
import type { OpenMetricsForward, OpenPortForward } from './guest/forward/forwarder.ts';
import { createGuestShares } from './guest/guest-shares.ts';
import type { VncDesk } from './guest/vnc/vnc-desk.ts';
import type { HostFiles } from './host/host-files.ts';
import type { ImagePort } from './images/image-port.ts';
import type { NodePart } from './node/node-part.ts';
import { keepHouse } from './pods/housekeeping.ts';
import { type Journal, openJournal } from './pods/journal.ts';
import { createPodPart, type PodPart } from './pods/pod-controller.ts';
import type { PodMetrics } from './pods/pod-metrics.ts';
import type { Dial } from './pods/probes/dial.ts';
import { uidOf, vmNameOf } from './pods/vm-name.ts';
import { openRunLogs } from './vm/run-logs.ts';
import type { VmPort } from './vm/vm-port.ts';

export interface KubeletPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly vms: VmPort;
  readonly images: ImagePort;
  readonly files: HostFiles;
  readonly dial: Dial;
  /** Without it nobody sees a VM's screen. */
  readonly vnc?: VncDesk;
  /** Without them nothing is passed on to VMs. */
  readonly forwardMetrics?: OpenMetricsForward;
  readonly forwardPort?: OpenPortForward;
  readonly node: NodePart;
  readonly metrics: PodMetrics;
  /** Keeps what VMs print; without it nobody does. */
  readonly logs?: Pick<LogKeeper, 'begin' | 'resume' | 'finish'>;
  /** Has to be done before anything is done for the Node and its Pods, and while the API is asked for them. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly settings: KubeletSettings;
}

export interface KubeletSettings {
  readonly nodeName: string;
  /** Where other machines reach this one; undefined when that is not known. */
  readonly hostIp?: string;
  readonly paths: KubeletPaths;
  readonly collects: 'images' | 'nothing';
}

export interface KubeletPaths {
  /** `/var/lib/tart-userdata`: one folder per VM, and the journal. */
  readonly userdata: string;
  /** `/var/log/tart-vms` */
  readonly logs: string;
}

export interface Kubelet {
  /** The Pods of this Node, as far as the API told. */
  readonly pods: Cache<Pod>;
  /** The name of its VM: the one on record, which is another on a Mac that was the Go original's. */
  readonly vmOf: (pod: Pod) => string;
  run(signal: AbortSignal): Promise<void>;
  /** The Mac shuts down: the Node says so, and VMs are stopped. Settles when the end of each was told. */
  goDown(signal: AbortSignal): Promise<void>;
}

const COMPONENT = 'tart-kubelet';

export const createKubelet = (ports: KubeletPorts): Kubelet => {
  const { client, clock, random, logger, settings } = ports;
  const pods = createCache<Pod>({
    ...{ client, clock, random, logger },
    resource: PODS,
    transform: dropManagedFields,
    fieldSelector: `spec.nodeName=${settings.nodeName}`,
  });
  let [part, journal]: [PodPart?, Journal?] = [];
  const begin = (given: PodPart, on: Journal): void => {
    [part, journal] = [given, on];
  };
  return {
    pods,
    vmOf: (pod) => journal?.get(uidOf(pod))?.vm ?? vmNameOf(pod),
    run: (signal) => runKubelet(ports, { pods, begin }, signal),
    goDown: async (signal) => {
      ports.node.goDown();
      await part?.goDown(signal);
    },
  };
};

interface Beginning {
  readonly pods: Cache<Pod>;
  /** Is told who looks after the Pods, and by which journal. */
  readonly begin: (part: PodPart, journal: Journal) => void;
}

const runKubelet = async (ports: KubeletPorts, { pods, begin }: Beginning, signal: AbortSignal): Promise<void> => {
  const { client, clock, random, ids, logger, node, files, settings } = ports;
  const { nodeName, hostIp, paths } = settings;
  const life = linkedController(signal);
  const journal = await openJournal({ files, directory: `${paths.userdata}/.journal`, logger });
  const events = createEventRecorder({ client, clock, ids, logger, component: COMPONENT, signal: life.signal });
  const shares = createGuestShares({ files, clock }, paths.userdata);
  const podPorts = {
    ...{ client, clock, random: random.stream('pods'), logger, events, journal },
    ...{ vms: ports.vms, images: ports.images, dial: ports.dial, metrics: ports.metrics },
    ...(ports.logs === undefined ? { shares } : { shares: withLogs(shares, ports.logs), resumeLog: ports.logs.resume }),
    ...(ports.vnc !== undefined && { vnc: ports.vnc }),
    ...(ports.forwardPort !== undefined && { forwardPort: ports.forwardPort }),
    ...(ports.forwardMetrics !== undefined && { forwardMetrics: ports.forwardMetrics }),
    runLogs: openRunLogs(files),
    finishLog: finishLogWith(ports),
    settings: { nodeName, logDirectory: paths.logs, ...(hostIp !== undefined && { hostIp }) },
  };
  const part = createPodPart(podPorts, pods);
  const { controller, inventory } = part;
  begin(part, journal);
  const manager = createManager({
    ...{ client, clock, random, logger, events },
    name: COMPONENT,
    caches: [node.nodes, pods],
    controllers: [node.keeper, controller],
    ...(ports.prepare !== undefined && { prepare: ports.prepare }),
  });
  const house = keepHouse({ ports: podPorts, pods, inventory, collects: settings.collects }, life.signal);
  try {
    await Promise.all([manager.run(life.signal), node.run(life.signal), untilAborted(house, life.signal)]);
  } finally {
    life.abort();
    life.release();
  }
};

/** A log that cannot be written keeps nobody from telling an end; what is missing is copied when the VM goes. */
const finishLogWith =
  ({ logs, logger }: KubeletPorts) =>
  async (vm: string): Promise<void> => {
    try {
      // One that ended while no agent was there has not been copied to its end.
      await logs?.resume(vm);
      await logs?.finish(vm);
    } catch (thrown) {
      logger.warn('The log of a VM cannot be finished', { vm, error: toFleetError(thrown) });
    }
  };

/** What ends by being cancelled has ended well. */
const untilAborted = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  await work.catch((thrown: unknown) => {
    if (!signal.aborted) throw thrown;
  });
};
