/**
 * Whom a Mac reaches, as nc, ping and route tell it. What runs on a simulated Mac uses the network of the machine below: these
 * switches change what commands see, and the way of an agent to its cluster is a switch of its own (bash/uplink.ts).
 */
import { type CommandAnswer, type CommandCall, complain, type MacCommands, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';
import { readPreference } from './preferences.ts';

/** macOS reads its exceptions here, of all places, and only at boot. */
export const LOCAL_NETWORK = '/var/root/Library/Preferences/com.apple.network.local-network.plist';

export interface NetworkDeps {
  readonly files: MacFiles;
  /** Whether port 22 of the Mac accepts. */
  readonly isSshReachable: () => boolean;
}

export interface Network {
  readonly commands: MacCommands;
  /**
   * `blocked`: a dialogue that nobody answers keeps users' programs from private addresses (F45). macOS spares what came by SSH;
   * a simulated Mac does not know where a command came from, and spares root alone.
   */
  setLocalNetwork(value: 'open' | 'blocked'): void;
  /** `broken`: the interface is up, and no name and no way lead beyond it (F56). SSH to the Mac works on. */
  setUplink(value: 'up' | 'broken'): void;
  boot(): void;
}

export const createNetwork = ({ files, isSshReachable }: NetworkDeps): Network => {
  let isLocalBlocked = false;
  let isUp = true;
  let spared: readonly string[] = [];
  const obstacle = (host: string, uid: number): string | undefined => {
    if (isLoopback(host)) return undefined;
    if (!isPrivate(host)) return isUp ? undefined : 'Network is unreachable';
    const isSpared = uid === 0 || spared.some((range) => isWithin(host, range));
    return isLocalBlocked && !isSpared ? 'No route to host' : undefined;
  };
  const nc = ({ args, uid }: CommandCall): CommandAnswer => {
    const [host = '', port = ''] = args.slice(-2);
    if (!args.includes('-z')) return complain(1, 'the simulated nc knows -z only');
    if (isLoopback(host)) return port === '22' && isSshReachable() ? quiet : complain(1);
    const why = obstacle(host, uid);
    return why === undefined ? quiet : complain(1, `nc: connectx to ${host} port ${port} (tcp) failed: ${why}`);
  };
  const ping = ({ args, uid }: CommandCall): CommandAnswer => {
    const host = args.at(-1) ?? '';
    const why = obstacle(host, uid);
    return why === undefined ? say(`64 bytes from ${host}: icmp_seq=0`) : complain(2, `ping: sendto: ${why}`);
  };
  const route = (): CommandAnswer =>
    isUp
      ? say('   route to: default', '    gateway: 10.0.0.1', '  interface: en0')
      : complain(1, 'route: writing to routing socket: not in table');
  return {
    setLocalNetwork: (value) => {
      isLocalBlocked = value === 'blocked';
    },
    setUplink: (value) => {
      isUp = value === 'up';
    },
    boot: () => {
      const ranges = readPreference(files, LOCAL_NETWORK, 'AllowedEthernetLocalNetworkAddresses');
      spared = Array.isArray(ranges) ? ranges.map(String) : [];
    },
    commands: { nc, ping, route },
  };
};

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

const isLoopback = (host: string): boolean => host === 'localhost' || host.startsWith('127.');

const isPrivate = (host: string): boolean => PRIVATE.some((range) => isWithin(host, range));

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** Never for a name. */
const isWithin = (address: string, range: string): boolean => {
  const [base = '', bits = '32'] = range.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(base) / size);
};
