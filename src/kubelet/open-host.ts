/** The Mac that the agent runs on, as its ports: programs, files, VMs, images, the session, and the watch over all of it. */
import { withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { FleetError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { createUsageMeter, type SystemUsage, type UsageMeter } from './api/usage/measure-usage.ts';
import { type KubeletFlags, vmsMaxOf } from './flags.ts';
import type { CommandPort } from './host/command-port.ts';
import type { DiskSpace, HostFiles } from './host/host-files.ts';
import { createSystemCommands } from './host/system-commands.ts';
import { createSystemFiles, measureSystemDisk } from './host/system-files.ts';
import type { ImagePort } from './images/image-port.ts';
import { createTartImages } from './images/tart-images.ts';
import { createGuiSession, lookingOnly, noGuiSession } from './node/gui-session.ts';
import { createMacProbes, createPlainProbes, readShutdown } from './node/host-probes.ts';
import { createHostWatch, type HostWatch } from './node/host-watch.ts';
import { findNodeAddress, type InterfaceAddress } from './node/node-address.ts';
import type { HostSize } from './node/node-capacity.ts';
import type { NodeSystem } from './node/node-facts.ts';
import { type Platform, readSystem } from './node/read-system.ts';
import { goldenLabelOf } from './vm/golden-name.ts';
import { createTartCli } from './vm/tart-cli.ts';
import { createTartVms } from './vm/tart-vms.ts';
import type { VmPort } from './vm/vm-port.ts';

/** What only the entry point can tell of the process and its host. */
export interface HostProcess {
  readonly platform: Platform;
  readonly kernelVersion: string;
  readonly user: string;
  readonly uid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interfaces: () => readonly InterfaceAddress[];
  readonly usage: () => SystemUsage;
  readonly size: HostSize;
}

export interface OpenHostOptions {
  readonly flags: KubeletFlags;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly process: HostProcess;
  readonly agentVersion: string;
  /** As long as the agent lives. */
  readonly life: AbortSignal;
  /** The programs of this Mac, unless it is said otherwise. */
  readonly commands?: CommandPort;
}

export interface KubeletFolders {
  readonly userdata: string;
  readonly logs: string;
  readonly records: string;
}

export interface OpenHost {
  readonly files: HostFiles;
  readonly vms: VmPort;
  readonly images: ImagePort;
  readonly watch: HostWatch;
  readonly folders: KubeletFolders;
  readonly usage: UsageMeter;
  /** Where launchd writes what this agent prints. */
  readonly ownLog: string;
  address(): Promise<string | undefined>;
  /** Looked at once. */
  system(): Promise<NodeSystem>;
  /** Whether the Mac shuts down or restarts. */
  goesDown(signal: AbortSignal): Promise<boolean>;
}

const VERSION_TIMEOUT_MS = 5_000;

export const openHost = (options: OpenHostOptions): OpenHost => {
  const { flags, clock, random, logger, life } = options;
  const { platform, uid, user, env } = options.process;
  const commands = options.commands ?? createSystemCommands({ clock, env });
  const files = createSystemFiles();
  const folders = foldersUnder(flags.rootDirectory);
  const cli = createTartCli({ commands, binary: flags.tartBinary });
  const tartHome = env['TART_HOME'] ?? `${env['HOME'] ?? ''}/.tart`;
  const repaired = platform === 'macos' ? createGuiSession({ commands, clock, logger, uid, life }) : noGuiSession;
  const session = flags.does === 'check' ? lookingOnly(repaired) : repaired;
  const vms = createTartVms({
    ...{ cli, commands, files, clock, life, tartHome, recordsDir: folders.records },
    ...{ vmsMax: vmsMaxOf(flags.capacity), ensureSession: session.ensure },
  });
  const images = createTartImages({
    ...{ cli, vms, clock, random, logger, files, measureDisk: measureSystemDisk, diskPath: tartHome },
    bookPath: `${folders.userdata}/.goldens.json`,
  });
  const measureDisk = () => measureRoot(flags.rootDirectory || '/');
  let running = 0;
  const noteRunning = (count: number): void => {
    running = count;
  };
  const createProbes = platform === 'macos' ? createMacProbes : createPlainProbes;
  const watch = createHostWatch({
    ...{ clock, logger, runningVms: () => running },
    probes: createProbes({ commands, vms, session, measureDisk, user, noteRunning }),
    measureDisk: async () => (await measureDisk()).totalBytes,
    labelSources: { 'golden-images': () => goldenLabels(images) },
  });
  const { nodeIp: given, nodeIpSource: source } = flags;
  let system: Promise<NodeSystem> | undefined;
  const lookAtSystem = async (): Promise<NodeSystem> => {
    const { agentVersion } = options;
    // A Tart that hangs must not keep the Node from being one.
    const limit = { clock, timeoutMs: VERSION_TIMEOUT_MS, signal: life, doing: 'asking tart for its version' };
    const runtimeVersion = await withDeadline(limit, vms.version).catch(() => 'unknown');
    const { kernelVersion } = options.process;
    return readSystem({ platform, commands, files, kernelVersion, agentVersion, runtimeVersion, signal: life });
  };
  return {
    ...{ files, vms, images, watch, folders, ownLog: `${flags.rootDirectory}/var/log/tart-kubelet.log` },
    usage: createUsageMeter({ clock, commands, platform, measureDisk, system: options.process.usage }),
    address: () =>
      findNodeAddress({ given, source, interfaces: options.process.interfaces, commands, signal: options.life }),
    goesDown: async (signal) => platform === 'macos' && (await readShutdown(commands, signal)),
    system: () => {
      system ??= lookAtSystem();
      return system;
    },
  };
};

/** `--check` asks before anything is made. */
const measureRoot = (path: string): Promise<DiskSpace> =>
  measureSystemDisk(path).catch((cause: unknown) => {
    const message = `the disk under ${path} cannot be measured: there is no such folder yet; the agent makes it when it starts`;
    throw isMissing(cause) ? new FleetError('not-found', { code: 'RootMissing', message, cause }) : cause;
  });

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

const foldersUnder = (root: string): KubeletFolders => ({
  userdata: `${root}/var/lib/tart-userdata`,
  logs: `${root}/var/log/tart-vms`,
  records: `${root}/var/lib/tart-userdata/.runs`,
});

const goldenLabels = (images: Pick<ImagePort, 'goldens'>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    images.goldens().flatMap((golden) => {
      const key = goldenLabelOf(golden);
      return key === undefined ? [] : [[key, 'true']];
    }),
  );
