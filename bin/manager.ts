/**
 * The provider as a process of its own, on any cluster: `./macfleet manager --kubeconfig <file> --scaleway` works on a
 * Scaleway project, `--simulated-macs 3` on Macs that exist only in this process.
 */
import './require-node.js';
import { LEASE_NAMES } from '../src/kinds/names.ts';
import { createManager } from '../src/provider/create-manager.ts';
import { readClusterAccess } from '../src/world/cluster-access.ts';
import { parseManagerFlags } from '../src/world/manager-flags.ts';
import { serveHealth } from '../src/world/manager-health.ts';
import { openProvider } from '../src/world/manager-ports.ts';
import { openController } from './open-controller.ts';
import { openProcess, runToEnd } from './process-io.ts';

const program = openProcess();
const { args, io } = program;

const run = async (closing: AsyncDisposableStack): Promise<void> => {
  const { signal, env } = io;
  const flags = parseManagerFlags(args, env);
  const { config, lease, ...opened } = await openController(io, flags, {
    leading: {
      ...{ leaseName: LEASE_NAMES.manager, homeNamespace: 'kube-system' },
      // Managers of one namespace each may share a cluster.
      rivals: flags.fleet.namespace === undefined ? 'refused' : 'welcome',
    },
    closing,
  });
  const runs = flags.kubeconfig === undefined ? 'in-cluster' : 'elsewhere';
  const { host, metrics, logger } = opened;
  const access = () => readClusterAccess({ config, apiServerUrl: flags.apiServerUrl, runs }, host);
  const provider = await openProvider(flags.work, { ...opened, env, rules: flags.fleet, access }, signal);
  closing.defer(provider.close);
  const manager = createManager({ ...provider.ports, metrics, ...(lease === undefined ? {} : { lease }) });
  const notReadyBecause = () => manager.notReadyBecause() ?? provider.notReadyBecause?.();
  closing.use(await serveHealth(flags, { metrics, notReadyBecause, logger }));
  await manager.run(signal);
};

await runToEnd(program, run);
