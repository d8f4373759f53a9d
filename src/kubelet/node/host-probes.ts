/** How each concern of a Node is looked at: what every host has, and what only macOS has. */
import { FleetError, toFleetError } from '../../base/errors.ts';
import { encodeKcpassword, SEALED_PASSWORD } from '../../macos/kcpassword.ts';
import type { CommandPort } from '../host/command-port.ts';
import type { DiskSpace } from '../host/host-files.ts';
import type { VmPort } from '../vm/vm-port.ts';
import type { GuiSession } from './gui-session.ts';
import type { Probe } from './host-watch.ts';
import { judgeDisk, judgeMemory, judgePids } from './judge-host.ts';
import type { Concern, Finding } from './node-facts.ts';

export interface HostProbesOptions {
  readonly commands: Pick<CommandPort, 'run' | 'processes'>;
  readonly vms: Pick<VmPort, 'version' | 'running'>;
  /** Is told how many VMs run, whenever somebody looked. */
  readonly noteRunning: (count: number) => void;
  readonly session: GuiSession;
  readonly measureDisk: () => Promise<DiskSpace>;
  /** As whom the agent runs, and who is to be logged in. */
  readonly user: string;
}

type HostProbes = Readonly<Record<Concern, Probe>>;

const TIMEOUT_MS = 10_000;
const WELL: Finding = { is: 'well' };

/** On a host that is no Mac there is no session to look for, and nobody to log in. */
export const createPlainProbes = (options: HostProbesOptions): HostProbes => {
  const well: Probe = async () => WELL;
  return { ...createMacProbes(options), memory: well, pids: well, autoLogin: well };
};

export const createMacProbes = (options: HostProbesOptions): HostProbes => ({
  disk: createDiskProbe(options),
  memory: async (signal) => judgeMemory(await readNumber(options, 'kern.memorystatus_vm_pressure_level', signal)),
  pids: async (signal) => {
    const most = await readNumber(options, 'kern.maxproc', signal);
    return most === undefined ? WELL : judgePids((await options.commands.processes(signal)).length, most);
  },
  guiSession: (signal) => asFinding(options.session.ensure(signal), signal),
  tart: async (signal) => {
    options.noteRunning((await options.vms.running(signal)).length);
    return asFinding(options.vms.version(signal), signal);
  },
  autoLogin: (signal) => lookAtAutoLogin(options, signal),
});

const createDiskProbe = ({ measureDisk }: HostProbesOptions): Probe => {
  let before: Finding = WELL;
  return async () => {
    before = judgeDisk(await measureDisk(), before);
    return before;
  };
};

/** Of what cannot be seen nobody says that it is not there. */
const UNSEEN: readonly string[] = ['GuiSessionUnseen'];

/** The code of an error is the reason of the condition. */
const asFinding = async (work: Promise<unknown>, signal: AbortSignal): Promise<Finding> => {
  try {
    await work;
    return WELL;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { code, message, hint } = toFleetError(thrown);
    const is = UNSEEN.includes(code) ? 'unknown' : 'ill';
    return { is, reason: code, message: hint === undefined ? message : `${message}. ${hint}` };
  }
};

/** launchd sets it before it tells anybody to stop. */
export const readShutdown = async (commands: HostProbesOptions['commands'], signal: AbortSignal): Promise<boolean> =>
  (await readNumber({ commands }, 'kern.willshutdown', signal)) === 1;

const readNumber = async (
  { commands }: Pick<HostProbesOptions, 'commands'>,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const argv = ['/usr/sbin/sysctl', '-n', name] as const;
  const { code, stdout } = await commands.run({ argv, timeoutMs: TIMEOUT_MS, signal });
  const value = Number(stdout.trim());
  return code === 0 && stdout.trim() !== '' && Number.isFinite(value) ? value : undefined;
};

const LOGINWINDOW = '/Library/Preferences/com.apple.loginwindow';
const SEALED_HEX = Buffer.from(encodeKcpassword(SEALED_PASSWORD)).toString('hex', 0, SEALED_PASSWORD.length);

/** A user who is not named, or a password that loginwindow refused: after the next restart no VM would start (003-2). */
const lookAtAutoLogin = async ({ commands, user }: HostProbesOptions, signal: AbortSignal): Promise<Finding> => {
  const sudo = async (...words: readonly string[]): Promise<string | undefined> => {
    const argv = ['/usr/bin/sudo', '-n', ...words] as const;
    const { code, stdout, stderr } = await commands.run({ argv, timeoutMs: TIMEOUT_MS, signal });
    if (stderr.includes('password is required')) throw sudoRefused();
    return code === 0 ? stdout.trim() : undefined;
  };
  const named = await sudo('/usr/bin/defaults', 'read', LOGINWINDOW, 'autoLoginUser');
  if (named !== user) {
    const who = named === undefined ? 'nobody' : `${named}, not ${user},`;
    return ill('AutoLoginOff', `${who} is logged in after a restart of the Mac; prepare the host anew`);
  }
  const bytes = await sudo('/usr/bin/od', '-An', '-tx1', '-N', String(SEALED_PASSWORD.length), '/etc/kcpassword');
  const hex = bytes?.replaceAll(/\s/g, '') ?? '';
  if (hex === '') return ill('PasswordMissing', '/etc/kcpassword is not there or empty; prepare the host anew');
  if (hex === SEALED_HEX) {
    const why = 'macOS refused the password in /etc/kcpassword and put <sealed> there';
    return ill('PasswordSealed', `${why}; prepare the host with the right one`);
  }
  return WELL;
};

const ill = (reason: string, message: string): Finding => ({ is: 'ill', reason, message });

const sudoRefused = (): FleetError =>
  new FleetError('denied', { code: 'SudoRefused', message: 'sudo asks for a password, so nobody can look' });
