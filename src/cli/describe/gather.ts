/** An object and those that its story is told by: a Mac and its machine and Node, a Pod and its Mac, a Job and its Pods. */
import { isKind } from '../../base/errors.ts';
import { JOBS, type Job } from '../../controlplane/core/workloads/job.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES, PODS } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, type ObjectKey, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { type Finding, findHost, findObject } from '../cluster/find-object.ts';
import { serverIdOf } from '../fleet/on-macs.ts';
import { MAC_HOSTS, MACHINES } from '../fleet/resources.ts';
import { whyOfHost, whyOfMachine, whyOfPod } from '../status/observe-waits.ts';
import type { Description } from './render-describe.ts';
import type { Told } from './timeline.ts';

export interface Gathering extends Finding {
  readonly client: KubeClient;
}

/** Somebody by whom a story is told, and where to hear more of it. */
export interface Teller extends Told {
  readonly resource: Resource<KubeObject>;
}

export interface Gathered extends Pick<Description, 'subject' | 'facts'> {
  /** The object itself first. */
  readonly told: readonly Teller[];
}

const toldAs = (resource: Resource<KubeObject>, object: KubeObject): Teller => ({
  resource,
  who: `${SHORT[resource.plural] ?? resource.kind.toLowerCase()}/${renderKey(keyOf(object))}`,
  object: { ...object, kind: resource.kind },
});

const SHORT: Readonly<Record<string, string>> = { scalewayapplesiliconmachines: 'samm' };

/** What is not there, or not to be seen, is left out: the story of the others can still be told. */
const look = async <T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey | undefined,
  { client, signal }: Gathering,
): Promise<{ readonly told: readonly Teller[]; readonly object: T | undefined }> => {
  if (key === undefined || key.name === '') return { told: [], object: undefined };
  try {
    const object = await readIfThere(resource, key, { kube: client, signal });
    return { told: object === undefined ? [] : [toldAs(resource, object)], object };
  } catch (error) {
    if (isKind(error, 'denied', 'contract')) return { told: [], object: undefined };
    throw error;
  }
};

export const gatherHost = async (name: string, gathering: Gathering): Promise<Gathered> => {
  const host = await findHost(name, gathering);
  const around = await gatherAroundHost(host, gathering);
  return {
    subject: `MacHost ${host.metadata.name}`,
    facts: factsOfHost(host),
    told: [toldAs(MAC_HOSTS, host), ...around],
  };
};

const gatherAroundHost = async ({ spec }: MacHost, gathering: Gathering): Promise<readonly Teller[]> => {
  const { claimRef } = spec;
  const parts = await Promise.all([
    look(MACHINES, claimRef, gathering),
    look(CLUSTER_API_RESOURCES.machines, claimRef, gathering),
    look(NODES, claimRef && { name: claimRef.name }, gathering),
  ]);
  return parts.flatMap(({ told }) => told);
};

const factsOfHost = (host: MacHost): Gathered['facts'] => {
  const { spec, status } = host;
  return [
    ['state', status?.state],
    ['waits for', whyOfHost(host)],
    ['machine', spec.claimRef && renderKey(spec.claimRef)],
    ['fleet', spec.fleet],
    ['type', spec.type],
    ['pool', spec.pool?.prefix],
    ['server', status?.server?.name],
    ['address', status?.server?.address],
    ['wipes', String(spec.wipes)],
    ['failures', String(spec.budgets.bootstrap.failures)],
  ];
};

export const gatherMachine = async (name: string, gathering: Gathering): Promise<Gathered> => {
  const machine = await findObject(MACHINES, name, gathering);
  const key = keyOf(machine);
  const id = machine.status?.serverID ?? '';
  const parts = await Promise.all([
    look(CLUSTER_API_RESOURCES.machines, key, gathering),
    look(MAC_HOSTS, { name: id }, gathering),
    look(NODES, { name: key.name }, gathering),
  ]);
  return {
    subject: `ScalewayAppleSiliconMachine ${renderKey(key)}`,
    facts: factsOfMachine(machine),
    told: [toldAs(MACHINES, machine), ...parts.flatMap(({ told }) => told)],
  };
};

const factsOfMachine = (machine: ScalewayAppleSiliconMachine): Gathered['facts'] => [
  ['phase', machine.status?.phase],
  ['waits for', whyOfMachine(machine)],
  ['Mac', machine.status?.serverID],
  ['providerID', machine.spec.providerID],
  ['fleet', machine.spec.fleetName],
  ['failure', machine.status?.failureReason],
];

export const gatherPod = async (name: string, gathering: Gathering): Promise<Gathered> => {
  const pod = await findObject(PODS, name, gathering);
  const node = await look(NODES, { name: pod.spec.nodeName ?? '' }, gathering);
  const host = await look(MAC_HOSTS, { name: serverIdOf(node.object?.spec?.providerID) ?? '' }, gathering);
  return {
    subject: `Pod ${renderKey(keyOf(pod))}`,
    facts: factsOfPod(pod),
    told: [toldAs(PODS, pod), ...node.told, ...host.told],
  };
};

const factsOfPod = (pod: Pod): Gathered['facts'] => [
  ['phase', pod.status?.phase],
  ['waits for', whyOfPod(pod)],
  ['Node', pod.spec.nodeName],
  ['image', pod.spec.containers[0]?.image],
  ['finalizers', pod.metadata.finalizers?.join(', ')],
];

export const gatherJob = async (name: string, gathering: Gathering): Promise<Gathered> => {
  const job = await findObject(JOBS, name, gathering);
  const pods = await podsOf(job, gathering);
  return {
    subject: `Job ${renderKey(keyOf(job))}`,
    facts: [
      ['done', `${job.status?.succeeded ?? 0} of ${job.spec.completions ?? 1}`],
      ['running', String(job.status?.active ?? 0)],
      ['failed', String(job.status?.failed ?? 0)],
      ['waits for', pods.map(whyOfPod).find((why) => why !== undefined)],
    ],
    told: [toldAs(JOBS, job), ...pods.map((pod) => toldAs(PODS, pod))],
  };
};

/** Those that it owns. */
export const podsOf = async (
  { metadata }: Job,
  { client, signal }: Pick<Gathering, 'client' | 'signal'>,
): Promise<readonly Pod[]> => {
  const { namespace = '', uid } = metadata;
  const { items } = await client.list(PODS, { namespace, signal });
  return items.filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
};
