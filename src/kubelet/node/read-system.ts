/** What this host is: asked once, at the start. What it does not tell stays empty; a Node is one all the same. */
import type { CommandPort } from '../host/command-port.ts';
import type { HostFiles } from '../host/host-files.ts';
import type { NodeSystem } from './node-facts.ts';

export type Platform = 'macos' | 'other';

export interface ReadSystem {
  readonly platform: Platform;
  readonly commands: Pick<CommandPort, 'run'>;
  readonly files: Pick<HostFiles, 'readText'>;
  readonly kernelVersion: string;
  readonly agentVersion: string;
  readonly runtimeVersion: string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 5_000;

export const readSystem = async (options: ReadSystem): Promise<NodeSystem> => {
  const { kernelVersion, agentVersion, runtimeVersion } = options;
  const ids = options.platform === 'macos' ? await askMac(options) : await readLinux(options);
  return { ...ids, kernelVersion, agentVersion, runtimeVersion };
};

type Ids = Pick<NodeSystem, 'osImage' | 'machineId' | 'systemUuid' | 'bootId'>;

const askMac = async (options: ReadSystem): Promise<Ids> => {
  const [version, uuid, bootId] = await Promise.all([
    ask(options, ['/usr/bin/sw_vers', '-productVersion']),
    ask(options, ['/usr/sbin/sysctl', '-n', 'kern.uuid']),
    ask(options, ['/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid']),
  ]);
  return { osImage: `macOS ${version}`.trim(), machineId: uuid, systemUuid: uuid, bootId };
};

const ask = async (
  { commands, signal }: ReadSystem,
  argv: readonly [string, ...(readonly string[])],
): Promise<string> => {
  const { code, stdout } = await commands.run({ argv, timeoutMs: TIMEOUT_MS, signal });
  return code === 0 ? stdout.trim() : '';
};

const readLinux = async ({ files }: ReadSystem): Promise<Ids> => {
  const read = async (path: string): Promise<string> => ((await files.readText(path)) ?? '').trim();
  const [machineId, bootId] = [await read('/etc/machine-id'), await read('/proc/sys/kernel/random/boot_id')];
  return { osImage: 'macOS (simulated)', machineId, systemUuid: machineId, bootId };
};
