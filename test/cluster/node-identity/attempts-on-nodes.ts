/** What a Mac tries on Nodes and on what belongs to Nodes: Leases, CSINodes. */
import { LABELS } from '../../../src/kinds/labels.ts';
import { type Attempt, allowed, forbidden, get, invalid, patch, post, put, remove, watch } from './attempt.ts';

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const CSI_NODES = '/apis/storage.k8s.io/v1/csinodes';

const OWN_NODE_ONLY = 'a Node reads and writes no Node but itself';
const NOT_A_KUBELET_LABEL = 'of the labels in the domains of Kubernetes only those of the kubelet are its own to set';
const OUTSIDE_DOMAINS = 'labels outside the domains of Kubernetes are its own to set, so nobody may trust them';

const labelled = (labels: object) => ({ metadata: { labels } });
const pressure = { status: { conditions: [{ type: 'DiskPressure', status: 'False', reason: 'Enough' }] } };

const reads: readonly Attempt[] = [
  allowed('reads its own Node', 'it keeps it up to date', ({ node }) => get(`${NODES}/${node}`)),
  allowed('lists its own Node by name', 'a list of one name is a read of it', ({ node }) =>
    get(`${NODES}?fieldSelector=metadata.name%3D${node}`),
  ),
  allowed('watches its own Node', 'a watch of one name is a read of it', ({ node }) =>
    watch(`${NODES}?fieldSelector=metadata.name%3D${node}`),
  ),
  forbidden('reads the Node of its neighbour', OWN_NODE_ONLY, ({ neighbour }) => get(`${NODES}/${neighbour}`)),
  forbidden('lists all Nodes', OWN_NODE_ONLY, () => get(NODES)),
  forbidden('watches all Nodes', OWN_NODE_ONLY, () => watch(NODES)),
  forbidden(
    'reads the status of its own Node apart',
    'only writing is granted there, so kubectl patch --subresource fails',
    ({ node }) => get(`${NODES}/${node}/status`),
  ),
  forbidden('calls its own agent through the API server', 'nodes/proxy is not for Nodes', ({ node }) =>
    get(`${NODES}/${node}/proxy/pods`),
  ),
];

const writes: readonly Attempt[] = [
  allowed('patches the status of its own Node', 'it reports its health', ({ node }) =>
    patch(`${NODES}/${node}/status`, pressure),
  ),
  allowed('replaces the status of its own Node', 'it reports its health', ({ node, ownNode }) =>
    put(`${NODES}/${node}/status`, { ...ownNode, ...pressure }),
  ),
  forbidden('patches the status of its neighbour', OWN_NODE_ONLY, ({ neighbour }) =>
    patch(`${NODES}/${neighbour}/status`, pressure),
  ),
  allowed('annotates its own Node', 'nothing is decided by annotations of Nodes', ({ node }) =>
    patch(`${NODES}/${node}`, { metadata: { annotations: { a: 'b' } } }),
  ),
  forbidden('annotates its neighbour', OWN_NODE_ONLY, ({ neighbour }) =>
    patch(`${NODES}/${neighbour}`, { metadata: { annotations: { a: 'b' } } }),
  ),
  allowed(
    'cordons itself',
    'a Node may refuse work',
    ({ node }) => patch(`${NODES}/${node}`, { spec: { unschedulable: true } }),
    ({ spec }) => spec?.unschedulable === true,
  ),
  forbidden('takes its own taints off', 'taints keep work away that is not for it', ({ node }) =>
    patch(`${NODES}/${node}`, { spec: { taints: null } }),
  ),
  forbidden('adds a taint to itself', 'taints are set at registration and by others', ({ node }) =>
    patch(`${NODES}/${node}`, { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } }),
  ),
  forbidden('gives its Node an owner', 'an owner would let others delete it', ({ node, ownNode }) =>
    patch(`${NODES}/${node}`, {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: ownNode.metadata.uid }] },
    }),
  ),
  invalid('changes its own providerID', 'a providerID is set once, by whomever', ({ node }) =>
    patch(`${NODES}/${node}`, { spec: { providerID: 'scw-applesilicon://fr-par-1/other' } }),
  ),
  forbidden('deletes its own Node', 'Nodes come by themselves and go by others', ({ node }) =>
    remove(`${NODES}/${node}`),
  ),
  forbidden('deletes its neighbour', OWN_NODE_ONLY, ({ neighbour }) => remove(`${NODES}/${neighbour}`)),
  forbidden('registers a second Node', OWN_NODE_ONLY, ({ node }) =>
    post(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: `${node}-second` } }),
  ),
];

const labels: readonly Attempt[] = [
  allowed(
    'moves itself to another fleet by the common label',
    OUTSIDE_DOMAINS,
    ({ node }) => patch(`${NODES}/${node}`, labelled({ [LABELS.fleet]: 'other' })),
    ({ metadata }) => metadata?.labels?.[LABELS.fleet] === 'other',
  ),
  allowed(
    'moves itself to another fleet by the common label, through its status',
    `${OUTSIDE_DOMAINS}; the status route takes labels too`,
    ({ node }) => patch(`${NODES}/${node}/status`, labelled({ [LABELS.fleet]: 'other' })),
    ({ metadata }) => metadata?.labels?.[LABELS.fleet] === 'other',
  ),
  forbidden('moves itself to another fleet by the restricted label', 'our manifests select on it', ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ [LABELS.restrictedFleet]: 'other' })),
  ),
  forbidden('takes the restricted label off', 'our manifests select on it', ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ [LABELS.restrictedFleet]: null })),
  ),
  forbidden('sets the restricted label through its status', 'the same rules hold there', ({ node }) =>
    patch(`${NODES}/${node}/status`, labelled({ [LABELS.restrictedFleet]: 'other' })),
  ),
  forbidden('sets a restricted label under a prefix', 'the whole domain is restricted', ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'x.node-restriction.kubernetes.io/a': 'b' })),
  ),
  forbidden('makes itself a control plane', NOT_A_KUBELET_LABEL, ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'node-role.kubernetes.io/control-plane': '' })),
  ),
  forbidden('sets a label of kubernetes.io that nobody knows', NOT_A_KUBELET_LABEL, ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'kubernetes.io/anything': 'a' })),
  ),
  forbidden('sets a label of a k8s.io domain', NOT_A_KUBELET_LABEL, ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'a.k8s.io/b': 'c' })),
  ),
  allowed('sets a label of Cluster API', 'x-k8s.io is no domain of Kubernetes in the eyes of the server', ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'node.cluster.x-k8s.io/pool': 'a' })),
  ),
  allowed('says which system it runs', 'a label of the kubelet', ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'kubernetes.io/os': 'darwin', 'kubernetes.io/arch': 'arm64' })),
  ),
  allowed('says what machine it is and where', 'labels of the kubelet', ({ node }) =>
    patch(
      `${NODES}/${node}`,
      labelled({ 'node.kubernetes.io/instance-type': 'M2-L', 'topology.kubernetes.io/zone': 'z' }),
    ),
  ),
  allowed('sets a label of kubelet.kubernetes.io', 'a domain given to the kubelet', ({ node }) =>
    patch(`${NODES}/${node}`, labelled({ 'kubelet.kubernetes.io/a': 'b' })),
  ),
];

const belongings: readonly Attempt[] = [
  allowed('renews its own Lease', 'it is its heartbeat', ({ node }) =>
    patch(`${LEASES}/${node}`, { spec: { holderIdentity: node } }),
  ),
  allowed('reads its own Lease', 'it is its heartbeat', ({ node }) => get(`${LEASES}/${node}`)),
  allowed('deletes its own Lease', 'it may stop its heartbeat', ({ node }) => remove(`${LEASES}/${node}`)),
  forbidden('reads the Lease of its neighbour', OWN_NODE_ONLY, ({ neighbour }) => get(`${LEASES}/${neighbour}`)),
  forbidden('renews the Lease of its neighbour', 'it would hide a dead Mac', ({ neighbour }) =>
    patch(`${LEASES}/${neighbour}`, { spec: { holderIdentity: 'x' } }),
  ),
  forbidden('creates a Lease of another name', OWN_NODE_ONLY, ({ node }) =>
    post(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: `${node}-second` } }),
  ),
  forbidden('lists the Leases of Nodes', OWN_NODE_ONLY, () => get(LEASES)),
  forbidden('takes the leadership of a manager', 'Leases elsewhere are not for Nodes', ({ namespace, node }) =>
    post(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: node },
    }),
  ),
  allowed('creates its own CSINode', 'part of being a Node', ({ node }) =>
    post(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: node },
      spec: { drivers: [] },
    }),
  ),
  forbidden('creates the CSINode of its neighbour', OWN_NODE_ONLY, ({ neighbour }) =>
    post(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: neighbour },
      spec: { drivers: [] },
    }),
  ),
  forbidden('reads the CSINode of its neighbour', OWN_NODE_ONLY, ({ neighbour }) => get(`${CSI_NODES}/${neighbour}`)),
];

export const ATTEMPTS_ON_NODES: readonly Attempt[] = [...reads, ...writes, ...labels, ...belongings];
