/**
 * The end of a namespace: everything in it is deleted, what is left is told as conditions, and when nothing is left the
 * namespace's own finalizer goes. Woken by what disappears; a kind that nobody follows is looked at again after a while.
 */
import { parseTimestamp, toTimestamp } from '../../../base/clock.ts';
import { isKind } from '../../../base/errors.ts';
import { isEqualJson } from '../../../base/json.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { NAMESPACES, type Namespace } from '../../../kube/types/core.ts';
import { type KubeObject, keyOf } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import { collectionOf, type FollowedKinds } from '../followed-kinds.ts';
import { subjectOf } from '../watch-related.ts';
import { discoverNamespaced } from './discovery.ts';
import { LOOK_MOST_MS, nextLookMs } from './look-pace.ts';
import { type NamespaceCondition, type Remainder, renderConditions } from './namespace-conditions.ts';

export interface EndingNamespace extends Namespace {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly NamespaceCondition[] };
}

export interface NamespaceParts {
  readonly namespaces: Cache<EndingNamespace>;
  readonly kinds: Pick<FollowedKinds, 'subscribe'>;
  /** The longest time between two looks at kinds that nobody follows. */
  readonly looksMostMs?: number;
}

const ENDING_NAMESPACES: Resource<EndingNamespace> = NAMESPACES;
const FINALIZER = 'kubernetes';

export const createNamespaceController = ({
  namespaces,
  kinds,
  looksMostMs = LOOK_MOST_MS,
}: NamespaceParts): Controller =>
  createController({
    name: 'namespaces',
    watches: [
      watchPrimary(namespaces),
      {
        cache: namespaces,
        start: (add) =>
          kinds.subscribe((_cache, change) => {
            const { namespace } = subjectOf(change).metadata;
            if (change.type === 'deleted' && namespace !== undefined && isEnding(namespaces.get(namespace))) {
              add(namespace, 'change');
            }
          }),
      },
    ],
    reconcile: (context) => follow({ namespaces, looksMostMs }, context),
  });

const isEnding = (namespace: EndingNamespace | undefined): namespace is EndingNamespace =>
  namespace?.metadata.deletionTimestamp !== undefined && namespace.spec?.finalizers?.includes(FINALIZER) === true;

const follow = async (
  { namespaces, looksMostMs }: Required<Omit<NamespaceParts, 'kinds'>>,
  context: ReconcileContext,
): Promise<Verdict> => {
  const namespace = namespaces.get(context.key);
  if (!isEnding(namespace)) return { next: 'rest' };
  const { resources, failures } = await discoverNamespaced(context.kube, context.signal);
  const remainders = await emptyKinds(resources, context);
  const conditions = renderConditions(namespace.status?.conditions ?? [], {
    ...{ remainders, failures, at: toTimestamp(context.clock.now()) },
  });
  const told = await tell(namespace, conditions, context);
  if (remainders.length > 0 || failures.length > 0) {
    const now = context.clock.now();
    const endingMs = now - (parseTimestamp(namespace.metadata.deletionTimestamp) ?? now);
    return { next: 'again', afterMs: nextLookMs(endingMs, looksMostMs) };
  }
  const finalizers = (told.spec?.finalizers ?? []).filter((name) => name !== FINALIZER);
  const empty = { ...told, spec: { ...told.spec, finalizers } };
  await context.kube.update(ENDING_NAMESPACES, empty, { subresource: 'finalize', signal: context.signal });
  return { next: 'rest' };
};

const tell = async (
  namespace: EndingNamespace,
  conditions: readonly NamespaceCondition[],
  { kube, signal }: ReconcileContext,
): Promise<EndingNamespace> => {
  if (isEqualJson(namespace.status?.conditions ?? [], conditions)) return namespace;
  const { uid, resourceVersion } = namespace.metadata;
  const body = { metadata: { uid, resourceVersion }, status: { conditions } };
  return kube.patch(ENDING_NAMESPACES, keyOf(namespace), { type: 'merge', body }, { subresource: 'status', signal });
};

const isPods = ({ group, plural }: Resource<KubeObject>): boolean => group === '' && plural === 'pods';

/** Pods go first, and nothing else while one is left: it may need its Secrets and NetworkPolicies to the end. */
const emptyKinds = async (
  resources: readonly Resource<KubeObject>[],
  context: ReconcileContext,
): Promise<readonly Remainder[]> => {
  const remainders: Remainder[] = [];
  for (const resource of resources.filter(isPods)) remainders.push(...(await emptyKind(resource, context)));
  if (remainders.length > 0) return remainders;
  for (const resource of resources) remainders.push(...(await emptyKind(resource, context)));
  return remainders;
};

/** Deletes all objects of a kind, and tells of those that are still there. The list is live: a cache may lag. */
const emptyKind = async (
  resource: Resource<KubeObject>,
  { key, kube, signal }: ReconcileContext,
): Promise<readonly Remainder[]> => {
  const list = () => kube.list(resource, { namespace: key, signal });
  const { items } = await list();
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const object of staying) {
    const { uid = '' } = object.metadata;
    await kube
      .delete(resource, keyOf(object), { preconditions: { uid }, propagationPolicy: 'Background', signal })
      .catch((error: unknown) => {
        if (!isKind(error, 'not-found', 'conflict')) throw error;
      });
  }
  const left = staying.length === 0 ? items : (await list()).items;
  if (left.length === 0) return [];
  const finalizers = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
  return [{ collection: collectionOf(resource), count: left.length, finalizers }];
};
