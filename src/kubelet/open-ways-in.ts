/** The ways into this Mac's VMs: probes dial them, metrics are passed on, and screens are relayed to those who may look. */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { KubeletPorts } from './create-kubelet.ts';
import type { KubeletFlags } from './flags.ts';
import { DEFAULT_SOURCES, type LocalAddress } from './guest/forward/forwarder.ts';
import { createMetricsForwards } from './guest/forward/metrics-server.ts';
import { createPortForwards } from './guest/forward/port-forwards.ts';
import { createRelays } from './guest/vnc/relay-server.ts';
import { openVncDesk } from './guest/vnc/vnc-desk.ts';
import { createNetworkDial, type MapAddress } from './pods/probes/network-dial.ts';

export interface WaysInOptions extends Pick<KubeletPorts, 'files' | 'vms'> {
  readonly flags: Pick<KubeletFlags, 'vnc' | 'scrapeAllowedCidrs' | 'rootDirectory'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this Mac; without one nobody from outside can ask. */
  readonly address: string | undefined;
  readonly ownAddresses: () => readonly LocalAddress[];
  /** Where an address of a VM is really reached; itself on a Mac. */
  readonly mapAddress: MapAddress;
}

export const openWaysIn = async (
  options: WaysInOptions,
): Promise<Pick<KubeletPorts, 'dial' | 'forwardMetrics' | 'forwardPort' | 'vnc'>> => {
  const { flags, clock, logger, files, vms, address, ownAddresses, mapAddress } = options;
  const sources = flags.scrapeAllowedCidrs ?? DEFAULT_SOURCES;
  const dial = createNetworkDial({ mapAddress, ownAddresses });
  const forwarding = { clock, logger, mapAddress, ownAddresses, sources };
  const forwardMetrics = createMetricsForwards(forwarding);
  const forwardPort = createPortForwards(forwarding);
  const ways = { dial, forwardMetrics, forwardPort };
  if (flags.vnc === undefined || address === undefined) return ways;
  const { relayHost, relayPort: port, controlDirectory } = flags.vnc;
  const startRelay = createRelays({ clock, logger, sources, host: address, port });
  const directory = `${flags.rootDirectory}${controlDirectory}`;
  const host = relayHost === '' ? address : relayHost;
  return { ...ways, vnc: await openVncDesk({ files, clock, logger, vms, startRelay, directory, host }) };
};
