/** What running Pods as virtual machines needs of the outside. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import type { OpenMetricsForward, OpenPortForward } from '../guest/forward/forwarder.ts';
import type { GuestShares } from '../guest/guest-shares.ts';
import type { VncDesk } from '../guest/vnc/vnc-desk.ts';
import type { ImagePort } from '../images/image-port.ts';
import type { RunLogs } from '../vm/run-logs.ts';
import type { VmPort } from '../vm/vm-port.ts';
import type { Journal } from './journal.ts';
import type { PodMetrics } from './pod-metrics.ts';
import type { Dial } from './probes/dial.ts';

export interface PodSettings {
  readonly nodeName: string;
  /** Where other machines reach this one; undefined when that is not known. */
  readonly hostIp?: string;
  /** One log per VM, named after it. */
  readonly logDirectory: string;
}

export interface PodPorts {
  readonly client: KubeClient;
  readonly vms: VmPort;
  readonly images: ImagePort;
  readonly shares: GuestShares;
  readonly journal: Journal;
  /** What VMs printed. */
  readonly runLogs: RunLogs;
  /** Copies what is left of the log of a VM that has ended: who reads of its end reads all of it. Never rejects. */
  readonly finishLog: (vm: string) => Promise<void>;
  /** Keeps what a VM prints that runs already; without it nobody does. */
  readonly resumeLog?: (vm: string) => Promise<void>;
  readonly events: EventRecorder;
  readonly dial: Dial;
  /** Without it nobody sees a VM's screen. */
  readonly vnc?: VncDesk;
  /** Without them nothing is passed on to VMs. */
  readonly forwardMetrics?: OpenMetricsForward;
  readonly forwardPort?: OpenPortForward;
  readonly metrics: PodMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: PodSettings;
}

export const logPathOf = ({ logDirectory }: PodSettings, vm: string): string => `${logDirectory}/${vm}.log`;
