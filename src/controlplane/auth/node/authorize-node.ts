/**
 * Authorization of Nodes: an agent may act on its own Node and Lease, and read what its Pods refer to. Written down by
 * resource; whatever is not listed here is a plain rule of the role `system:node`.
 */
import type { Attempt, ResourceAttempt } from '../attempt.ts';
import { type Authorize, allowed, type Decision, noOpinion } from '../decision.ts';
import { type PolicyRule, ruleAllows } from '../rbac/policy-rule.ts';
import { nodeNameOf } from '../user.ts';
import type { NodeGraph, ReachedKind } from './node-graph.ts';

export const NODE_LEASE_NAMESPACE = 'kube-node-lease';

export interface NodeAuthorizerDeps {
  readonly graph: NodeGraph;
  /** Of the role `system:node`. */
  readonly rules: readonly PolicyRule[];
}

type Judge = (attempt: ResourceAttempt, nodeName: string, graph: NodeGraph) => Decision;

export const createNodeAuthorizer =
  ({ graph, rules }: NodeAuthorizerDeps): Authorize =>
  (attempt) => {
    const nodeName = nodeNameOf(attempt.user);
    if (nodeName === undefined) return noOpinion();
    if (nodeName === '') return noOpinion(`unknown node for user "${attempt.user.name}"`);
    const judge = judgeOf(attempt);
    if (judge !== undefined && attempt.on === 'resource') return judge(attempt, nodeName, graph);
    return rules.some((rule) => ruleAllows(rule, attempt)) ? allowed() : noOpinion();
  };

const judgeOf = (attempt: Attempt): Judge | undefined =>
  attempt.on === 'resource' ? JUDGES.get(`${attempt.group}/${attempt.resource}`) : undefined;

/** Through a Pod that is bound to this Node. */
const throughPods =
  (kind: ReachedKind): Judge =>
  ({ namespace, name }, nodeName, graph) => {
    if (name === '') return noOpinion('No Object name found');
    if (graph.isReached(nodeName, { kind, namespace, name })) return allowed();
    return noOpinion(`no relationship found between node '${nodeName}' and this object`);
  };

const readable =
  (kind: ReachedKind): Judge =>
  (attempt, nodeName, graph) => {
    const { verb, subresource, namespace } = attempt;
    if (!['get', 'list', 'watch'].includes(verb)) return noOpinion('can only read resources of this type');
    if (subresource !== '') return noOpinion('cannot read subresource');
    if (namespace === '') return noOpinion('can only read namespaced object of this type');
    return throughPods(kind)(attempt, nodeName, graph);
  };

const gettable =
  (kind: ReachedKind): Judge =>
  (attempt, nodeName, graph) => {
    if (attempt.verb !== 'get') return noOpinion('can only get individual resources of this type');
    if (attempt.subresource !== '') return noOpinion('cannot get subresource');
    return throughPods(kind)(attempt, nodeName, graph);
  };

const onClaim: Judge = (attempt, nodeName, graph) => {
  if (attempt.subresource !== 'status') return gettable('persistentvolumeclaims')(attempt, nodeName, graph);
  if (!['update', 'patch'].includes(attempt.verb)) return noOpinion('can only get/update/patch this type');
  return throughPods('persistentvolumeclaims')(attempt, nodeName, graph);
};

const onServiceAccount: Judge = (attempt, nodeName, graph) => {
  const { verb, subresource, name } = attempt;
  if (verb === 'get' && subresource === '') return readable('serviceaccounts')(attempt, nodeName, graph);
  if (verb !== 'create' || name === '') return noOpinion('can only create tokens for individual service accounts');
  if (subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
  return throughPods('serviceaccounts')(attempt, nodeName, graph);
};

const onLease: Judge = ({ verb, namespace, name }, nodeName) => {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(verb)) {
    return noOpinion('can only get, create, update, patch, or delete a node lease');
  }
  if (namespace !== NODE_LEASE_NAMESPACE) {
    return noOpinion(`can only access leases in the "${NODE_LEASE_NAMESPACE}" system namespace`);
  }
  if (verb !== 'create' && name !== nodeName) {
    return noOpinion('can only access node lease with the same name as the requesting node');
  }
  return allowed();
};

const onNode: Judge = ({ verb, subresource, name }, nodeName) => {
  const isWrite = ['update', 'patch'].includes(verb);
  if (subresource === 'status') return isWrite ? allowed() : noOpinion();
  if (subresource !== '') return noOpinion();
  if (verb === 'create' || isWrite) return allowed();
  if (!['get', 'list', 'watch'].includes(verb)) return noOpinion();
  if (name === nodeName) return allowed();
  if (name === '') return noOpinion(`node '${nodeName}' cannot read all nodes, only its own Node object`);
  return noOpinion(`node '${nodeName}' cannot read '${name}', only its own Node object`);
};

const onPod: Judge = (attempt, nodeName, graph) => {
  const { verb, subresource } = attempt;
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? allowed() : noOpinion();
  if (subresource === 'eviction') return verb === 'create' ? allowed() : noOpinion();
  if (subresource !== '') return noOpinion();
  switch (verb) {
    case 'get':
      return gettable('pods')(attempt, nodeName, graph);
    case 'list':
    case 'watch':
      return listPods(attempt, nodeName, graph);
    case 'create':
    case 'delete':
      return allowed();
    default:
      return noOpinion();
  }
};

const listPods: Judge = (attempt, nodeName, graph) => {
  if (attempt.fields.some(({ field, value }) => field === 'spec.nodeName' && value === nodeName)) return allowed();
  if (attempt.name !== '') return throughPods('pods')(attempt, nodeName, graph);
  return noOpinion('can only list/watch pods with spec.nodeName field selector');
};

/** Storage that this control plane does not serve: no Pod leads to it. */
const unreached: Judge = (attempt, nodeName) => {
  if (attempt.verb !== 'get') return noOpinion('can only get individual resources of this type');
  if (attempt.subresource !== '') return noOpinion('cannot get subresource');
  if (attempt.name === '') return noOpinion('No Object name found');
  return noOpinion(`no relationship found between node '${nodeName}' and this object`);
};

const JUDGES: ReadonlyMap<string, Judge> = new Map([
  ['/secrets', readable('secrets')],
  ['/configmaps', readable('configmaps')],
  ['/persistentvolumeclaims', onClaim],
  ['/persistentvolumes', unreached],
  ['storage.k8s.io/volumeattachments', unreached],
  ['resource.k8s.io/resourceclaims', unreached],
  ['/serviceaccounts', onServiceAccount],
  ['coordination.k8s.io/leases', onLease],
  ['/nodes', onNode],
  ['/pods', onPod],
]);
