/** A Machine's infrastructure: cloned from the template of its set, then mirrored for as long as both live. */

import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, type StepResult, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { ObjectKey } from '../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../kube/types/resource.ts';
import { controllerOf, referToController } from '../core/owner-references.ts';
import { type ContractObject, type ContractTemplate, resolveResource } from './contract-objects.ts';
import type { CoreView } from './core-view.ts';
import { CORE_ANNOTATIONS, type Machine, type MachineSet } from './machine-kinds.ts';

const CONDITION = 'InfrastructureReady';
/** As core calls itself when it makes the object: what providers own is never touched. */
const FIELD_MANAGER = 'capi-machineset';

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
    if (found !== undefined) return mirror(machine, found, target.resource.kind);
    if (machine.status?.initialization?.infrastructureProvisioned === true) {
      const message = `${target.resource.kind} has been deleted while the Machine still exists`;
      return done({ condition: { type: CONDITION, status: 'False', reason: 'Deleted', message } });
    }
    return clone(view, { machine, target }, context);
  },
});

/** A Machine without a set waits until somebody makes the object that it names. */
const clone = async (
  view: CoreView,
  { machine, target }: { readonly machine: Machine; readonly target: InfrastructureTarget },
  context: ReconcileContext,
): Promise<StepResult<Machine>> => {
  const set = setOf(view, machine);
  if (set === undefined) {
    const message = `waiting for ${target.resource.kind} ${target.key.name}`;
    return stop<Machine>({
      condition: { type: CONDITION, status: 'False', reason: 'DoesNotExist', message },
      status: { phase: 'Pending' },
    });
  }
  const reference = set.spec.template.spec.infrastructureRef;
  const templates = resolveResource<ContractTemplate>(view.definitions.list(), reference);
  view.contracts.follow(templates);
  const template = await readIfThere(templates, { ...target.key, name: reference.name }, context);
  if (template === undefined) {
    const message = `${reference.kind} ${reference.name} does not exist`;
    return stop<Machine>({
      condition: { type: CONDITION, status: 'False', reason: 'TemplateDoesNotExist', message },
      status: { phase: 'Pending' },
    });
  }
  const object = renderClone(target.resource, machine, { template, kind: reference.kind });
  const patch = { type: 'apply', body: object, force: true } as const;
  await context.kube.patch(target.resource, target.key, patch, { fieldManager: FIELD_MANAGER, signal: context.signal });
  const message = `${target.resource.kind} was made from template ${reference.name}`;
  return stop<Machine>({
    condition: { type: CONDITION, status: 'False', reason: 'NotReady', message },
    status: { phase: 'Pending' },
  });
};

const setOf = ({ machineSets }: CoreView, machine: Machine): MachineSet | undefined => {
  const controller = controllerOf(machine);
  const set = machineSets.get(`${machine.metadata.namespace}/${controller?.name}`);
  return set?.metadata.uid === controller?.uid ? set : undefined;
};

/** The object that a template makes for this Machine. */
const renderClone = (
  resource: Resource<ContractObject>,
  machine: Machine,
  { template, kind }: { readonly template: ContractTemplate; readonly kind: string },
): ContractObject => {
  const { metadata = {}, spec = {} } = template.spec.template;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      namespace: machine.metadata.namespace ?? '',
      name: machine.spec.infrastructureRef.name,
      labels: {
        ...metadata.labels,
        ...machine.metadata.labels,
        [CLUSTER_API_LABELS.clusterName]: machine.spec.clusterName,
      },
      annotations: {
        ...metadata.annotations,
        [CORE_ANNOTATIONS.clonedFromName]: template.metadata.name,
        [CORE_ANNOTATIONS.clonedFromGroupKind]: `${kind}.${resource.group}`,
      },
      ownerReferences: [referToController(CLUSTER_API_RESOURCES.machines, machine)],
    },
    spec,
  };
};

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
    const message = `${resource.kind} has been deleted`;
    return done({ condition: { type: CONDITION, status: 'False', reason: 'Deleted', message } });
  },
});
