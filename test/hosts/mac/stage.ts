/** A fresh simulated Mac with real bash for a test, and short words for what tests do to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import { type BashMac, createBashMac, type MacShell } from '../../../src/sim/mac/bash/bash-mac.ts';
import { openMacRack } from '../../../src/sim/mac/bash/mac-rack.ts';
import type { ExecAnswer } from '../../../src/sim/mac/bash/run-to-end.ts';
import type { SandboxMaker } from '../../../src/sim/mac/bash/sandbox-makers.ts';
import { scaleClock } from '../../../src/sim/mac/bash/scaled-clock.ts';

/** A test, or who stands for one. */
export interface CleanUp {
  after(undo: () => Promise<void> | void): void;
}

export const createCleanUp = (): CleanUp & { run(): Promise<void> } => {
  const undos: (() => Promise<void> | void)[] = [];
  return {
    after: (undo) => {
      undos.push(undo);
    },
    run: async () => {
      for (const undo of undos.reverse()) await undo();
    },
  };
};

export const PASSWORD = 'correct horse';

export interface StageOptions {
  readonly authorizedKeys?: readonly string[];
  readonly password?: string;
  /** How many of the Mac's seconds pass in one of ours; 20 unless given. */
  readonly timeScale?: number;
  readonly maker?: SandboxMaker;
}

export interface MacStage {
  readonly mac: BashMac;
  /** As the user m1, through /bin/bash unless another login shell is named. */
  run(line: string, options?: { readonly stdin?: string; readonly shell?: MacShell }): Promise<ExecAnswer>;
  asRoot(line: string): Promise<ExecAnswer>;
  reboot(): Promise<void>;
  /** As a reinstall: wiped, and on again. */
  wipe(password: string): Promise<void>;
}

const DEFAULT_SCALE = 20;

/** Switched on. Gone with the test. */
export const stageMac = async (t: CleanUp, options: StageOptions = {}): Promise<MacStage> => {
  const rack = await openMacRack({
    ...{ parentDir: tmpdir(), node: process.execPath },
    ...(options.maker === undefined ? {} : { maker: options.maker }),
  });
  const { authorizedKeys = [] } = options;
  const mac = createBashMac({
    ...{ rack, ids: createIds(createSystemRandom()) },
    clock: scaleClock(createSystemClock(), options.timeScale ?? DEFAULT_SCALE),
    install: { password: new Secret(options.password ?? PASSWORD), authorizedKeys },
  });
  t.after(async () => {
    await mac.scrap();
    await rack.close();
  });
  await mac.power.on();
  return {
    mac,
    run: (line, { stdin = '', shell = 'bash' } = {}) => mac.exec({ line, shell }, stdin),
    asRoot: (line) => mac.exec({ line, user: 'root', shell: 'bash' }),
    reboot: async () => {
      await mac.power.off();
      await mac.power.on();
    },
    wipe: async (password) => {
      await mac.power.off();
      mac.wipe({ password: new Secret(password), authorizedKeys });
      await mac.power.on();
    },
  };
};

/** Gone with the test. */
export const tempDir = (t: CleanUp): string => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};
