/** The work behind `macfleet detach`: the recipe of docs/operating.md, each step on the state that the one before left. */
import { unreachable } from '../../base/errors.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { KubeClient, WriteOptions } from '../../kube/client/client.ts';
import { ifThere } from '../../kube/client/if-there.ts';
import { CLUSTER_API_ANNOTATIONS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { type ActFlags, confirm } from '../act/confirm.ts';
import { patchSeen } from '../act/patch-object.ts';
import type { ClusterFlags } from '../cluster/cluster-flags.ts';
import { findObject } from '../cluster/find-object.ts';
import { itemsOf, listKinds } from '../cluster/list-kinds.ts';
import { type OpenedCluster, withCluster } from '../cluster/open-cluster.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { MAC_HOSTS, MACHINES } from '../fleet/resources.ts';
import type { CliIo } from '../io.ts';
import { type DetachStep, planDetach } from './plan-detach.ts';

export interface DetachFlags extends ClusterFlags, ActFlags {
  readonly machine: string;
  readonly keepMachine: boolean;
}

const HOLD_TIMEOUT_MS = 120_000;

export const runDetach = (flags: DetachFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async (cluster) => {
    const { client } = cluster;
    const { signal } = io;
    const machine = await findObject(MACHINES, flags.machine, { client, namespace: flags.namespace, signal });
    const host = await findItsHost(machine, cluster, signal);
    const keepsMachine = flags.keepMachine ? 'yes' : 'no';
    const { steps, says } = planDetach({ machine, host, keepsMachine });
    await pause(machine, client, { dryRun: 'All', signal });
    if ((await confirm(says, flags, io)) === 'no') return;
    let seen = machine;
    for (const step of steps) {
      seen = await carryOut(step, { seen, host }, { cluster, signal });
      io.stdout(`${DONE[step]}\n`);
    }
  });

const pause = (seen: ScalewayAppleSiliconMachine, client: KubeClient, options: WriteOptions) =>
  patchSeen(
    MACHINES,
    { seen, body: { metadata: { annotations: { [CLUSTER_API_ANNOTATIONS.paused]: '' } } } },
    { client, options },
  );

/** By its claim: the machine's own word may be cleared already. */
const findItsHost = async (
  { metadata }: ScalewayAppleSiliconMachine,
  { client }: OpenedCluster,
  signal: AbortSignal,
): Promise<MacHost | undefined> => {
  const { hosts } = await listKinds({ hosts: MAC_HOSTS }, { client, signal });
  if (hosts.is === 'denied') throw hosts.error;
  return itemsOf(hosts).find(({ spec }) => spec.claimRef?.uid === metadata.uid);
};

const DONE: Readonly<Record<DetachStep, string>> = {
  pause: 'Paused.',
  'clear-server': 'Cleared status.serverID.',
  'clear-provider-id': 'Cleared spec.providerID.',
  'await-hold': 'The Mac is held.',
  'delete-machine': 'Asked for the deletion of the Machine.',
};

interface State {
  /** As the last step left it. */
  readonly seen: ScalewayAppleSiliconMachine;
  readonly host: MacHost | undefined;
}

interface Means {
  readonly cluster: OpenedCluster;
  readonly signal: AbortSignal;
}

const carryOut = async (step: DetachStep, state: State, means: Means): Promise<ScalewayAppleSiliconMachine> => {
  const { cluster, signal } = means;
  const { client } = cluster;
  const { seen, host } = state;
  const patch = (body: Readonly<Record<string, unknown>>, subresource?: 'status') =>
    patchSeen(MACHINES, { seen, body }, { client, options: { signal, ...(subresource && { subresource }) } });
  switch (step) {
    case 'pause':
      return pause(seen, client, { signal });
    case 'clear-server':
      return patch({ status: { serverID: '' } }, 'status');
    case 'clear-provider-id':
      return patch({ spec: { providerID: null } });
    case 'await-hold':
      await awaitHold(host, means);
      return seen;
    case 'delete-machine':
      await deleteMachine(seen, means);
      return seen;
    default:
      return unreachable(step);
  }
};

const awaitHold = async (host: MacHost | undefined, { cluster, signal }: Means): Promise<void> => {
  if (host === undefined) return;
  const { detached } = REASONS.host.owned;
  await waitFor(
    {
      resource: MAC_HOSTS,
      key: { name: host.metadata.name },
      until: (now) => now?.spec.hold?.reason === detached,
      timeoutMs: HOLD_TIMEOUT_MS,
      doing: `the manager to hold the Mac ${host.metadata.name} (is it running? the machine stays paused; run this again)`,
    },
    { ...cluster, signal },
  );
};

/** The Machine of Cluster API, which takes ours along; ours itself where it has no owner. */
const deleteMachine = async (machine: ScalewayAppleSiliconMachine, { cluster, signal }: Means): Promise<void> => {
  const { namespace = '', name, uid, ownerReferences = [] } = machine.metadata;
  const owner = ownerReferences.find(
    ({ kind, apiVersion }) => kind === 'Machine' && apiVersion.startsWith(`${CLUSTER_API_RESOURCES.machines.group}/`),
  );
  // In the version that whoever made it speaks: beside the Go original core is an older one.
  const version = owner?.apiVersion.split('/')[1] ?? '';
  const resource: Resource<KubeObject> =
    owner === undefined ? MACHINES : { ...CLUSTER_API_RESOURCES.machines, version };
  const target = owner ?? { name, uid };
  const preconditions = target.uid === undefined ? {} : { preconditions: { uid: target.uid } };
  await ifThere(cluster.client.delete(resource, { namespace, name: target.name }, { ...preconditions, signal }));
};
