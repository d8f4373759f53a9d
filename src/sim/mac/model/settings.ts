/** Small things that a Mac remembers and tells: names, power settings, versions, hardware. */
import type { Clock } from '../../../base/clock.ts';
import { type CommandAnswer, type CommandCall, complain, type MacCommands, quiet, say } from './command.ts';

const MACOS = { name: 'macOS', version: '26.4', build: '25E246', kernel: '25.4.0' };

export interface Settings {
  readonly commands: MacCommands;
  names(): Readonly<Record<string, string>>;
  power(): Readonly<Record<string, string>>;
  boot(): void;
  wipe(): void;
}

const STOCK_POWER: Readonly<Record<string, string>> = {
  ...{ sleep: '1', displaysleep: '10', disksleep: '10', womp: '1', powernap: '1', autorestart: '0' },
};
const NAMES = ['ComputerName', 'HostName', 'LocalHostName'];

export const createSettings = (clock: Clock): Settings => {
  const names = new Map<string, string>();
  const power = new Map<string, string>();
  const updates = new Map<string, string>();
  let bootedAt = clock.now();
  const hostname = (): string => names.get('HostName') ?? `${names.get('LocalHostName') ?? 'Mac-mini'}.local`;
  const wipe = (): void => {
    for (const state of [names, power, updates]) state.clear();
    names.set('ComputerName', 'Mac mini');
    names.set('LocalHostName', 'Mac-mini');
    for (const [key, value] of Object.entries(STOCK_POWER)) power.set(key, value);
  };
  wipe();
  return {
    names: () => Object.fromEntries(names),
    power: () => Object.fromEntries(power),
    boot: () => {
      bootedAt = clock.now();
    },
    wipe,
    commands: {
      hostname: () => say(hostname()),
      scutil: (call) => scutil(names, call),
      pmset: (call) => pmset(power, call),
      softwareupdate: (call) => softwareUpdate(updates, call),
      sw_vers: ({ args }) => tellVersion(args),
      sysctl: ({ args }) => sysctl({ hostname: hostname(), bootedAt }, args),
      uname: ({ args }) => say(uname(hostname(), args)),
      csrutil: () => say('System Integrity Protection status: enabled.'),
      ...Object.fromEntries(
        ['xattr', 'dscacheutil', 'caffeinate', 'tccutil', 'log'].map((name) => [name, () => quiet]),
      ),
      systemsetup: ({ args }) => say(args[0] === '-getremotelogin' ? 'Remote Login: On' : ''),
    },
  };
};

const scutil = (names: Map<string, string>, { args, uid }: CommandCall): CommandAnswer => {
  const [verb, key = '', value = ''] = args;
  if (!NAMES.includes(key)) return complain(1, `usage: scutil --get|--set ${NAMES.join('|')}`);
  if (verb === '--get') {
    const known = names.get(key);
    return known === undefined ? complain(1, `${key}: not set`) : say(known);
  }
  if (uid !== 0) return complain(1, 'SCPreferencesApplyChanges() failed: Permission denied');
  if (key === 'LocalHostName' && !/^[a-z0-9-]{1,63}$/i.test(value))
    return complain(1, 'SCPreferencesSetLocalHostName() failed: Invalid argument');
  names.set(key, value);
  return quiet;
};

const pmset = (power: Map<string, string>, { args, uid }: CommandCall): CommandAnswer => {
  if (args[0] === '-g')
    return say(
      'System-wide power settings:',
      'Currently in use:',
      ...[...power].map(([key, value]) => ` ${key.padEnd(20)} ${value}`),
    );
  if (uid !== 0) return complain(77, "'pmset' must be run as root...");
  const words = args.filter((arg) => !/^-[abcu]$/.test(arg));
  for (let at = 0; at + 1 < words.length; at += 2) {
    const key = words[at] ?? '';
    if (
      !power.has(key) &&
      !['standby', 'hibernatemode', 'networkoversleep', 'tcpkeepalive', 'ttyskeepawake'].includes(key)
    )
      return complain(64, `Error: ${key}: Bad command`);
    power.set(key, words[at + 1] ?? '');
  }
  return quiet;
};

const softwareUpdate = (updates: Map<string, string>, { args, uid }: CommandCall): CommandAnswer => {
  if (args[0] !== '--schedule') return say('Software Update Tool', '', 'No new software available.');
  if (args[1] === undefined) return say(`Automatic checking for updates is turned ${updates.get('schedule') ?? 'on'}`);
  if (uid !== 0) return complain(1, 'Must be run as root.');
  updates.set('schedule', args[1]);
  return say(`Automatic checking for updates is turned ${args[1]}`);
};

const tellVersion = (args: readonly string[]): CommandAnswer => {
  const wanted = (args[0] ?? '').replace(/^-+/, '');
  if (wanted === 'productVersion') return say(MACOS.version);
  if (wanted === 'productName') return say(MACOS.name);
  if (wanted === 'buildVersion') return say(MACOS.build);
  return say(`ProductName:\t\t${MACOS.name}`, `ProductVersion:\t\t${MACOS.version}`, `BuildVersion:\t\t${MACOS.build}`);
};

const sysctl = (
  mac: { readonly hostname: string; readonly bootedAt: number },
  args: readonly string[],
): CommandAnswer => {
  const seconds = Math.floor(mac.bootedAt / 1000);
  const known: Readonly<Record<string, string>> = {
    ...{ 'hw.ncpu': '8', 'hw.physicalcpu': '8', 'hw.memsize': '17179869184', 'hw.model': 'Mac14,3' },
    ...{ 'kern.hostname': mac.hostname, 'kern.osproductversion': MACOS.version, 'kern.osversion': MACOS.build },
    'machdep.cpu.brand_string': 'Apple M2',
    'kern.boottime': `{ sec = ${seconds}, usec = 0 } ${new Date(mac.bootedAt).toUTCString()}`,
  };
  const names = args.filter((arg) => !arg.startsWith('-'));
  const unknown = names.find((name) => known[name] === undefined);
  if (unknown !== undefined) return complain(1, `sysctl: unknown oid '${unknown}'`);
  return say(...names.map((name) => (args.includes('-n') ? String(known[name]) : `${name}: ${known[name]}`)));
};

const uname = (hostname: string, args: readonly string[]): string => {
  const facts: Readonly<Record<string, string>> = { s: 'Darwin', n: hostname, r: MACOS.kernel, m: 'arm64', p: 'arm' };
  const letters = args.length === 0 ? 's' : args.join('').replaceAll('-', '');
  if (letters.includes('a')) return `Darwin ${hostname} ${MACOS.kernel} Darwin Kernel Version ${MACOS.kernel} arm64`;
  return ['s', 'n', 'r', 'm', 'p']
    .filter((letter) => letters.includes(letter))
    .map((letter) => facts[letter])
    .join(' ');
};
