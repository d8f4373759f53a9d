/** `macfleet install`: what the chart installs, less fleets, for people without Helm. Its flags; the work is in its folder. */
import type { Command } from 'commander';
import { addContextFlags } from './cluster/cluster-flags.ts';
import type { InstallFlags } from './install/run-install.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Prints what an installation applies: kinds, roles, policies and the controllers, in a namespace of their own. With --apply it is applied
instead, by server-side apply; again at any time. Fields that somebody else (Helm, kubectl, Argo CD) has set otherwise are an error, unless
--force-conflicts takes them over. In a Pod without a kubeconfig its own cluster is meant. Cluster API core 1.11 or later must be there; fleets are yours to apply afterwards.

Create the Secret with the Scaleway key before:
  kubectl -n macfleet-system create secret generic macfleet-scaleway \\
    --from-literal=access-key=… --from-literal=secret-key=… --from-literal=project-id=…

Examples:
  macfleet install --image registry.example.com/macfleet:0.1.0 --api-server-url https://api.example.com:6443 | kubectl apply --server-side -f -
  macfleet install --image registry.example.com/macfleet:0.1.0 --api-server-url https://api.example.com:6443 --apply
  macfleet install --crds --dry-run  # whether the kinds could be brought up to date
  macfleet install --crds --apply    # the kinds alone, brought up to date; over those of Helm with --field-manager=helm --force-conflicts
`;

export const addInstallCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('install')
    .description('print or apply what a cluster needs, without Helm')
    .option('--apply', 'apply it to the cluster instead of printing it', false)
    .option('--dry-run', 'let the cluster judge it, and change nothing', false)
    .option('--force-conflicts', 'take over fields that somebody else has set otherwise', false)
    .option('--crds', 'the kinds alone', false)
    .option('--field-manager <name>', 'who is said to have applied it', 'macfleet-install')
    .option('--image <image>', 'our image, with its tag or digest')
    .option('--api-server-url <url>', 'the API server as Macs reach it')
    .option('-n, --namespace <name>', 'where the controllers and fleets are', 'macfleet-system')
    .option(
      '--scaleway-secret <name>',
      'the Secret there with access-key, secret-key and project-id',
      'macfleet-scaleway',
    )
    .option('--zones <zones>', 'zones of Scaleway, with commas between them', 'fr-par-1')
    .option('--dispatch-url <url>', 'where runners ask for jobs: installs the runners controller too')
    .option('--sessions-url <url>', 'where ends of runners are told')
    .option('--scaling-signals-url <url>', 'where the load of pools is asked for')
    .option('--runners-namespace <name>', 'where pools and runners are', 'tuist-runners');
  addContextFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (flags: InstallFlags) => {
      const { runInstall } = await import('./install/run-install.ts');
      await runInstall(flags, io);
    });
};
