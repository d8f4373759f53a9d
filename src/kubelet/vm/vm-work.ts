/** What the parts of the VM adapter share. */
import type { Clock } from '../../base/clock.ts';
import type { CommandPort } from '../host/command-port.ts';
import type { HostFiles } from '../host/host-files.ts';
import { findVmProcesses, type VmProcess } from './running-vms.ts';
import type { TartCli } from './tart-cli.ts';

export interface VmWork {
  readonly cli: TartCli;
  readonly commands: CommandPort;
  readonly files: HostFiles;
  readonly clock: Clock;
  /** As long as the agent lives: runs are watched until then. */
  readonly life: AbortSignal;
  /** How often a run is looked at besides, in case that nobody tells of its end; every second unless given. */
  readonly lookEveryMs?: number;
  /** Records of runs, one folder per VM. */
  readonly recordsDir: string;
  /** Where Tart keeps its VMs. */
  readonly tartHome: string;
}

export const recordDirOf = ({ recordsDir }: Pick<VmWork, 'recordsDir'>, vm: string): string => `${recordsDir}/${vm}`;

export const observeVmProcesses = async (
  { commands }: Pick<VmWork, 'commands'>,
  signal: AbortSignal,
): Promise<readonly VmProcess[]> => findVmProcesses(await commands.processes(signal));
