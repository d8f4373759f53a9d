/** The Node that a Mac registers and keeps: identity, labels, what it offers, and how it is. Pure. */
import { parseQuantity } from '../../base/quantity.ts';
import { LABEL_VALUES, LABELS, MACOS_TAINT } from '../../kinds/labels.ts';
import type { Node } from '../../kube/types/core.ts';
import { offerOf, planConditions } from './node-conditions.ts';
import type { NodeFacts, NodeState } from './node-facts.ts';

type Labels = Readonly<Record<string, string>>;
type NodeStatus = NonNullable<Node['status']>;

/** Labels under this that are not ours now are of an earlier life. */
const OWNED_PREFIX = 'tuist.dev/';

/** As it is told when there is none yet. Its taints can never be changed by the Node itself afterwards. */
export const renderNode = (facts: NodeFacts, state: NodeState, nowMs: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: facts.nodeName, labels: labelsOf(facts, state), annotations: annotationsOf(facts) },
  spec: {
    ...(facts.providerId === '' ? {} : { providerID: facts.providerId }),
    taints: [MACOS_TAINT],
  },
  status: planStatus(undefined, { facts, state }, nowMs),
});

const labelsOf = ({ nodeName, labels }: NodeFacts, { dynamicLabels }: Pick<NodeState, 'dynamicLabels'>): Labels => ({
  ...labels,
  ...dynamicLabels,
  'kubernetes.io/hostname': nodeName,
  'kubernetes.io/os': 'darwin',
  'kubernetes.io/arch': 'arm64',
  [LABELS.runtime]: LABEL_VALUES.runtimeTart,
});

/** Where the agent's version is told. */
const AGENT_VERSION = 'macfleet.tuist.dev/agent-version';

const annotationsOf = ({ system }: NodeFacts): Labels => ({ [AGENT_VERSION]: system.agentVersion });

/** All annotations as they should be: ours set, everybody else's as they are. */
export const planAnnotations = (stored: Labels | undefined, facts: NodeFacts): Labels => ({
  ...stored,
  ...annotationsOf(facts),
});

/** All labels as they should be: ours set, those of an earlier life gone, everybody else's as they are. */
export const planLabels = (
  stored: Labels | undefined,
  facts: NodeFacts,
  state: Pick<NodeState, 'dynamicLabels'>,
): Labels => {
  const wanted = labelsOf(facts, state);
  const kept = Object.entries(stored ?? {}).filter(([key]) => !key.startsWith(OWNED_PREFIX));
  return { ...Object.fromEntries(kept), ...wanted };
};

/** Set once, where there is none; one that is there stays, even when it differs (004-2). */
export const planProviderId = ({ spec }: Node, { providerId }: Pick<NodeFacts, 'providerId'>): string | undefined =>
  providerId !== '' && (spec?.providerID ?? '') === '' ? providerId : undefined;

export interface NodeSayings {
  readonly facts: NodeFacts;
  readonly state: NodeState;
}

/** The status at this time; equal to the stored one as long as nothing changed. */
export const planStatus = (
  stored: NodeStatus | undefined,
  { facts, state }: NodeSayings,
  nowMs: number,
): NodeStatus => {
  const { nodeName, address, servingPort } = facts;
  const capacity = planCapacity(stored, facts, state);
  // A Mac that cannot start a VM takes no Pods, and keeps those that it has.
  const allocatable = offerOf(state) === 'new-pods' ? capacity : { ...capacity, pods: '0' };
  return {
    ...stored,
    capacity: asStored(stored?.capacity, capacity),
    allocatable: asStored(stored?.allocatable, allocatable),
    conditions: planConditions(stored?.conditions, state, nowMs),
    ...(address !== undefined && {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: nodeName },
      ],
    }),
    ...(servingPort !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: servingPort } } }),
    nodeInfo: renderInfo(facts),
  };
};

/** An API server writes amounts its own way, `16Gi` for `16384Mi`: what means the same is no change. */
const asStored = (stored: Labels | undefined, wanted: Labels): Labels =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, amount]) => {
      const written = stored?.[name];
      return [name, written !== undefined && parseQuantity(written) === parseQuantity(amount) ? written : amount];
    }),
  );

/** What cannot be measured now was measured before. */
const planCapacity = (
  stored: NodeStatus | undefined,
  { capacity }: NodeFacts,
  { diskTotalBytes }: NodeState,
): Labels => {
  const storage = diskTotalBytes === undefined ? stored?.capacity?.['ephemeral-storage'] : String(diskTotalBytes);
  return {
    cpu: String(capacity.cpu),
    memory: `${capacity.memoryMib}Mi`,
    pods: String(capacity.pods),
    ...(storage === undefined ? {} : { 'ephemeral-storage': storage }),
  };
};

const renderInfo = ({ system }: NodeFacts): NonNullable<NodeStatus['nodeInfo']> => ({
  architecture: 'arm64',
  operatingSystem: 'darwin',
  osImage: system.osImage,
  kernelVersion: system.kernelVersion,
  machineID: system.machineId,
  systemUUID: system.systemUuid,
  bootID: system.bootId,
  containerRuntimeVersion: `tart://${system.runtimeVersion}`,
  // Cluster API takes any version here for one that Machines must name, and each of ours for an upgrade under way.
  kubeletVersion: '',
  kubeProxyVersion: '',
});
