/** The flags of bin/manager.ts: what it works on, and where. */
import { Command, Option } from 'commander';
import { FleetError } from '../base/errors.ts';
import { parsePort, parseWhole } from '../cli/parse-number.ts';
import type { ScalewayWork, SimulatedWork } from './manager-ports.ts';

export interface ManagerFlags {
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly leaseNamespace: string;
  readonly healthPort: number;
}

interface WorkFlags {
  readonly scaleway?: true;
  readonly scalewayCredentials?: string;
  readonly zones?: readonly string[];
  readonly defaultAdoptPoolPrefix: string;
  readonly simulatedMacs?: number;
  readonly simulatedProject?: string;
  readonly joinKubeconfig?: string;
  readonly speedUp: number;
}

const MACS_MAX = 10_000;
const SPEED_MAX = 100_000;

const parseMacs = (text: string): number => parseWhole(text, { least: 0, most: MACS_MAX, what: 'count of Macs' });
const parseSpeed = (text: string): number => parseWhole(text, { least: 1, most: SPEED_MAX, what: 'factor' });
const parseZones = (text: string): readonly string[] => text.split(',').map((zone) => zone.trim());

/** Prints help and ends the process where the arguments ask for that. */
export const parseManagerFlags = (
  args: readonly string[],
): { readonly flags: ManagerFlags; readonly work: ScalewayWork | SimulatedWork } => {
  const flags = addWorkOptions(new Command('manager'))
    .description('the Cluster API provider for Mac fleets')
    .option('--kubeconfig <file>', 'the cluster to work on; without it the one this process runs in')
    .option('--namespace <namespace>', 'work for the Clusters and Machines of this namespace only')
    .option('--lease-namespace <namespace>', 'where the leader lease is', 'kube-system')
    .addOption(
      new Option('--health-port <port>', 'port of /healthz, /readyz and /metrics; 0 takes a free one')
        .default(8081)
        .argParser(parsePort),
    )
    .parse([...args], { from: 'user' })
    .opts<ManagerFlags & WorkFlags>();
  return { flags, work: chooseWork(flags) };
};

const addWorkOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--scaleway', 'work on the Scaleway project that SCW_* or the file of scw names').conflicts([
        'simulatedMacs',
        'simulatedProject',
        'joinKubeconfig',
      ]),
    )
    .option('--scaleway-credentials <folder>', 'where a Secret with the API key is mounted; it may rotate')
    .addOption(
      new Option('--zones <zones>', 'with commas between them; without it SCW_DEFAULT_ZONE').argParser(parseZones),
    )
    .addOption(
      new Option('--default-adopt-pool-prefix <prefix>', 'how names of free Macs begin, where a machine does not say')
        .default('')
        .env('CAPI_DEFAULT_ADOPT_POOL_PREFIX'),
    )
    .addOption(new Option('--simulated-macs <count>', 'work on so many simulated Macs').argParser(parseMacs))
    .option('--simulated-project <id>', 'the Scaleway project they are in; managers of one cluster have one each')
    .option('--join-kubeconfig <file>', 'what they join with: holds a bootstrap token; without it they speak as we do')
    .addOption(
      new Option('--speed-up <factor>', 'how much faster than life they are').default(100).argParser(parseSpeed),
    );

const chooseWork = (flags: WorkFlags): ScalewayWork | SimulatedWork => {
  const { simulatedMacs: macs, speedUp, simulatedProject: projectId, joinKubeconfig, zones } = flags;
  if (flags.scaleway === true) {
    const { scalewayCredentials: credentialsDirectory, defaultAdoptPoolPrefix: poolPrefix } = flags;
    return { on: 'scaleway', credentialsDirectory, zones, poolPrefix };
  }
  if (macs !== undefined) return { on: 'simulated-macs', macs, speedUp, projectId, joinKubeconfig };
  throw new FleetError('invalid', {
    code: 'NothingToWorkOn',
    message: 'there is nothing to work on',
    hint: 'Say --scaleway, or --simulated-macs and how many.',
  });
};
