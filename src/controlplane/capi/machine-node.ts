/** A Machine's Node: found by providerID, labelled, watched over, and deleted with the Machine. */
import { FleetError } from '../../base/errors.ts';
import { isEqualJson } from '../../base/json.ts';
import { summarizeConditions } from '../../kube/controller/conditions.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import { type ConditionReport, done } from '../../kube/controller/outcome.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { controllerOf } from '../core/owner-references.ts';
import { type CoreView, clusterKeyOf } from './core-view.ts';
import { CORE_ANNOTATIONS, type Machine } from './machine-kinds.ts';

const findNode = ({ nodes }: CoreView, { spec }: Machine): Node | undefined => {
  const [node, ...others] = spec.providerID === undefined ? [] : nodes.byIndex('providerID', spec.providerID);
  if (others.length === 0) return node;
  throw new FleetError('contract', {
    code: 'ProviderIdNotUnique',
    message: `${others.length + 1} Nodes have providerID ${spec.providerID}`,
    hint: 'Delete the Nodes that are not this Machine’s.',
    details: { nodes: [node, ...others].map((each) => each?.metadata.name) },
  });
};

const isControlPlaneUp = ({ clusters }: CoreView, machine: Machine): boolean =>
  clusters.get(clusterKeyOf(machine))?.status?.initialization?.controlPlaneInitialized === true;

/** Binds the Node and brings its labels in line. */
export const bindNode = (view: CoreView): Step<Machine> => ({
  name: 'node',
  condition: 'NodeReady',
  run: async (machine, { kube, signal }) => {
    const node = isControlPlaneUp(view, machine) ? findNode(view, machine) : undefined;
    if (node === undefined) return done({ condition: { type: 'NodeReady', ...explainMissing(view, machine) } });
    const body = planNodePatch(machine, node);
    if (body !== undefined) await kube.patch(NODES, { name: node.metadata.name }, { type: 'merge', body }, { signal });
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
    return done<Machine>({
      status: { nodeRef: { name: node.metadata.name }, phase: 'Running' },
      condition: {
        type: 'NodeReady',
        status: ready?.status ?? 'Unknown',
        reason: ready?.status === 'True' ? 'NodeReady' : (ready?.reason ?? 'NodeConditionUnknown'),
        message: ready?.status === 'True' ? '' : (ready?.message ?? 'the Node has not reported yet'),
      },
    });
  },
});

/** Whether the Node is well; the three pressures count as well as its readiness. */
export const judgeNode = (view: CoreView): Step<Machine> => ({
  name: 'node health',
  condition: 'NodeHealthy',
  run: async (machine) => {
    const node = isControlPlaneUp(view, machine) ? findNode(view, machine) : undefined;
    const report = node === undefined ? explainMissing(view, machine) : describeHealth(node);
    return done({ condition: { type: 'NodeHealthy', ...report } });
  },
});

/** Core's own word for a Machine that can take work. Its parts are known by now. */
export const judgeAvailability: Step<Machine> = {
  name: 'available',
  condition: 'Available',
  run: async ({ status }) => {
    const of = ['BootstrapConfigReady', 'InfrastructureReady', 'NodeHealthy'];
    const summary = summarizeConditions(status?.conditions, { type: 'Available', of });
    return done({ condition: summary.status === 'True' ? { ...summary, reason: 'Available' } : summary });
  },
};

type Verdict = Omit<ConditionReport, 'type'>;

const explainMissing = (view: CoreView, machine: Machine): Verdict => {
  if (!isControlPlaneUp(view, machine)) {
    const message = 'Waiting for Cluster control plane to be initialized';
    return { status: 'Unknown', reason: 'InspectionFailed', message };
  }
  const { nodeRef } = machine.status ?? {};
  if (nodeRef !== undefined) {
    return { status: 'False', reason: 'NodeDeleted', message: `Node ${nodeRef.name} has been deleted` };
  }
  const message = `Waiting for a Node with spec.providerID ${machine.spec.providerID} to exist`;
  return { status: 'Unknown', reason: 'NodeDoesNotExist', message };
};

const HEALTHY = { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' } as const;

export const describeHealth = ({ status }: Node): Verdict => {
  const seen = Object.entries(HEALTHY).map(([type, healthy]) => {
    const condition = status?.conditions?.find((candidate) => candidate.type === type);
    const isUnknown = condition === undefined || condition.status === 'Unknown';
    return {
      type,
      isUnknown,
      isBad: !isUnknown && condition.status !== healthy,
      status: condition?.status ?? 'unreported',
    };
  });
  const tell = (parts: typeof seen): string => parts.map((part) => `Node.${part.type} is ${part.status}`).join('; ');
  const bad = seen.filter(({ isBad }) => isBad);
  if (bad.length > 0) return { status: 'False', reason: 'NodeNotHealthy', message: tell(bad) };
  const unknown = seen.filter(({ isUnknown }) => isUnknown);
  if (unknown.length > 0) return { status: 'Unknown', reason: 'NodeHealthUnknown', message: tell(unknown) };
  return { status: 'True', reason: 'NodeHealthy', message: '' };
};

const COPIED_DOMAIN = 'node-restriction.kubernetes.io';

/** `a.b/c` is in the domain `b` and in `a.b`. */
const isCopied = (label: string): boolean => {
  const [domain = ''] = label.split('/');
  return domain === COPIED_DOMAIN || domain.endsWith(`.${COPIED_DOMAIN}`);
};

/** The merge patch that gives a Node the labels and annotations of its Machine, or undefined when it has them. */
export const planNodePatch = (machine: Machine, node: Node): { readonly metadata: object } | undefined => {
  const wanted = Object.fromEntries(Object.entries(machine.metadata.labels ?? {}).filter(([key]) => isCopied(key)));
  const { labels = {}, annotations = {}, uid } = node.metadata;
  const earlier = (annotations[CORE_ANNOTATIONS.labelsFromMachine] ?? '').split(',').filter(isCopied);
  const dropped = earlier.filter((key) => !(key in wanted));
  const kept = Object.fromEntries(Object.entries(labels).filter(([key]) => !dropped.includes(key)));
  const owner = controllerOf(machine);
  const told: Readonly<Record<string, string>> = {
    [CORE_ANNOTATIONS.clusterName]: machine.spec.clusterName,
    [CORE_ANNOTATIONS.clusterNamespace]: machine.metadata.namespace ?? '',
    [CORE_ANNOTATIONS.machine]: machine.metadata.name,
    ...(owner === undefined
      ? {}
      : { [CORE_ANNOTATIONS.ownerKind]: owner.kind, [CORE_ANNOTATIONS.ownerName]: owner.name }),
    [CORE_ANNOTATIONS.labelsFromMachine]: Object.keys(wanted).sort().join(','),
  };
  const after = { labels: { ...kept, ...wanted }, annotations: { ...annotations, ...told } };
  if (isEqualJson({ labels, annotations }, after)) return undefined;
  const labelPatch = diffMerge(labels, after.labels);
  const annotationPatch = diffMerge(annotations, after.annotations);
  return {
    metadata: {
      uid,
      ...(labelPatch === undefined ? {} : { labels: labelPatch }),
      ...(annotationPatch === undefined ? {} : { annotations: annotationPatch }),
    },
  };
};

/** After the infrastructure is gone: nobody is left to register it again. */
export const deleteNode = (view: CoreView): Step<Machine> => ({
  name: 'node',
  condition: 'NodeReady',
  run: async (machine, { kube, signal }) => {
    const node = findNode(view, machine);
    if (node === undefined) return done();
    const { name, uid = '', deletionTimestamp } = node.metadata;
    if (deletionTimestamp === undefined) await kube.delete(NODES, { name }, { preconditions: { uid }, signal });
    return done();
  },
});
