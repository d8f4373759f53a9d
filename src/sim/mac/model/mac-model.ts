/**
 * What a simulated Mac knows beside its disk: the state that macOS keeps in its kernel and daemons, and the commands that
 * show or change it. Each part is a state machine of its own; this file only puts them together.
 */
import { type Clock, sleep } from '../../../base/clock.ts';
import type { Secret } from '../../../base/secret.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type CommandAnswer, type CommandCall, complain, type MacCommands, quiet, say } from './command.ts';
import { createDeveloperTools } from './developer-tools.ts';
import type { MacFiles } from './files.ts';
import { createHypervisor, type Hypervisor } from './hypervisor.ts';
import { createKeychain, type Keychain } from './keychain.ts';
import { createLaunchctl } from './launchctl.ts';
import { createLaunchd, type Launchd, type StartProcess } from './launchd.ts';
import { createLoginWindow, type LoginWindow } from './login-window.ts';
import { createNetwork, type Network } from './network.ts';
import { createPacketFilter, type PacketFilter } from './packet-filter.ts';
import { createPfctl } from './pfctl.ts';
import { createPreferences } from './preferences.ts';
import { createSettings, type Settings } from './settings.ts';
import { createSignatures, type Signatures } from './signatures.ts';

export interface MacModelOptions {
  readonly files: MacFiles;
  readonly clock: Clock;
  readonly password: Secret<string>;
  /** Starts a launchd job for good. */
  readonly startProcess: (job: Parameters<StartProcess>[0], signatures: Signatures) => ReturnType<StartProcess>;
  /** Somebody on the Mac asked for it. */
  readonly onReboot: () => void;
}

export interface MacModel {
  answer(call: CommandCall, signal: AbortSignal): Promise<CommandAnswer>;
  powerOn(): void;
  powerOff(): void;
  /** After the disk was: what the daemons remember is forgotten too. */
  wipe(password: Secret<string>): void;
  /** The commands that were asked last, oldest first; without passwords. */
  readonly asked: readonly CommandCall[];
  readonly accounts: Accounts;
  readonly pf: PacketFilter;
  readonly launchd: Launchd;
  readonly loginWindow: LoginWindow;
  readonly keychain: Keychain;
  readonly hypervisor: Hypervisor;
  readonly network: Network;
  readonly settings: Settings;
  readonly signatures: Signatures;
  /** Port 22: `no` when its backlog is full, until sshd is loaded again. */
  setSshReachable(value: 'yes' | 'no'): void;
  /** How far what `date` says is off (F53). */
  setClockSkew(ms: number): void;
}

interface SshService {
  isReachable(): boolean;
  setReachable(value: 'yes' | 'no'): void;
  restart(): void;
}

const createSshService = (): SshService => {
  let isReachable = true;
  return {
    isReachable: () => isReachable,
    setReachable: (value) => {
      isReachable = value === 'yes';
    },
    restart: () => {
      isReachable = true;
    },
  };
};

const createParts = ({ files, clock, password, startProcess }: MacModelOptions) => {
  const accounts = createAccounts(files, password);
  const pf = createPacketFilter(files);
  const settings = createSettings(clock);
  const signatures = createSignatures(files);
  const launchd = createLaunchd({ files, clock, startProcess: (job) => startProcess(job, signatures) });
  const keychain = createKeychain(files);
  const loginWindow = createLoginWindow({
    ...{ files, clock, isPassword: accounts.isPassword, onBegin: keychain.logIn },
    onEnd: () => {
      launchd.endSession();
      keychain.close();
    },
  });
  const { hasSession } = loginWindow;
  const hypervisor = createHypervisor({ files, clock, hasSession, isKeychainOpen: keychain.isOpen });
  const ssh = createSshService();
  const network = createNetwork({ files, isSshReachable: ssh.isReachable });
  return { accounts, pf, settings, signatures, launchd, keychain, loginWindow, hypervisor, network, ssh };
};

export const createMacModel = (options: MacModelOptions): MacModel => {
  const { files, clock } = options;
  const { ssh, ...parts } = createParts(options);
  const { accounts, pf, settings, signatures, launchd, loginWindow, hypervisor, network } = parts;
  let skewMs = 0;
  const commands: MacCommands = {
    ...accounts.commands,
    ...clockCommands(clock, () => skewMs),
    ...createPreferences(files),
    ...settings.commands,
    ...signatures.commands,
    ...createLaunchctl({ launchd, loginWindow, ssh }),
    ...createDeveloperTools(files),
    ...parts.keychain.commands,
    ...hypervisor.commands,
    ...network.commands,
    pfctl: createPfctl(pf, files),
    reboot: ({ uid }) => reboot(uid, options.onReboot),
    shutdown: ({ uid }) => reboot(uid, options.onReboot),
  };
  const asked: CommandCall[] = [];
  return {
    ...{ ...parts, asked },
    answer: async (call, signal) => {
      asked.push(withoutPassword(call));
      if (asked.length > ASKED_MAX) asked.shift();
      const command = commands[call.name];
      if (command === undefined) return complain(70, `${call.name}: the simulated Mac does not know this command`);
      return command(call, signal);
    },
    powerOn: () => {
      for (const part of [accounts, pf, settings, signatures, launchd, network]) part.boot();
      ssh.restart();
      loginWindow.start();
    },
    powerOff: () => {
      launchd.shutDown();
      loginWindow.stop();
    },
    wipe: (password) => {
      accounts.setPassword(password);
      settings.wipe();
      hypervisor.wipe();
    },
    setSshReachable: ssh.setReachable,
    setClockSkew: (ms) => {
      skewMs = ms;
    },
  };
};

const ASKED_MAX = 10_000;

const withoutPassword = (call: CommandCall): CommandCall => {
  const isTry = call.name === 'sudo' && call.args[0] === 'try';
  const isUnlock = call.name === 'security' && call.args[0] === 'unlock-keychain';
  return isTry || isUnlock ? { ...call, args: call.args.slice(0, 2) } : call;
};

const reboot = (uid: number, onReboot: () => void): CommandAnswer => {
  if (uid !== 0) return complain(1, 'reboot: Operation not permitted');
  onReboot();
  return quiet;
};

const SECONDS_IN: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const clockCommands = (clock: Clock, skewMs: () => number): MacCommands => ({
  now: () => say(String(Math.floor((clock.now() + skewMs()) / 1000))),
  sleep: async ({ args }, signal) => {
    const [, count, unit = 's'] = /^(\d*\.?\d+)([smhd])?$/.exec(args[0] ?? '') ?? [];
    const seconds = Number(count) * (SECONDS_IN[unit] ?? 1);
    if (Number.isNaN(seconds)) return complain(1, 'usage: sleep number[unit] [...]');
    await sleep(clock, seconds * 1000, signal);
    return quiet;
  },
});
