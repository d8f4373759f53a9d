/** Where the Mac is reached: what a flag says, or the tailnet, or the first address of its own. */
import { FleetError } from '../../base/errors.ts';
import type { CommandPort } from '../host/command-port.ts';

export interface InterfaceAddress {
  readonly interface: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly address: string;
  readonly internal: boolean;
  /** The address with the length of its prefix, where that is known. */
  readonly cidr?: string | null;
}

export type AddressSource = 'auto' | 'tailscale';

export interface FindAddress {
  /** Wins over any source; empty when not said. */
  readonly given: string;
  readonly source: AddressSource;
  readonly interfaces: () => readonly InterfaceAddress[];
  readonly commands: Pick<CommandPort, 'run'>;
  readonly signal: AbortSignal;
}

const IPV4 = /^(\d{1,3}\.){3}\d{1,3}$/;
const TAILSCALE_TIMEOUT_MS = 10_000;
/** Those that VMs are behind. */
const VM_INTERFACES = ['bridge', 'vmnet'];

/** Undefined only from the source `auto`: without an address forwarders and logs are off, and the Node is one all the same. */
export const findNodeAddress = async (options: FindAddress): Promise<string | undefined> => {
  if (options.given !== '') return options.given;
  return options.source === 'tailscale' ? askTailscale(options) : chooseAddress(options.interfaces());
};

export const chooseAddress = (found: readonly InterfaceAddress[]): string | undefined =>
  found.find(
    ({ interface: name, family, address, internal }) =>
      family === 'IPv4' &&
      !internal &&
      !address.startsWith('169.254.') &&
      !VM_INTERFACES.some((prefix) => name.startsWith(prefix)),
  )?.address;

/** Falling back to a public interface would show forwarders to the world, so that a failure ends the agent. */
const askTailscale = async ({ commands, signal }: FindAddress): Promise<string> => {
  const argv = ['/usr/local/bin/tailscale', 'ip', '-4'] as const;
  const { code, stdout, stderr } = await commands.run({ argv, timeoutMs: TAILSCALE_TIMEOUT_MS, signal });
  const address = code === 0 ? stdout.split(/\s+/).find((word) => IPV4.test(word)) : undefined;
  if (address !== undefined) return address;
  throw new FleetError('unavailable', {
    code: 'TailscaleHasNoAddress',
    message: `tailscale tells no IPv4 address: ${(stderr.trim() || stdout.trim()).slice(0, 200) || `it ended with ${code}`}`,
    hint: 'Log the Mac in to the tailnet, or say --node-ip.',
  });
};
