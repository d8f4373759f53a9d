/**
 * Gives the fleet of `up` what it is to do. Of a kept fleet everything stays as its user left it, but for the number of Macs where that
 * was asked for; what is added, resized or left is said.
 */
import type { KubeClient } from '../../kube/client/client.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { DemoObject } from '../../world/demo-fleet.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import type { UpFlags } from './up-flags.ts';
import { renderWork, replicasOf } from './up-work.ts';

export interface Applying {
  readonly client: KubeClient;
  readonly flags: Pick<UpFlags, 'machines' | 'isSizeGiven' | 'fleet'>;
  /** Whether an earlier run made a fleet here. */
  readonly isKept: boolean;
  readonly say: (text: string) => void;
}

const { machineDeployments } = CLUSTER_API_RESOURCES;

export const applyWork = async (applying: Applying, signal: AbortSignal): Promise<void> => {
  const { client, flags, isKept, say } = applying;
  for (const demo of renderWork(flags)) {
    const is = await createOrIgnore(client, demo, signal);
    const { resource, object } = demo;
    if (is === 'was there' && flags.isSizeGiven) await resize(demo, applying, signal);
    if (is === 'created' && isKept && resource === machineDeployments)
      say(`Added the fleet ${object.metadata.name}: ${countMacs(replicasOf(object))}.`);
  }
  if (isKept) await tellOthers(applying, signal);
};

const resize = async (
  { resource, object }: DemoObject,
  { client, say }: Applying,
  signal: AbortSignal,
): Promise<void> => {
  const replicas = replicasOf(object);
  const { name, namespace = '' } = object.metadata;
  const kept = replicasOf(await client.get(resource, { namespace, name }, { signal }));
  if (replicas === undefined || kept === replicas) return;
  await client.patch(resource, { namespace, name }, { type: 'merge', body: { spec: { replicas } } }, { signal });
  say(`${resource.kind} ${name} had ${kept ?? 'no'} replicas and is to have ${replicas}, as --machines asks.`);
};

/** `--fleet` takes none away. */
const tellOthers = async ({ client, flags, say }: Applying, signal: AbortSignal): Promise<void> => {
  const { items } = await client.list(machineDeployments, { signal });
  for (const deployment of items) {
    const { name } = deployment.metadata;
    if (!flags.fleet.some((fleet) => fleet === name))
      say(`The fleet ${name} of an earlier run is here too: ${countMacs(replicasOf(deployment))}.`);
  }
};

const countMacs = (count: number | undefined): string => (count === 1 ? '1 Mac' : `${count ?? 'no'} Macs`);
