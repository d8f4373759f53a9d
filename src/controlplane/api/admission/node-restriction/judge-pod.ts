/** A Node creates mirror Pods of its own, deletes and evicts what is bound to it, and reports on that. */
import { isEqualJson, isRecord } from '../../../../base/json.ts';
import { NODES, PODS } from '../../../../kube/types/core.ts';
import { MIRROR_ANNOTATION } from '../../../auth/node/node-graph.ts';
import { apiReferenceOf } from '../../../auth/node/pod-references.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../../store/object.ts';
import { keyFor, type Store } from '../../../store/store.ts';
import type { Write } from '../../gate.ts';
import { notFound } from '../../refusal.ts';
import type { Judge } from './verdict.ts';

export const judgePod: Judge = (write, nodeName, deps) => {
  switch (write.subresource) {
    case '':
      return judgeItself(write, nodeName, deps);
    case 'status':
      return judgeStatus(write, nodeName, deps);
    case 'eviction':
      return judgeEviction(write, nodeName, deps);
    default:
      return `unexpected pod subresource "${write.subresource}", only 'status' and 'eviction' are allowed`;
  }
};

const judgeItself: Judge = (write, nodeName, { store }) => {
  switch (write.operation) {
    case 'CREATE':
      return judgeCreate(write.object ?? {}, nodeName, store);
    case 'DELETE':
      if (nodeOf(findPod(store, write)) === nodeName) return undefined;
      return `node "${nodeName}" can only delete pods with spec.nodeName set to itself`;
    default:
      return `unexpected operation "${write.operation}", node "${nodeName}" can only create and delete mirror pods`;
  }
};

export const findPod = (store: Store, { namespace, name }: Pick<Write, 'namespace' | 'name'>): StoredObject => {
  const pod = store.get('/pods', keyFor(namespace, name))?.object;
  if (pod === undefined) throw notFound(PODS, name);
  return pod;
};

export const nodeOf = (pod: Fields): unknown => fieldsOf(pod['spec'])['nodeName'];

const judgeCreate = (pod: Fields, nodeName: string, store: Store): string | undefined => {
  const { annotations, ownerReferences: owners } = fieldsOf(pod['metadata']);
  if (!Object.hasOwn(fieldsOf(annotations), MIRROR_ANNOTATION)) {
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${nodeName}" can only create mirror pods`;
  }
  if (nodeOf(pod) !== nodeName) return `node "${nodeName}" can only create pods with spec.nodeName set to itself`;
  const [owner, ...more] = Array.isArray(owners) ? owners.filter(isRecord) : [];
  if (more.length > 0) return `node "${nodeName}" can only create pods with a single owner reference set to itself`;
  const fault = ownerFault(owner, nodeName) ?? uidFault(owner, nodeName, store);
  if (fault !== undefined) return fault;
  const named = apiReferenceOf(pod);
  return named === undefined ? undefined : `node "${nodeName}" can not create pods that reference ${named}`;
};

const ownerFault = (owner: Fields | undefined, nodeName: string): string | undefined => {
  const isItself = owner?.['apiVersion'] === 'v1' && owner['kind'] === 'Node' && owner['name'] === nodeName;
  if (!isItself) return `node "${nodeName}" can only create pods with an owner reference set to itself`;
  if (owner['controller'] !== true) {
    return `node "${nodeName}" can only create pods with a controller owner reference set to itself`;
  }
  if (owner['blockOwnerDeletion'] !== true) return undefined;
  return `node "${nodeName}" must not set blockOwnerDeletion on an owner reference`;
};

const uidFault = (owner: Fields | undefined, nodeName: string, store: Store): string | undefined => {
  const node = store.get('/nodes', keyFor(undefined, nodeName))?.object;
  if (node === undefined) throw notFound(NODES, nodeName);
  const uid = owner?.['uid'];
  if (uid === node.metadata.uid) return undefined;
  return `node ${nodeName} UID mismatch: expected ${String(uid)} got ${node.metadata.uid}`;
};

const judgeStatus: Judge = ({ operation, object, old }, nodeName) => {
  if (operation !== 'UPDATE' || old === undefined) return `unexpected operation "${operation}"`;
  if (nodeOf(old) !== nodeName) {
    return `node "${nodeName}" can only update pod status for pods with spec.nodeName set to itself`;
  }
  const { labels = {} } = fieldsOf(object?.['metadata']);
  if (!isEqualJson(labels, old.metadata.labels ?? {})) {
    return `node "${nodeName}" cannot update labels through pod status`;
  }
  const [status, oldStatus] = [fieldsOf(object?.['status']), fieldsOf(old['status'])];
  if (!isEqualJson(status['resourceClaimStatuses'] ?? [], oldStatus['resourceClaimStatuses'] ?? [])) {
    return `node "${nodeName}" cannot update resource claim statues`;
  }
  if (isEqualJson(status['extendedResourceClaimStatus'], oldStatus['extendedResourceClaimStatus'])) return undefined;
  return `node "${nodeName}" cannot update extended resource claim status`;
};

const judgeEviction: Judge = (write, nodeName, { store }) => {
  if (write.operation !== 'CREATE') return `unexpected operation ${write.operation}`;
  if (nodeOf(findPod(store, write)) === nodeName) return undefined;
  return `node ${nodeName} can only evict pods with spec.nodeName set to itself`;
};
