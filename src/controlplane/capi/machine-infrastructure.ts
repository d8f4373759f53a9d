/** A Machine's infrastructure: owned by it, and mirrored for as long as both live. It is never made here, nor made anew (clone-infrastructure.ts). */

import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, type StepResult, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { keyOf, type ObjectKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { controllerOf, referToController } from '../core/owner-references.ts';
import { type ContractObject, resolveResource } from './contract-objects.ts';
import type { CoreView } from './core-view.ts';
import type { Machine } from './machine-kinds.ts';

const CONDITION = 'InfrastructureReady';

interface InfrastructureTarget {
  readonly resource: Resource<ContractObject>;
  readonly key: ObjectKey;
}

export const targetOf = ({ definitions }: CoreView, { metadata, spec }: Machine): InfrastructureTarget => ({
  resource: resolveResource(definitions.list(), spec.infrastructureRef),
  key: { namespace: metadata.namespace ?? '', name: spec.infrastructureRef.name },
});

export const ensureInfrastructure = (view: CoreView): Step<Machine> => ({
  name: 'infrastructure',
  condition: CONDITION,
  run: async (machine, context) => {
    const target = targetOf(view, machine);
    view.contracts.follow(target.resource);
    const found = await readIfThere(target.resource, target.key, context);
    if (found !== undefined) {
      const owned = await takeOver(machine, { resource: target.resource, found }, context);
      return mirror(machine, owned, target.resource.kind);
    }
    if (machine.status?.initialization?.infrastructureProvisioned === true) {
      const message = `${target.resource.kind} has been deleted while the Machine still exists`;
      return done({ condition: { type: CONDITION, status: 'False', reason: 'ObjectDeleted', message } });
    }
    return stop<Machine>({
      condition: {
        type: CONDITION,
        status: 'False',
        reason: 'ObjectDoesNotExist',
        message: `${target.resource.kind} does not exist`,
      },
      status: { phase: 'Pending' },
    });
  },
});

/**
 * Whoever made the object may have owned it until now: a set, while there was no Machine yet. Owners of other kinds stay.
 * Returns the object as it is from now on.
 */
const takeOver = async (
  machine: Machine,
  { resource, found }: { readonly resource: Resource<ContractObject>; readonly found: ContractObject },
  { kube, signal }: ReconcileContext,
): Promise<ContractObject> => {
  const own = referToController(CLUSTER_API_RESOURCES.machines, machine);
  const { uid, resourceVersion, labels, ownerReferences = [] } = found.metadata;
  const others = ownerReferences.filter((owner) => owner.uid !== own.uid && owner.kind !== MACHINE_SET);
  const isOwn = ownerReferences.length === others.length + 1 && controllerOf(found)?.uid === own.uid;
  const label = { [CLUSTER_API_LABELS.clusterName]: machine.spec.clusterName };
  if (isOwn && labels?.[CLUSTER_API_LABELS.clusterName] === machine.spec.clusterName) return found;
  const body = { metadata: { uid, resourceVersion, labels: label, ownerReferences: [...others, own] } };
  return kube.patch(resource, keyOf(found), { type: 'merge', body }, { signal });
};

const MACHINE_SET = CLUSTER_API_RESOURCES.machineSets.kind;

/** What the object says of itself, told on the Machine. Once provisioned, always provisioned. */
const mirror = (machine: Machine, found: ContractObject, kind: string): StepResult<Machine> => {
  const { initialization, addresses, failureDomain } = found.status ?? {};
  const condition = mirrorReady(found, kind);
  const wasProvisioned = machine.status?.initialization?.infrastructureProvisioned === true;
  const { providerID = '' } = found.spec ?? {};
  if (!wasProvisioned && (initialization?.provisioned !== true || providerID === '')) {
    return stop({ condition, status: { phase: 'Provisioning' } });
  }
  return done({
    condition,
    ...(providerID === '' ? {} : { spec: { providerID } }),
    status: {
      phase: machine.status?.nodeRef === undefined ? 'Provisioned' : 'Running',
      initialization: { ...machine.status?.initialization, infrastructureProvisioned: true },
      ...(addresses === undefined ? {} : { addresses }),
      ...(failureDomain === undefined ? {} : { failureDomain }),
    },
  });
};

const mirrorReady = ({ metadata, status }: ContractObject, kind: string): ConditionReport => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (metadata.deletionTimestamp !== undefined) {
    const message = ready?.message || `${kind} is being deleted`;
    return { type: CONDITION, status: 'False', reason: 'Deleting', message };
  }
  if (ready !== undefined) {
    return { type: CONDITION, status: ready.status, reason: ready.reason, message: ready.message };
  }
  return status?.initialization?.provisioned === true
    ? { type: CONDITION, status: 'True', reason: 'Ready', message: '' }
    : { type: CONDITION, status: 'False', reason: 'NotReady', message: `${kind} is not provisioned` };
};

/** What the infrastructure of a Machine that is being deleted still says. */
export const followInfrastructure = (view: CoreView): Step<Machine> => ({
  name: 'infrastructure state',
  condition: CONDITION,
  run: async (machine, context) => {
    const { resource, key } = targetOf(view, machine);
    const found = await readIfThere(resource, key, context);
    if (found !== undefined) return done({ condition: mirrorReady(found, resource.kind) });
    const wasProvisioned = machine.status?.initialization?.infrastructureProvisioned === true;
    const reason = wasProvisioned ? 'ObjectDeleted' : 'ObjectDoesNotExist';
    const message = `${resource.kind} ${wasProvisioned ? 'has been deleted' : 'does not exist'}`;
    return done({ condition: { type: CONDITION, status: 'False', reason, message } });
  },
});
