/** The Node that a simulated Mac registers: identity, what it offers, and that it is well. Pure. */
import { toTimestamp } from '../../base/clock.ts';
import { LABEL_VALUES, LABELS, MACOS_TAINT } from '../../kinds/labels.ts';
import type { Node } from '../../kube/types/core.ts';

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;
type NodeStatus = NonNullable<Node['status']>;
type NodeCondition = NonNullable<NodeStatus['conditions']>[number];

export interface NodeFacts {
  readonly nodeName: string;
  readonly providerId: string;
  /** Besides those that every Mac has; the fleet's is among these. */
  readonly labels: Readonly<Record<string, string>>;
  /** Instead of the one that keeps other Pods away from Macs. */
  readonly taints?: Taints;
  readonly capacity: {
    readonly cpu: string;
    readonly memory: string;
    readonly pods: string;
    readonly 'ephemeral-storage'?: string;
  };
  readonly address?: string;
  /** Where the agent serves what a kubelet serves, if it does. */
  readonly servingPort?: number;
}

export const addressOf = ({ address = '127.0.0.1' }: NodeFacts): string => address;

/** What a Node reports as its kubelet's version; Machines that name a version must name this one. */
export const AGENT_VERSION = 'v1.36.0-sim';

/** Who the Node is: told at registration, and its labels kept afterwards. */
export const renderIdentity = (facts: NodeFacts): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: facts.nodeName, labels: labelsOf(facts) },
  spec: { providerID: facts.providerId, taints: facts.taints ?? [MACOS_TAINT] },
});

export const labelsOf = ({ nodeName, labels }: NodeFacts): Readonly<Record<string, string>> => ({
  'kubernetes.io/hostname': nodeName,
  'kubernetes.io/os': 'darwin',
  'kubernetes.io/arch': 'arm64',
  [LABELS.runtime]: LABEL_VALUES.runtimeTart,
  ...labels,
});

const WELL: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  { type: 'MemoryPressure', status: 'False', reason: 'SufficientMemory', message: 'memory is available' },
  { type: 'DiskPressure', status: 'False', reason: 'SufficientDisk', message: 'disk space is available' },
  { type: 'PIDPressure', status: 'False', reason: 'SufficientPIDs', message: 'process ids are available' },
  { type: 'Ready', status: 'True', reason: 'AgentReady', message: 'the node agent is running' },
];

/** The status at this time; equal to the stored one as long as nothing changed. */
export const renderNodeStatus = (facts: NodeFacts, stored: NodeStatus | undefined, nowMs: number): NodeStatus => {
  const capacity = { ...facts.capacity };
  const conditions = WELL.map((wanted): NodeCondition => {
    const earlier = stored?.conditions?.find(({ type }) => type === wanted.type);
    const at = toTimestamp(nowMs);
    const since = earlier?.status === wanted.status ? (earlier.lastTransitionTime ?? at) : at;
    const isSame = earlier?.status === wanted.status && earlier.reason === wanted.reason;
    return { ...wanted, lastHeartbeatTime: isSame ? (earlier.lastHeartbeatTime ?? at) : at, lastTransitionTime: since };
  });
  return {
    ...stored,
    capacity,
    allocatable: capacity,
    conditions,
    addresses: [
      { type: 'InternalIP', address: addressOf(facts) },
      { type: 'Hostname', address: facts.nodeName },
    ],
    ...(facts.servingPort !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: facts.servingPort } } }),
    nodeInfo: {
      architecture: 'arm64',
      operatingSystem: 'darwin',
      osImage: 'macOS (simulated)',
      kernelVersion: 'simulated',
      machineID: facts.providerId,
      systemUUID: facts.providerId,
      bootID: facts.providerId,
      containerRuntimeVersion: 'tart://simulated',
      kubeletVersion: AGENT_VERSION,
      kubeProxyVersion: AGENT_VERSION,
    },
  };
};
