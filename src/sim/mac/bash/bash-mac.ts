/**
 * A simulated Mac on which real bash runs: a disk in a directory, a sandbox from power-on to power-off, and a model that
 * answers the commands that only macOS has. No script of a Mac ever runs outside its sandbox.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Secret } from '../../../base/secret.ts';
import type { MacFiles } from '../model/files.ts';
import { createMacModel, type MacModel } from '../model/mac-model.ts';
import { createDiskFolder, type DiskDefects } from './disk-folder.ts';
import { writeKeys } from './fresh-disk.ts';
import { startJob } from './job-processes.ts';
import type { MacRack } from './mac-rack.ts';
import { createPower, type Power } from './power.ts';
import { type ExecAnswer, runToEnd } from './run-to-end.ts';
import { type MacUser, type StartOnMac, startSandbox } from './sandbox.ts';
import { createSshTrouble, type SshTrouble } from './ssh-trouble.ts';

export interface BashMacOptions {
  readonly rack: MacRack;
  readonly ids: Ids;
  /** The Mac's time. */
  readonly clock: Clock;
  readonly install: MacInstall;
}

/** What an install puts on a Mac. */
export interface MacInstall {
  /** Of the user m1. */
  readonly password: Secret<string>;
  /** As in authorized_keys. */
  readonly authorizedKeys: readonly string[];
}

export type MacShell = 'zsh' | 'bash' | 'sh';

export interface MacCommandLine {
  /** Handed to the user's shell, as sshd does. */
  readonly line: string;
  /** m1 unless given. */
  readonly user?: MacUser;
  /** zsh unless given, as on macOS. */
  readonly shell?: MacShell;
}

export interface BashMac {
  readonly files: MacFiles;
  readonly model: MacModel;
  readonly trouble: SshTrouble;
  readonly power: Power;
  /** What its SSH host key is made from; another one after each wipe. */
  hostKey(): string;
  /** Without a wipe: as if somebody stood between us and the Mac (F38). */
  changeHostKey(): void;
  /** From the next power-on. */
  setDefects(defects: DiskDefects): void;
  /** A fresh disk; the Mac must be off. */
  wipe(install: MacInstall): void;
  /** Puts these keys, and no others, where Scaleway puts a project's. */
  authorize(keys: readonly string[]): void;
  exec(command: MacCommandLine, stdin?: string | Uint8Array): Promise<ExecAnswer>;
  /** The running process, for whoever has streams. Throws `unavailable` while the Mac is off. */
  readonly start: StartOnMac;
  /** Off for ever, and its disk removed. */
  scrap(): Promise<void>;
}

/** Off, with a fresh disk. */
export const createBashMac = (options: BashMacOptions): BashMac => {
  const { rack, ids, clock } = options;
  const token = ids.uuid();
  const disk = createDiskFolder(join(rack.dir, ids.uuid()), { token, port: rack.door.port });
  const { files } = disk;
  let hostKey = ids.uuid();
  let defects: DiskDefects = { readOnly: [], full: [] };
  const start: StartOnMac = (words, user, env = {}) => {
    const sandbox = power.sandbox();
    if (sandbox === undefined) throw macIsOff();
    const [program = '', ...rest] = [...sandbox.enter(user), ...words];
    return spawn(program, rest, { env: { ...LOGIN_ENV[user], ...env }, stdio: 'pipe' });
  };
  const model = createMacModel({
    ...{ files, clock, password: options.install.password },
    startProcess: (job, signatures) => startJob(start, job, signatures),
    onReboot: () => void power.reboot(),
  });
  const power = createPower({
    ...{ clock, boot: model.powerOn, shutDown: model.powerOff },
    startSandbox: () => {
      const mounts = [...rack.root.mounts, ...disk.mounts(defects)];
      const { root, maker } = rack;
      return startSandbox({ rootDir: root.dir, marker: token, full: defects.full, mounts, maker });
    },
  });
  const leave = rack.door.register(token, model.answer);
  const trouble = createSshTrouble();
  power.onOff(trouble.liftBan);
  disk.format(options.install.authorizedKeys);
  return {
    ...{ files, model, power, start, trouble },
    hostKey: () => hostKey,
    changeHostKey: () => {
      hostKey = ids.uuid();
    },
    setDefects: (next) => {
      defects = next;
    },
    wipe: ({ password, authorizedKeys }) => {
      disk.format(authorizedKeys);
      hostKey = ids.uuid();
      model.wipe(password);
    },
    authorize: (keys) => writeKeys(files, keys),
    exec: (command, stdin = '') => runToEnd(start(shellWords(command), command.user ?? 'm1'), stdin),
    scrap: async () => {
      await power.offForEver();
      leave();
      disk.remove();
    },
  };
};

const macIsOff = (): FleetError =>
  new FleetError('unavailable', {
    code: 'MacIsOff',
    message: 'the simulated Mac is switched off',
    hint: 'Switch it on first.',
  });

const LOGIN_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
const LOGIN_ENV: Readonly<Record<MacUser, Readonly<Record<string, string>>>> = {
  m1: { PATH: LOGIN_PATH, HOME: '/Users/m1', USER: 'm1', LOGNAME: 'm1', SHELL: '/bin/zsh' },
  root: { PATH: LOGIN_PATH, HOME: '/var/root', USER: 'root', LOGNAME: 'root', SHELL: '/bin/sh' },
};

const shellWords = ({ line, shell = 'zsh' }: MacCommandLine): readonly string[] => [`/bin/${shell}`, '-c', line];
