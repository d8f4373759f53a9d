/** What a Node gets from its Machine: labels and annotations of certain domains, whose it is, and two taints. Pure. */
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import type { Node } from '../../kube/types/core.ts';
import { controllerOf } from '../core/owner-references.ts';
import { CORE_ANNOTATIONS, CORE_TAINTS, type Machine } from './machine-kinds.ts';

type Strings = Readonly<Record<string, string>>;

const NODE_DOMAIN = 'node.cluster.x-k8s.io';
const LABEL_DOMAINS = ['node-restriction.kubernetes.io', NODE_DOMAIN];
const ROLE_DOMAIN = 'node-role.kubernetes.io';

/** `a.b/c` is in the domain `b` and in `a.b`. */
const isIn = (key: string, wanted: string): boolean => {
  const [domain = ''] = key.split('/');
  return domain === wanted || domain.endsWith(`.${wanted}`);
};

const isCopiedLabel = (key: string): boolean =>
  key.startsWith(`${ROLE_DOMAIN}/`) || LABEL_DOMAINS.some((domain) => isIn(key, domain));

const isCopiedAnnotation = (key: string): boolean => isIn(key, NODE_DOMAIN);

/** Takes over what is wanted now, and takes away what an earlier look gave and nobody wants any more. */
const follow = (
  held: Strings,
  {
    wanted,
    earlier,
    isCopied,
  }: { readonly wanted: Strings; readonly earlier: string; readonly isCopied: (key: string) => boolean },
): { readonly after: Strings; readonly given: string } => {
  const copied = Object.fromEntries(Object.entries(wanted).filter(([key]) => isCopied(key)));
  const dropped = earlier.split(',').filter((key) => isCopied(key) && !(key in copied));
  const kept = Object.fromEntries(Object.entries(held).filter(([key]) => !dropped.includes(key)));
  return { after: { ...kept, ...copied }, given: Object.keys(copied).sort().join(',') };
};

/** The merge patch that brings a Node in line with its Machine, or undefined when it is. */
export const planNodePatch = (
  machine: Machine,
  node: Node,
  revision: 'current' | 'outdated' = 'current',
): { readonly metadata: object; readonly spec?: object } | undefined => {
  const { labels = {}, annotations = {}, uid, resourceVersion } = node.metadata;
  const { labelsFromMachine, annotationsFromMachine } = CORE_ANNOTATIONS;
  const byLabel = follow(labels, {
    ...{ wanted: machine.metadata.labels ?? {}, earlier: annotations[labelsFromMachine] ?? '' },
    isCopied: isCopiedLabel,
  });
  const byAnnotation = follow(annotations, {
    ...{ wanted: machine.metadata.annotations ?? {}, earlier: annotations[annotationsFromMachine] ?? '' },
    isCopied: isCopiedAnnotation,
  });
  const told = { ...byAnnotation.after, ...renderOwner(machine) };
  const given = { [labelsFromMachine]: byLabel.given, [annotationsFromMachine]: byAnnotation.given };
  const labelPatch = diffMerge(labels, byLabel.after);
  const annotationPatch = diffMerge(annotations, { ...told, ...given });
  const taints = planTaints(node, revision);
  if (labelPatch === undefined && annotationPatch === undefined && taints === undefined) return undefined;
  return {
    metadata: {
      uid,
      // A list is replaced as a whole: others write taints too.
      ...(taints !== undefined && { resourceVersion }),
      ...(labelPatch !== undefined && { labels: labelPatch }),
      ...(annotationPatch !== undefined && { annotations: annotationPatch }),
    },
    ...(taints !== undefined && { spec: { taints } }),
  };
};

const renderOwner = (machine: Machine): Strings => {
  const owner = controllerOf(machine);
  return {
    [CORE_ANNOTATIONS.clusterName]: machine.spec.clusterName,
    [CORE_ANNOTATIONS.clusterNamespace]: machine.metadata.namespace ?? '',
    [CORE_ANNOTATIONS.machine]: machine.metadata.name,
    ...(owner !== undefined && { [CORE_ANNOTATIONS.ownerKind]: owner.kind, [CORE_ANNOTATIONS.ownerName]: owner.name }),
  };
};

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;

/** Undefined when the Node has the taints that it shall have. */
const planTaints = ({ spec }: Node, revision: 'current' | 'outdated'): Taints | undefined => {
  const held = spec?.taints ?? [];
  const others = held.filter(({ key }) => key !== CORE_TAINTS.uninitialized && key !== CORE_TAINTS.outdated);
  const known = held.filter(({ key }) => key === CORE_TAINTS.outdated);
  const outdated: Taints = [{ key: CORE_TAINTS.outdated, effect: 'PreferNoSchedule' }];
  const wanted = revision === 'outdated' ? [...others, ...(known.length > 0 ? known : outdated)] : others;
  const isSame = held.length === wanted.length && wanted.every((taint) => held.includes(taint));
  return isSame ? undefined : wanted;
};
