/** `macfleet control-plane`: the embedded control plane alone. Its flags; the work is in control-plane/. */
import { type Command, Option } from 'commander';
import { parsePort } from '../base/flags/parse-number.ts';
import { auditOptions } from './control-plane/audit-flags.ts';
import type { ControlPlaneFlags } from './control-plane/run-control-plane.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Examples:
  macfleet control-plane --data plane    # KUBECONFIG=plane/kubeconfig kubectl get namespaces
  macfleet control-plane --port 6443 --audit-log audit.log
`;

export const addControlPlaneCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('control-plane')
    .description('start the embedded Kubernetes control plane alone, for kubectl, tests and your own controllers')
    .option('--data <folder>', 'keep the objects and the kubeconfig there')
    .addOption(
      new Option('--port <port>', 'port of the API server; 0 takes a free one').default(0).argParser(parsePort),
    )
    .option('--log', 'show the log of the controllers on stderr', false);
  for (const option of auditOptions()) command.addOption(option);
  command.addHelpText('after', notes(HELP)).action(async (flags: ControlPlaneFlags) => {
    const { runControlPlane } = await import('./control-plane/run-control-plane.ts');
    await runControlPlane(flags, io);
  });
};
