/** The flags of tart-kubelet, read: who it is, where, and what it may do. Their names are in flags-table.ts. */
import type { Cidr } from '../base/cidr.ts';
import type { LogLevel } from '../base/errors.ts';
import { argsFromEnv, createFlagCommand, type Env, judgeOthers } from '../base/flags/flag-command.ts';
import type { BindAddress } from '../base/flags/flag-values.ts';
import { FLAG_GROUPS } from './flags-table.ts';
import type { AddressSource } from './node/node-address.ts';
import type { WantedCapacity } from './node/node-capacity.ts';

export interface KubeletFlags {
  readonly nodeName: string | undefined;
  readonly providerId: string;
  readonly nodeIp: string;
  readonly nodeIpSource: AddressSource;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly capacity: WantedCapacity;
  readonly kubeconfig: string | undefined;
  readonly kubeletPort: number;
  readonly tartBinary: string;
  readonly collectsGarbage: boolean;
  readonly rootDirectory: string;
  /** Undefined: the private and local ones. */
  readonly scrapeAllowedCidrs: readonly Cidr[] | undefined;
  readonly vnc: VncFlags | undefined;
  readonly metrics: BindAddress | 'off';
  readonly probes: BindAddress | 'off';
  readonly logLevel: LogLevel;
  readonly does: 'run' | 'check' | 'tell-version';
  /** What was said to no effect, as sentences for the log. */
  readonly notes: readonly string[];
}

export interface VncFlags {
  readonly controlDirectory: string;
  readonly relayHost: string;
  readonly relayPort: number;
}

/** By commander's names. */
interface Said {
  readonly nodeName?: string;
  readonly providerId: string;
  readonly nodeIp: string;
  readonly nodeIpSource: AddressSource;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly hostCpu?: number;
  readonly hostMemoryMb?: number;
  readonly maxPods: number;
  readonly kubeconfig?: string;
  readonly kubeletPort: number;
  readonly tartBinary: string;
  readonly disableVmGc: boolean;
  readonly rootDirectory: string;
  readonly scrapeAllowedCidr: readonly Cidr[];
  readonly vncControlDir: string;
  readonly vncRelayHost: string;
  readonly vncRelayPort: number;
  readonly metricsBindAddress: BindAddress | 'off';
  readonly healthProbeBindAddress: BindAddress | 'off';
  readonly zapLogLevel: LogLevel;
  readonly check?: true;
  readonly version?: true;
}

const METRICS_PORT = 8_080;
/** macOS starts no third VM: Apple's licence. */
const VMS_MAX = 2;

/** How many VMs run at once, whoever bound their Pods. */
export const vmsMaxOf = ({ pods }: Pick<WantedCapacity, 'pods'>): number => Math.min(VMS_MAX, pods);

/** Prints help and ends the process where the arguments ask for that. */
export const parseKubeletFlags = (args: readonly string[], env: Env = {}): KubeletFlags => {
  const is = 'makes this Mac a Kubernetes Node, and runs its Pods as Tart virtual machines';
  const command = createFlagCommand({ name: 'tart-kubelet', is, groups: FLAG_GROUPS });
  const said = command.parse([...argsFromEnv(FLAG_GROUPS, env), ...args.map(spell)], { from: 'user' }).opts<Said>();
  const { scrapeAllowedCidr, vncControlDir } = said;
  return {
    nodeName: said.nodeName,
    ...{ providerId: said.providerId, nodeIp: said.nodeIp, nodeIpSource: said.nodeIpSource },
    nodeLabels: said.nodeLabels,
    capacity: toCapacity(said),
    ...{ kubeconfig: said.kubeconfig, kubeletPort: said.kubeletPort },
    ...{ tartBinary: said.tartBinary, rootDirectory: said.rootDirectory.replace(/\/+$/, '') },
    collectsGarbage: !said.disableVmGc,
    scrapeAllowedCidrs: scrapeAllowedCidr.length === 0 ? undefined : scrapeAllowedCidr,
    vnc:
      vncControlDir === ''
        ? undefined
        : { controlDirectory: vncControlDir, relayHost: said.vncRelayHost, relayPort: said.vncRelayPort },
    ...{ metrics: said.metricsBindAddress, probes: said.healthProbeBindAddress, logLevel: said.zapLogLevel },
    does: said.version === true ? 'tell-version' : said.check === true ? 'check' : 'run',
    notes: [...judgeOthers(command, FLAG_GROUPS), ...judgePods(said)],
  };
};

/** The original's flags take one dash as well as two. */
const spell = (word: string): string => (/^-[a-z]{2}/.test(word) ? `-${word}` : word);

/** Zero means: as usual. */
const toCapacity = ({ hostCpu, hostMemoryMb, maxPods }: Said): WantedCapacity => ({
  cpu: hostCpu || undefined,
  memoryMib: hostMemoryMb || undefined,
  pods: maxPods || VMS_MAX,
});

const judgePods = ({ maxPods }: Said): readonly string[] =>
  maxPods > VMS_MAX
    ? [`--max-pods is ${maxPods}, but macOS runs ${VMS_MAX} VMs at once: further Pods wait until one of those ends`]
    : [];

/** Metrics that are on every interface by default are on the tailnet alone, where there is one. */
export const metricsAddressOf = (
  { metrics, nodeIpSource }: Pick<KubeletFlags, 'metrics' | 'nodeIpSource'>,
  address: string | undefined,
): BindAddress | 'off' => {
  const isDefault = metrics !== 'off' && metrics.host === '' && metrics.port === METRICS_PORT;
  return isDefault && nodeIpSource === 'tailscale' && address !== undefined
    ? { host: address, port: METRICS_PORT }
    : metrics;
};
