/**
 * Which Node may read what: the objects that Pods bound to it refer to. Kept up to date Pod by Pod, so that a question is
 * one look into a map. A mirror Pod refers to nothing: the Node wrote it itself.
 */
import { isRecord } from '../../../base/json.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import type { Store } from '../../store/store.ts';
import { referencesOf } from './pod-references.ts';

/** Kinds that a Node reaches through its Pods, and the Pods themselves. */
export type ReachedKind = 'pods' | 'secrets' | 'configmaps' | 'serviceaccounts' | 'persistentvolumeclaims';

export interface Reached {
  readonly kind: ReachedKind;
  readonly namespace: string;
  readonly name: string;
}

export interface NodeGraph {
  isReached(nodeName: string, object: Reached): boolean;
}

const PODS = '/pods';
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export const createNodeGraph = (store: Store): NodeGraph => {
  /** How many Pods of a Node refer to an object, by object, then by Node. */
  const counts = new Map<string, Map<string, number>>();

  const count = (pod: StoredObject, step: 1 | -1): void => {
    const { nodeName } = fieldsOf(pod['spec']);
    if (typeof nodeName !== 'string' || nodeName === '') return;
    for (const object of reachedBy(pod)) {
      const key = renderReached(object);
      const nodes = counts.get(key) ?? new Map<string, number>();
      counts.set(key, nodes);
      const next = (nodes.get(nodeName) ?? 0) + step;
      if (next > 0) nodes.set(nodeName, next);
      else nodes.delete(nodeName);
      if (nodes.size === 0) counts.delete(key);
    }
  };

  for (const { object } of store.list(PODS)) count(object, 1);
  store.subscribe(PODS, ({ type, entry, previous }) => {
    if (previous !== undefined) count(previous.object, -1);
    if (type !== 'DELETED') count(entry.object, 1);
  });

  return { isReached: (nodeName, object) => counts.get(renderReached(object))?.has(nodeName) === true };
};

const renderReached = ({ kind, namespace, name }: Reached): string => `${kind}/${namespace}/${name}`;

const reachedBy = (pod: StoredObject): readonly Reached[] => {
  const { name, namespace = '', annotations } = pod.metadata;
  const itself: Reached = { kind: 'pods', namespace, name };
  if (isRecord(annotations) && Object.hasOwn(annotations, MIRROR_ANNOTATION)) return [itself];
  return [itself, ...referencesOf(pod).map((reference): Reached => ({ ...reference, namespace }))];
};
