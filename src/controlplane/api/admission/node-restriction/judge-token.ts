/** A Node asks for tokens of its own Pods only, and only for audiences that the Pod's volumes name. */
import { isRecord } from '../../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../../store/object.ts';
import { findPod, nodeOf } from './judge-pod.ts';
import type { Judge } from './verdict.ts';

export const judgeToken: Judge = (write, nodeName, deps) => {
  if (write.operation !== 'CREATE' || write.subresource !== 'token') return undefined;
  const { boundObjectRef, audiences } = fieldsOf(write.object?.['spec']);
  const { apiVersion, kind, name, uid } = fieldsOf(boundObjectRef);
  if (apiVersion !== 'v1' || kind !== 'Pod' || typeof name !== 'string' || name === '') {
    return 'node requested token not bound to a pod';
  }
  if (typeof uid !== 'string' || uid === '') return 'node requested token with a pod binding without a uid';
  const pod = findPod(deps.store, { namespace: write.namespace, name });
  if (uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (nodeOf(pod) !== nodeName) return 'node requested token bound to a pod scheduled on a different node';
  const asked = Array.isArray(audiences) ? audiences.map(String) : [];
  return judgeAudiences(asked, pod, { write, deps });
};

type Scene = { readonly write: Parameters<Judge>[0]; readonly deps: Parameters<Judge>[2] };

const judgeAudiences = (
  audiences: readonly string[],
  pod: StoredObject,
  { write, deps }: Scene,
): string | undefined => {
  const [audience = '', ...more] = audiences;
  if (more.length > 0) return 'node may only request 0 or 1 audiences';
  if (audiencesOf(pod).includes(audience)) return undefined;
  const { user, namespace, name } = write;
  const { isAllowed } = deps.authorize({
    ...{ on: 'resource', user, verb: 'request-serviceaccounts-token-audience', group: '', version: 'v1' },
    ...{ resource: audience, subresource: '', namespace, name, fields: [] },
  });
  if (isAllowed) return undefined;
  return `audience "${audience}" not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
};

/** An absent audience is the API server's, which is asked for by the empty one. */
const audiencesOf = (pod: StoredObject): readonly string[] =>
  recordsIn(fieldsOf(pod['spec'])['volumes'])
    .flatMap((volume) => recordsIn(fieldsOf(volume['projected'])['sources']))
    .flatMap(({ serviceAccountToken: token }) => (isRecord(token) ? [String(token['audience'] ?? '')] : []));

const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
