/**
 * The infrastructure of a Machine that a set is about to make: cloned from the set's template before there is the Machine, and made
 * once. What a set made and did not get to make a Machine for is taken away again, as long as no Machine has taken it over.
 */
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { keyOf } from '../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../kube/types/resource.ts';
import { referTo } from '../core/owner-references.ts';
import { removeAll } from './awaited-end.ts';
import { type ContractObject, type ContractTemplate, resolveResource } from './contract-objects.ts';
import type { CoreView } from './core-view.ts';
import { CORE_ANNOTATIONS, type Machine, type MachineSet } from './machine-kinds.ts';

/** As core calls itself when it makes the object: what providers own is never touched. */
const FIELD_MANAGER = 'capi-machineset';

/** Undefined: there is none of that name. */
export const findTemplate = (
  view: CoreView,
  { metadata, spec }: MachineSet,
  context: ReconcileContext,
): Promise<ContractTemplate | undefined> => {
  const reference = spec.template.spec.infrastructureRef;
  const templates = resolveResource<ContractTemplate>(view.definitions.list(), reference);
  view.contracts.follow(templates);
  return readIfThere(templates, { namespace: metadata.namespace ?? '', name: reference.name }, context);
};

const clonesOf = ({ definitions }: CoreView, { spec }: MachineSet): Resource<ContractObject> => {
  const { apiGroup, kind } = spec.template.spec.infrastructureRef;
  return resolveResource(definitions.list(), { apiGroup, kind: kind.replace(/Template$/, '') });
};

export interface Clone {
  /** Not stored yet. */
  readonly machine: Machine;
  readonly template: ContractTemplate;
}

/** Answers how to take it away again. */
export const cloneInfrastructure = async (
  view: CoreView,
  { set, clone }: { readonly set: MachineSet; readonly clone: Clone },
  context: ReconcileContext,
): Promise<() => Promise<void>> => {
  const resource = clonesOf(view, set);
  const object = renderClone(resource, set, clone);
  const patch = { type: 'apply', body: object, force: true } as const;
  const options = { fieldManager: FIELD_MANAGER, signal: context.signal };
  const made = await context.kube.patch(resource, keyOf(object), patch, options);
  return () => removeAll(resource, [made], context);
};

const renderClone = (
  resource: Resource<ContractObject>,
  set: MachineSet,
  { machine, template }: Clone,
): ContractObject => {
  const { metadata = {}, spec = {} } = template.spec.template;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      namespace: machine.metadata.namespace ?? '',
      name: machine.metadata.name,
      labels: {
        ...metadata.labels,
        ...machine.metadata.labels,
        [CLUSTER_API_LABELS.clusterName]: machine.spec.clusterName,
      },
      annotations: {
        ...metadata.annotations,
        ...machine.metadata.annotations,
        [CORE_ANNOTATIONS.clonedFromName]: template.metadata.name,
        [CORE_ANNOTATIONS.clonedFromGroupKind]: `${set.spec.template.spec.infrastructureRef.kind}.${resource.group}`,
      },
      ownerReferences: [referTo(CLUSTER_API_RESOURCES.machineSets, set)],
    },
    spec,
  };
};

/** Whoever was killed between the two objects left one behind. */
export const removeOrphans = async (
  view: CoreView,
  { set, machines }: { readonly set: MachineSet; readonly machines: readonly Machine[] },
  context: ReconcileContext,
): Promise<void> => {
  const resource = clonesOf(view, set);
  const { namespace = '', uid } = set.metadata;
  const { items } = await context.kube.list(resource, { namespace, signal: context.signal });
  const named = new Set(machines.map(({ spec }) => spec.infrastructureRef.name));
  const orphans = items.filter(
    ({ metadata }) =>
      !named.has(metadata.name) && metadata.ownerReferences?.some((owner) => owner.uid === uid) === true,
  );
  for (const orphan of orphans) {
    // A cache may be behind, and what is deleted here is never made again.
    const machine = await readIfThere(CLUSTER_API_RESOURCES.machines, keyOf(orphan), context);
    if (machine === undefined) await removeAll(resource, [orphan], context);
  }
};
