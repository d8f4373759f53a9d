/** The work behind `macfleet release`. Loaded only when it runs. */
import { toTimestamp } from '../../base/clock.ts';
import { createIds } from '../../base/ids.ts';
import { createSystemRandom } from '../../base/random.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { type ActFlags, confirm } from '../act/confirm.ts';
import { patchSeen } from '../act/patch-object.ts';
import { whoAsks } from '../act/who.ts';
import type { ClusterFlags } from '../cluster/cluster-flags.ts';
import { findHost } from '../cluster/find-object.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import { MAC_HOSTS, MACHINES } from '../fleet/resources.ts';
import type { CliIo } from '../io.ts';
import { planRelease, type ReleasePolicy } from './plan-release.ts';

export interface ReleaseFlags extends ClusterFlags, ActFlags {
  readonly host: string;
  readonly policy: ReleasePolicy;
  readonly reason: string;
  readonly message?: string;
}

export const runRelease = (flags: ReleaseFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async ({ client, clock }) => {
    const { signal } = io;
    const { policy, reason, message } = flags;
    const host = await findHost(flags.host, { client, signal });
    const { claimRef } = host.spec;
    const owner = claimRef && (await readIfThere(MACHINES, claimRef, { kube: client, signal }));
    const plan = planRelease(host, owner, policy);
    if (plan.do === 'nothing') {
      io.stdout(`${plan.because}\n`);
      return;
    }
    const release = {
      ...{ intentID: createIds(createSystemRandom()).uuid(), policy, reason, by: whoAsks(io) },
      requestedAt: toTimestamp(clock.now()),
      ...(message === undefined ? {} : { message }),
    };
    const change = { seen: host, body: { spec: { release } } };
    await patchSeen(MAC_HOSTS, change, { client, options: { dryRun: 'All', signal } });
    if ((await confirm(plan.says, flags, io)) === 'no') return;
    await patchSeen(MAC_HOSTS, change, { client, options: { signal } });
    io.stdout(`Asked for, as ${release.intentID}. Follow it: macfleet describe host ${host.metadata.name}\n`);
  });
