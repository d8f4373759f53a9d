/**
 * The end of a Machine, in the order of Cluster API: pre-drain hooks, drain, pre-terminate hooks, infrastructure, Node. Node
 * and drain are core's business only while the Cluster stands and its control plane is managed elsewhere.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, stop, wait } from '../../kube/controller/outcome.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { awaitEnd, removeAll } from './awaited-end.ts';
import { type ContractObject, resolveResource } from './contract-objects.ts';
import { type CoreView, clusterKeyOf } from './core-view.ts';
import { targetOf } from './machine-infrastructure.ts';
import { CORE_ANNOTATIONS, type Machine } from './machine-kinds.ts';
import { findNode } from './machine-node.ts';
import type { RemoteCluster } from './remote/remote-cluster.ts';

export const deleting = (reason: string, message: string): ConditionReport => ({
  ...{ type: 'Deleting', status: 'True', reason, message },
});

export const notDeleting: Step<Machine> = {
  name: 'not deleting',
  condition: 'Deleting',
  run: async () => done({ condition: { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' } }),
};

/** What is left to look after when core may touch the Node. */
export interface Governed {
  /** Undefined while the cluster of its Node cannot be reached. */
  readonly remote: RemoteCluster | undefined;
  /** Why it cannot. */
  readonly problem: string;
  readonly node: Node | undefined;
  readonly infrastructure: ContractObject | undefined;
}

/** Undefined when Node and drain are none of core's business. */
export const findGoverned = async (
  view: CoreView,
  machine: Machine,
  context: ReconcileContext,
): Promise<Governed | undefined> => {
  const cluster = view.clusters.get(clusterKeyOf(machine));
  const reference = cluster?.spec.controlPlaneRef;
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || reference === undefined) {
    return undefined;
  }
  const namespace = machine.metadata.namespace ?? '';
  const resource = resolveResource<ContractObject>(view.definitions.list(), reference);
  const controlPlane = await readIfThere(resource, { namespace, name: reference.name }, context);
  if (controlPlane?.metadata.deletionTimestamp !== undefined) return undefined;
  if (controlPlane?.status?.externalManagedControlPlane !== true) return undefined;
  const { remote, problem } = view.remotes.look(clusterKeyOf(machine));
  const node = remote === undefined ? undefined : nodeOf(remote, machine);
  if (node === undefined && machine.status?.nodeRef === undefined) return undefined;
  const target = targetOf(view, machine);
  return { remote, problem, node, infrastructure: await readIfThere(target.resource, target.key, context) };
};

/** By name once it is bound: a Node that was bound is this Machine's whatever it says by now. */
const nodeOf = (remote: RemoteCluster, machine: Machine): Node | undefined => {
  const name = machine.status?.nodeRef?.name;
  return name === undefined ? findNode(remote, machine) : remote.nodes.get(name);
};

export const cannotReach = (problem: string): FleetError =>
  new FleetError('unavailable', {
    code: 'RemoteClusterDown',
    message: `the cluster of the Node cannot be reached: ${problem}`,
    hint: 'Look at the condition RemoteConnectionProbe of the Cluster.',
  });

const hooksOf = ({ metadata }: Machine, prefix: string): readonly string[] =>
  Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(prefix))
    .sort();

export const awaitPreDrainHooks = (view: CoreView): Step<Machine> => ({
  name: 'pre-drain hooks',
  condition: 'Deleting',
  run: async (machine, context) => {
    const hooks = hooksOf(machine, CORE_ANNOTATIONS.preDrainHook);
    if (hooks.length === 0 || (await findGoverned(view, machine, context)) === undefined) return done();
    const at = machine.status?.deletion?.waitForPreDrainHookStartTime ?? toTimestamp(context.clock.now());
    const message = `Waiting for pre-drain hooks to succeed (hooks: ${hooks.join(',')})`;
    return stop<Machine>({
      status: { phase: 'Deleting', deletion: { ...machine.status?.deletion, waitForPreDrainHookStartTime: at } },
      condition: deleting('WaitingForPreDrainHook', message),
    });
  },
});

export const awaitPreTerminateHooks: Step<Machine> = {
  name: 'pre-terminate hooks',
  condition: 'Deleting',
  run: async (machine, { clock }) => {
    const hooks = hooksOf(machine, CORE_ANNOTATIONS.preTerminateHook);
    if (hooks.length === 0) return done();
    const at = machine.status?.deletion?.waitForPreTerminateHookStartTime ?? toTimestamp(clock.now());
    const message = `Waiting for pre-terminate hooks to succeed (hooks: ${hooks.join(',')})`;
    return stop<Machine>({
      status: { phase: 'Deleting', deletion: { ...machine.status?.deletion, waitForPreTerminateHookStartTime: at } },
      condition: deleting('WaitingForPreTerminateHook', message),
    });
  },
};

export const awaitInfrastructure = (view: CoreView): Step<Machine> => ({
  name: 'infrastructure',
  condition: 'Deleting',
  run: async (machine, context) => {
    const { resource, key } = targetOf(view, machine);
    const followed = view.contracts.follow(resource);
    const found = await readIfThere(resource, key, context);
    if (found === undefined) return done();
    await removeAll(resource, [found], context);
    return awaitEnd<Machine>(followed, found, {
      status: { phase: 'Deleting' },
      condition: deleting('WaitingForInfrastructureDeletion', `Waiting for ${resource.kind} to be deleted`),
    });
  },
});

const NODE_RETRY_MS = 2_000;

/** After the infrastructure is gone: nobody is left to register the Node again. */
export const deleteNode = (view: CoreView): Step<Machine> => ({
  name: 'node',
  condition: 'Deleting',
  run: async (machine, context) => {
    const governed = await findGoverned(view, machine, context);
    if (governed === undefined) return done();
    const { node, remote, problem } = governed;
    if (remote === undefined) return giveUpLate(machine, cannotReach(problem), context.clock.now());
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return done();
    const { name, uid = '' } = node.metadata;
    try {
      await remote.clientFor(context).delete(NODES, { name }, { preconditions: { uid }, signal: context.signal });
      return done();
    } catch (thrown) {
      if (isKind(thrown, 'not-found', 'conflict')) return done();
      return giveUpLate(machine, toFleetError(thrown), context.clock.now());
    }
  },
});

/** 0 or absent is for ever. */
const giveUpLate = (machine: Machine, error: FleetError, nowMs: number) => {
  const timeoutMs = (machine.spec.deletion?.nodeDeletionTimeoutSeconds ?? 0) * 1_000;
  const sinceMs = parseTimestamp(machine.metadata.deletionTimestamp) ?? nowMs;
  const told = {
    type: 'Warning',
    reason: 'FailedDeleteNode',
    message: `error deleting Machine's Node: ${error.message}`,
  } as const;
  if (timeoutMs > 0 && nowMs >= sinceMs + timeoutMs) return done<Machine>({ events: [told] });
  return wait<Machine>(NODE_RETRY_MS, { events: [told], condition: deleting('DeletingNode', error.message) });
};
