/** The work behind `macfleet reboot`. Loaded only when it runs. */
import { toTimestamp } from '../../base/clock.ts';
import { createIds } from '../../base/ids.ts';
import { createSystemRandom } from '../../base/random.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { PODS } from '../../kube/types/core.ts';
import { type ActFlags, confirm } from '../act/confirm.ts';
import { patchSeen } from '../act/patch-object.ts';
import { whoAsks } from '../act/who.ts';
import type { ClusterFlags } from '../cluster/cluster-flags.ts';
import { findHost } from '../cluster/find-object.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import { MAC_HOSTS } from '../fleet/resources.ts';
import type { CliIo } from '../io.ts';

export interface RebootFlags extends ClusterFlags, ActFlags {
  readonly host: string;
  readonly reason?: string;
}

export const runReboot = (flags: RebootFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async ({ client, clock }) => {
    const { signal } = io;
    const host = await findHost(flags.host, { client, signal });
    const { name } = host.metadata;
    if (host.spec.rebootRequest !== undefined) {
      io.stdout(`A reboot of ${name} was asked for already, and is not on its way yet.\n`);
      return;
    }
    const rebootRequest = {
      ...{ id: createIds(createSystemRandom()).uuid(), by: whoAsks(io), requestedAt: toTimestamp(clock.now()) },
      ...(flags.reason === undefined ? {} : { reason: flags.reason }),
    };
    const change = { seen: host, body: { spec: { rebootRequest } } };
    await patchSeen(MAC_HOSTS, change, { client, options: { dryRun: 'All', signal } });
    const pods = await countRunning(host, client, signal);
    if ((await confirm(renderPlan(host, pods), flags, io)) === 'no') return;
    await patchSeen(MAC_HOSTS, change, { client, options: { signal } });
    io.stdout(`Asked for. It is sent once, and at most four times a day: macfleet describe host ${name}\n`);
  });

const renderPlan = ({ metadata, spec, status }: MacHost, pods: number): readonly string[] => [
  `The Mac ${metadata.name} (${spec.claimRef?.name ?? 'nobody’s'}, ${status?.state ?? 'no state'}) will be rebooted.`,
  `  ${renderPods(pods)}`,
];

const renderPods = (count: number): string => {
  if (count === 0) return 'No Pod runs on it.';
  if (count === 1) return 'One Pod runs on it, and its virtual machine ends with it.';
  return `${count} Pods run on it, and their virtual machines end with it.`;
};

/** Its Node has the name of its machine. */
const countRunning = async ({ spec }: MacHost, client: KubeClient, signal: AbortSignal): Promise<number> => {
  if (spec.claimRef === undefined) return 0;
  const fieldSelector = `spec.nodeName=${spec.claimRef.name},status.phase=Running`;
  return (await client.list(PODS, { fieldSelector, signal })).items.length;
};
