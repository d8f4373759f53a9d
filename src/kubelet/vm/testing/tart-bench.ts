/**
 * A Mac with the simulated `tart`, and the adapters of the agent on top of it, in two forms: as a program with real
 * processes and files, and as steps on the virtual clock. A test says what it does once and is run on both.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, createSystemClock, sleep } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createKernel } from '../../../sim/kernel/kernel.ts';
import { installSimTart } from '../../../sim/tart/program/install.ts';
import { seenBy } from '../../../sim/tart/step/seen-by.ts';
import { createStepMac } from '../../../sim/tart/step/step-mac.ts';
import type { SimTartSettings } from '../../../sim/tart/tart-settings.ts';
import type { CommandPort } from '../../host/command-port.ts';
import type { DiskSpace, HostFiles } from '../../host/host-files.ts';
import { createSystemCommands } from '../../host/system-commands.ts';
import { createSystemFiles } from '../../host/system-files.ts';
import type { ImagePort } from '../../images/image-port.ts';
import { createTartImages } from '../../images/tart-images.ts';
import { createTartCli, type TartCli } from '../tart-cli.ts';
import { createTartVms, type TartVmsOptions } from '../tart-vms.ts';
import type { StartVm, VmPort } from '../vm-port.ts';

export interface TartBench {
  readonly vms: VmPort;
  readonly images: ImagePort;
  readonly cli: TartCli;
  readonly commands: CommandPort;
  readonly files: HostFiles;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly tartHome: string;
  /** Replaces what was set before. */
  configure(settings: Partial<SimTartSettings>): Promise<void>;
  setDisk(space: DiskSpace): void;
  /** Only where it can be simulated. */
  losePower(): void;
  /** Folders and words for a start; the script goes through the env share. */
  startOf(vm: string, script?: string): Promise<StartVm>;
  /** The adapters of another life of the agent. */
  again(changes?: Partial<TartVmsOptions>): { readonly vms: VmPort; readonly images: ImagePort };
  /** Waits until it holds. */
  until(holds: () => boolean | Promise<boolean>): Promise<void>;
}

interface Mac {
  readonly commands: CommandPort;
  readonly files: HostFiles;
  readonly clock: Clock;
  readonly binary: string;
  readonly tartHome: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly configure: TartBench['configure'];
  readonly losePower: () => void;
}

const GB = 1e9;
const LOOK_EVERY_MS = 20;

type Body = (bench: TartBench) => Promise<void>;

export const testOnBoth = (story: string, body: Body): void => {
  testOnProgram(story, body);
  testOnSteps(story, body);
};

export const testOnSteps = (story: string, body: Body): void => {
  test(`${story} (steps)`, (t) => onSteps(t, body));
};

export const testOnProgram = (story: string, body: Body): void => {
  test(`${story} (program)`, (t) => onProgram(t, body));
};

const onProgram = async (t: TestContext, body: Body): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'tart-bench-'));
  const tart = installSimTart(folder, process.execPath);
  const life = new AbortController();
  const clock = createSystemClock();
  const commands = createSystemCommands({
    clock,
    env: { ...process.env, PATH: `${tart.binFolder}:${process.env['PATH']}` },
  });
  const bench = await createBench(
    {
      ...{ commands, files: createSystemFiles(), clock, folder, signal: t.signal },
      ...{ binary: tart.binary, tartHome: tart.home, configure: async (settings) => tart.configure(settings) },
      losePower: () => assert.fail('this machine keeps its power'),
    },
    life.signal,
  );
  try {
    await body(bench);
  } finally {
    for (const { pid, command } of await commands.processes(t.signal)) {
      if (command.startsWith(`${tart.binary} run `)) commands.kill(pid, 'SIGKILL');
    }
    life.abort();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const onSteps = async (t: TestContext, body: Body): Promise<void> => {
  const kernel = createKernel({ seed: t.name });
  let isOver = false;
  const { clock, random } = kernel.actor('mac');
  const mac = createStepMac({ clock, random });
  const settings = async (changes: Partial<SimTartSettings>): Promise<void> => mac.configure(changes);
  kernel.boot('agent', async (actor) => {
    actor.task('test', async () => {
      const { signal } = new AbortController();
      const life = new AbortController();
      const { commands, files } = seenBy(actor, mac);
      const bench = await createBench(
        {
          ...{ commands, files, clock: actor.clock, folder: '/bench', signal, configure: settings },
          ...{ binary: mac.tartBinary, tartHome: mac.tartHome, losePower: mac.losePower },
        },
        life.signal,
      );
      await body(bench);
      isOver = true;
      life.abort();
    });
  });
  await kernel.run({ maxEvents: 1_000_000, maxVirtualMs: 48 * 3_600_000, until: () => isOver });
  assert.ok(isOver, 'two days were not enough for it to end');
};

const createBench = async (mac: Mac, life: AbortSignal): Promise<TartBench> => {
  const { commands, files, clock, folder, signal, tartHome, binary, configure, losePower } = mac;
  for (const name of ['records', 'logs', 'shares']) await files.makeDirectory(`${folder}/${name}`);
  const cli = createTartCli({ commands, binary });
  let space: DiskSpace = { totalBytes: 500 * GB, freeBytes: 300 * GB };
  const again: TartBench['again'] = (changes = {}) => {
    const vms = createTartVms({
      ...{ cli, commands, files, clock, life, recordsDir: `${folder}/records`, tartHome },
      ...{ vmsMax: 2, ensureSession: async () => undefined },
      ...changes,
    });
    const images = createTartImages({
      ...{ cli, files, clock, vms, random: createSeededRandom(1), logger: silentLogger },
      ...{ diskPath: '/', bookPath: `${folder}/goldens.json`, measureDisk: async () => space },
    });
    return { vms, images };
  };
  return {
    ...{ ...again(), again, cli, commands, files, clock, signal, folder, tartHome, configure, losePower },
    setDisk: (measured) => {
      space = measured;
    },
    startOf: (vm, script) => startOf({ files, folder, signal }, vm, script),
    until: async (holds) => {
      while (!(await holds())) await sleep(clock, LOOK_EVERY_MS, signal);
    },
  };
};

const startOf = async (
  { files, folder, signal }: Pick<Mac, 'files' | 'folder' | 'signal'>,
  vm: string,
  script: string | undefined,
): Promise<StartVm> => {
  const env = `${folder}/shares/${vm}/env`;
  const status = `${folder}/shares/${vm}/status`;
  for (const share of [env, status]) await files.makeDirectory(share);
  const line = `SIM_GUEST_SCRIPT=${script?.replaceAll('\n', '\\n')}\n`;
  await files.writeText(`${env}/tuist.env`, script === undefined ? '' : line);
  return {
    ...{ vm, graphics: 'none', logPath: `${folder}/logs/${vm}.log`, signal },
    shares: [
      { name: 'env', path: env, readOnly: true },
      { name: 'status', path: status, readOnly: false },
    ],
  };
};
