/** POST pods/eviction: a delete that the budget of the Pod must allow. */
import { toTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { type Entry, keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, findEntry } from '../call.ts';
import type { ApiResponse } from '../http.ts';
import { ApiRefusal } from '../refusal.ts';
import { matchesSelector } from '../selectors.ts';
import { deleteEntry } from './delete.ts';
import { type Deletion, parseDeletion } from './delete-options.ts';
import { admitBody, success } from './subresources.ts';

const BUDGETS = 'policy/poddisruptionbudgets';
const RETRY_SECONDS = 10;

export const evictPod = (deps: ApiDeps, call: Call): ApiResponse => {
  const entry = findEntry(deps, call);
  const deletion = parseDeletion(call, fieldsOf(admitBody(deps, call)['deleteOptions']));
  const budget = isFreeToGo(entry.object) ? undefined : findBudget(deps, entry.object);
  if (budget !== undefined && !isAllowedWithoutBudget(budget.object, entry.object))
    spend(deps, budget, { entry, deletion });
  deleteEntry(deps, { kind: call.kind, entry: markDisrupted(deps, call, { entry, deletion }) }, deletion);
  return success(201);
};

/** Pods that serve nobody any more, or not yet. */
const isFreeToGo = (pod: StoredObject): boolean =>
  pod.metadata.deletionTimestamp !== undefined ||
  ['Succeeded', 'Failed', 'Pending'].includes(String(fieldsOf(pod['status'])['phase']));

const findBudget = ({ store }: ApiDeps, pod: StoredObject): Entry | undefined => {
  const { namespace, labels = {} } = pod.metadata;
  const found = store.list(BUDGETS).filter(({ object }) => {
    const { selector } = fieldsOf(object['spec']);
    return object.metadata.namespace === namespace && isRecord(selector) && matchesSelector(selector, labels);
  });
  if (found.length <= 1) return found[0];
  throw new ApiRefusal(
    'InternalError',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  );
};

const isReady = (pod: StoredObject): boolean => {
  const { conditions } = fieldsOf(pod['status']);
  const list = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  return list.some((one) => one['type'] === 'Ready' && one['status'] === 'True');
};

/** A Pod that is not ready is not counted; its budget decides whether that lets it go. */
const isAllowedWithoutBudget = (budget: StoredObject, pod: StoredObject): boolean => {
  if (isReady(pod)) return false;
  if (fieldsOf(budget['spec'])['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = fieldsOf(budget['status']);
  return Number(currentHealthy) >= Number(desiredHealthy) && Number(desiredHealthy) > 0;
};

interface Eviction {
  readonly entry: Entry;
  readonly deletion: Deletion;
}

/** Takes one disruption from the budget, or refuses. */
const spend = (
  { store, clock }: ApiDeps,
  { object: budget, collection }: Entry,
  { entry, deletion }: Eviction,
): void => {
  const status = fieldsOf(budget['status']);
  const allowed = Number(status['disruptionsAllowed'] ?? 0);
  const { name, generation = 0 } = budget.metadata;
  if (Number(status['observedGeneration'] ?? 0) < generation) {
    throw refuse(`The disruption budget ${name} is still being processed by the server.`, RETRY_SECONDS);
  }
  if (allowed <= 0) {
    const [needs, has] = [Number(status['desiredHealthy'] ?? 0), Number(status['currentHealthy'] ?? 0)];
    throw refuse(
      has <= needs
        ? `The disruption budget ${name} needs ${needs} healthy pods and has ${has} currently`
        : `The disruption budget ${name} does not allow evicting pods currently`,
    );
  }
  if (deletion.dryRun === 'yes') return;
  const disruptedPods = {
    ...fieldsOf(status['disruptedPods']),
    [entry.object.metadata.name]: toTimestamp(clock.now()),
  };
  store.put(collection, { ...budget, status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods } });
};

const refuse = (why: string, retryAfterSeconds?: number): ApiRefusal =>
  new ApiRefusal('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

/** The Pod says why it ends. One that goes at once has nobody left to tell. */
const markDisrupted = ({ store, clock }: ApiDeps, call: Call, { entry, deletion }: Eviction): Entry => {
  const { object } = entry;
  const { namespace, name, deletionTimestamp } = object.metadata;
  if (deletion.dryRun === 'yes' || deletionTimestamp !== undefined) return entry;
  const status = fieldsOf(object['status']);
  const others = Array.isArray(status['conditions'])
    ? status['conditions'].filter((one) => fieldsOf(one)['type'] !== 'DisruptionTarget')
    : [];
  const target = {
    ...{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    lastTransitionTime: toTimestamp(clock.now()),
  };
  store.put(collectionFor(call), { ...object, status: { ...status, conditions: [...others, target] } });
  return store.get(collectionFor(call), keyFor(namespace, name)) ?? entry;
};
