/** The graphical session of a Mac of steps: loginwindow and launchd as src/sim/mac models them, behind what the agent asks by `sudo -n`. */
import type { Clock } from '../base/clock.ts';
import { encodeKcpassword, SEALED_PASSWORD } from '../macos/kcpassword.ts';
import type { MacFiles } from '../sim/mac/model/files.ts';
import { createLaunchctl } from '../sim/mac/model/launchctl.ts';
import { createLaunchd } from '../sim/mac/model/launchd.ts';
import { createLoginWindow } from '../sim/mac/model/login-window.ts';
import { renderPlist } from '../sim/mac/model/plist.ts';
import type { CommandEnd } from '../sim/tart/step/step-commands.ts';

export interface MacLogin {
  /** What `sudo -n launchctl …` and `sudo -n killall …` answer; undefined for anything else. */
  answer(argv: readonly string[]): Promise<CommandEnd> | undefined;
  /** loginwindow is gone, the session with it, and launchd does not bring it back by itself (F43). */
  die(): void;
  /** From now on nobody is logged in by a loginwindow that starts: the password is not theirs. */
  seal(): void;
  /** The password is theirs again, for the next loginwindow that starts. */
  unseal(): void;
  hasSession(): boolean;
}

export const LOGIN_UID = 501;
const PASSWORD = 'of m1';

/** Nobody is logged in before loginwindow was started once. Calls back when a session begins and when it ends. */
export const createMacLogin = (clock: Clock, onSession: (state: 'begun' | 'ended') => void): MacLogin => {
  const files = createLoginDisk();
  const loginWindow = createLoginWindow({
    ...{ files, clock, isPassword: (given) => given === PASSWORD },
    onBegin: () => onSession('begun'),
    onEnd: () => onSession('ended'),
  });
  const launchd = createLaunchd({ files, clock, startProcess: noProcess });
  const commands = createLaunchctl({ launchd, loginWindow, ssh: { restart: () => undefined } });
  return {
    answer: (argv) => {
      const [sudo, quietly, program = '', ...args] = argv;
      const command = commands[program.slice(program.lastIndexOf('/') + 1)];
      if (sudo !== '/usr/bin/sudo' || quietly !== '-n' || command === undefined) return undefined;
      const call = { name: program, args, uid: 0, pid: 1, cwd: '/', stdin: '' };
      return Promise.resolve(command(call, new AbortController().signal)).then(
        ({ exitCode: code, stdout = '', stderr = '' }) => ({ code, stdout, stderr }),
      );
    },
    die: loginWindow.stop,
    seal: () => files.write('/etc/kcpassword', encodeKcpassword(SEALED_PASSWORD)),
    unseal: () => files.write('/etc/kcpassword', encodeKcpassword(PASSWORD)),
    hasSession: loginWindow.hasSession,
  };
};

const noProcess = () => ({
  pid: Promise.resolve(1),
  exited: new Promise<never>(() => undefined),
  kill: () => undefined,
});

/** As much of a disk as loginwindow looks at: m1 is logged in when it starts. */
const createLoginDisk = (): MacFiles => {
  const contents = new Map<string, Buffer>([
    ['/etc/kcpassword', Buffer.from(encodeKcpassword(PASSWORD))],
    ['/Library/Preferences/com.apple.loginwindow.plist', Buffer.from(renderPlist({ autoLoginUser: 'm1' }))],
  ]);
  const write = (path: string, content: string | Uint8Array): void => void contents.set(path, Buffer.from(content));
  return {
    read: (path) => contents.get(path),
    readText: (path) => contents.get(path)?.toString(),
    facts: () => undefined,
    list: () => [],
    ...{ write, replace: write, makeDirectory: () => undefined },
    remove: (path) => void contents.delete(path),
  };
};
