/** A Machine's Node: found by providerID, labelled, watched over, and deleted with the Machine. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { summarizeConditions } from '../../kube/controller/conditions.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, wait } from '../../kube/controller/outcome.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { controllerOf } from '../core/owner-references.ts';
import { type CoreView, clusterKeyOf } from './core-view.ts';
import { CORE_ANNOTATIONS, type Machine } from './machine-kinds.ts';
import { planNodePatch } from './node-sync.ts';
import { findCurrent } from './plan-machine-deployment.ts';
import type { RemoteCluster } from './remote/remote-cluster.ts';
import { BELIEVED_MS } from './remote/remote-clusters.ts';

/** The Node with the Machine's providerID. Two of them are an error: none may be taken for the Machine's. */
export const findNode = ({ nodes }: Pick<RemoteCluster, 'nodes'>, { spec }: Machine): Node | undefined => {
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

/** Binds the Node and brings its labels in line, on the cluster where it is. */
export const bindNode = (view: CoreView): Step<Machine> => ({
  name: 'node',
  condition: 'NodeReady',
  run: async (machine, context) => {
    const sight = observeNode(view, machine, context.clock.now());
    if (sight.sees === 'nothing new') return done();
    if (sight.sees === 'nothing') return done({ condition: { type: 'NodeReady', ...sight.verdict } });
    const { node, remote } = sight;
    const revision = judgeRevision(view, machine) === 'outdated' ? 'outdated' : 'current';
    const body = planNodePatch(machine, node, revision);
    if (body !== undefined && !isAnothers(view, machine, node)) {
      const { signal } = context;
      await remote.clientFor(context).patch(NODES, { name: node.metadata.name }, { type: 'merge', body }, { signal });
    }
    const { nodeInfo } = node.status ?? {};
    return done<Machine>({
      status: { nodeRef: { name: node.metadata.name }, ...(nodeInfo !== undefined && { nodeInfo }), phase: 'Running' },
      condition: describeReadiness(node),
    });
  },
});

/** Of two Machines with one providerID the first keeps the Node's marks: they would overwrite each other without end. */
export const isAnothers = (
  { machines }: { readonly machines: Pick<CoreView['machines'], 'get'> },
  { metadata, spec }: Machine,
  node: Node,
): boolean => {
  const marked = node.metadata.annotations?.[CORE_ANNOTATIONS.machine];
  if (marked === undefined || marked === metadata.name) return false;
  const other = machines.get(`${metadata.namespace}/${marked}`);
  if (other === undefined || other.metadata.deletionTimestamp !== undefined) return false;
  return other.spec.providerID === spec.providerID;
};

const READY_REASONS = { True: 'NodeReady', False: 'NodeNotReady', Unknown: 'NodeReadyUnknown' } as const;

const describeReadiness = ({ status }: Node): ConditionReport => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const verdict = ready?.status ?? 'Unknown';
  const message = ready === undefined ? 'Condition not yet reported' : ready.message || `Condition is ${ready.status}`;
  return {
    ...{ type: 'NodeReady', status: verdict, reason: READY_REASONS[verdict] },
    message: verdict === 'True' ? '' : `* Node.Ready: ${message}`,
  };
};

/** Whether the Machine is of its deployment's present template; undefined without a deployment. */
const judgeRevision = (view: CoreView, machine: Machine): 'current' | 'outdated' | undefined => {
  const set = view.machineSets.get(`${machine.metadata.namespace}/${controllerOf(machine)?.name}`);
  const owner = set === undefined ? undefined : controllerOf(set);
  const deployment = view.machineDeployments.get(`${machine.metadata.namespace}/${owner?.name}`);
  if (set === undefined || deployment === undefined || deployment.metadata.uid !== owner?.uid) return undefined;
  return findCurrent(deployment, [set]) === undefined ? 'outdated' : 'current';
};

/** Tells whether a rollout will replace the Machine. A Machine without a deployment says nothing about it. */
export const judgeUpToDate = (view: CoreView): Step<Machine> => ({
  name: 'up to date',
  condition: 'UpToDate',
  run: async (machine) => {
    const revision = judgeRevision(view, machine);
    if (revision === undefined) return done();
    return done({ condition: { type: 'UpToDate', ...describeRevision(revision, machine) } });
  },
});

/** A Node must run exactly the version that its Machine names; a Machine that names none is never up to date once it has a Node. */
export const describeRevision = (
  revision: 'current' | 'outdated',
  { spec: { version = '' }, status }: Machine,
): Omit<ConditionReport, 'type'> => {
  if (revision === 'outdated') {
    const message = '* the template of the MachineDeployment has changed';
    return { status: 'False', reason: 'NotUpToDate', message };
  }
  const running = status?.nodeInfo?.kubeletVersion ?? '';
  if (running === '' || running === version) return { status: 'True', reason: 'UpToDate', message: '' };
  const message = `* Node.status.nodeInfo.kubeletVersion ${running}, ${version} required`;
  return { status: 'False', reason: 'Updating', message };
};

/** Machines are replaced here, never changed in place. */
export const notUpdating: Step<Machine> = {
  name: 'not updating',
  condition: 'Updating',
  run: async () => done({ condition: { type: 'Updating', status: 'False', reason: 'NotUpdating', message: '' } }),
};

/** Whether the Node is well; the three pressures count as well as its readiness. */
export const judgeNode = (view: CoreView): Step<Machine> => ({
  name: 'node health',
  condition: 'NodeHealthy',
  run: async (machine, { clock }) => {
    const sight = observeNode(view, machine, clock.now());
    if (sight.sees === 'nothing new') return done();
    const report = sight.sees === 'nothing' ? sight.verdict : describeHealth(sight.node);
    return done({ condition: { type: 'NodeHealthy', ...report } });
  },
});

const gatesOf = ({ readinessGates = [] }: Machine['spec']): readonly string[] =>
  readinessGates.map(({ conditionType }) => conditionType);

/** Core's own word for a Machine that can take work. Its parts are known by now. */
export const judgeAvailability: Step<Machine> = {
  name: 'available',
  condition: 'Available',
  run: async ({ spec, status }, { clock }) => {
    const of = ['BootstrapConfigReady', 'InfrastructureReady', 'NodeHealthy', ...gatesOf(spec)];
    const summary = summarizeConditions(status?.conditions, { type: 'Available', of });
    if (summary.status !== 'True')
      return done({ condition: { ...summary, status: 'False', reason: 'NotReady', message: '' } });
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const sinceMs = ready?.status === 'True' ? parseTimestamp(ready.lastTransitionTime) : clock.now();
    const leftMs = (sinceMs ?? clock.now()) + (spec.minReadySeconds ?? 0) * 1_000 - clock.now();
    if (leftMs <= 0) return done({ condition: { ...summary, reason: 'Available' } });
    const condition = { ...summary, status: 'False', reason: 'WaitingForMinReadySeconds' } as const;
    return wait(leftMs, { condition });
  },
};

type Verdict = Omit<ConditionReport, 'type'>;

type Sight =
  | { readonly sees: 'node'; readonly node: Node; readonly remote: RemoteCluster }
  | { readonly sees: 'nothing'; readonly verdict: Verdict }
  /** What was told last is still the best that is known. */
  | { readonly sees: 'nothing new' };

const observeNode = (view: CoreView, machine: Machine, nowMs: number): Sight => {
  if (!isControlPlaneUp(view, machine)) {
    const message = 'Waiting for Cluster control plane to be initialized';
    return { sees: 'nothing', verdict: { status: 'Unknown', reason: 'InspectionFailed', message } };
  }
  const { remote, problem, lastSuccessMs } = view.remotes.look(clusterKeyOf(machine));
  if (remote !== undefined) {
    const node = findNode(remote, machine);
    return node === undefined ? { sees: 'nothing', verdict: explainMissing(machine) } : { sees: 'node', node, remote };
  }
  const isTold = ['NodeReady', 'NodeHealthy'].every((type) =>
    machine.status?.conditions?.some((condition) => condition.type === type),
  );
  if (isTold && (lastSuccessMs === undefined || nowMs - lastSuccessMs <= BELIEVED_MS)) return { sees: 'nothing new' };
  const told =
    lastSuccessMs === undefined
      ? 'Remote connection not established yet'
      : `Remote connection down, last seen to work at ${toTimestamp(lastSuccessMs)}`;
  const verdict = { status: 'Unknown', reason: 'ConnectionDown', message: `${told}: ${problem}` } as const;
  return { sees: 'nothing', verdict };
};

const explainMissing = (machine: Machine): Verdict => {
  const { nodeRef } = machine.status ?? {};
  if (nodeRef !== undefined) {
    return {
      status: 'False',
      reason: 'NodeDeleted',
      message: `Node ${nodeRef.name} has been deleted while the Machine still exists`,
    };
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
      said:
        condition === undefined
          ? 'Condition not yet reported'
          : condition.message || `Condition is ${condition.status}`,
    };
  });
  const tell = (parts: typeof seen): string => parts.map((part) => `* Node.${part.type}: ${part.said}`).join('\n');
  const bad = seen.filter(({ isBad }) => isBad);
  if (bad.length > 0) return { status: 'False', reason: 'NodeNotHealthy', message: tell(bad) };
  const unknown = seen.filter(({ isUnknown }) => isUnknown);
  if (unknown.length > 0) return { status: 'Unknown', reason: 'NodeHealthyUnknown', message: tell(unknown) };
  return { status: 'True', reason: 'NodeHealthy', message: '' };
};
