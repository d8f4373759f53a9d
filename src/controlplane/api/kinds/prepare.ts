/** What the server decides about objects of the built-in kinds, whatever the client says. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import type { WriteScene } from './served-kind.ts';

export type Prepare = (object: StoredObject, scene: WriteScene) => StoredObject;

/** A new Pod has not been looked at by anybody. */
export const preparePod: Prepare = (object, { old }) =>
  old === undefined
    ? { ...object, status: { phase: 'Pending', qosClass: qosClassOf(fieldsOf(object['spec'])) } }
    : object;

const COUNTED = ['cpu', 'memory'];

const qosClassOf = (spec: Fields): string => {
  const lists = [spec['containers'], spec['initContainers']];
  const resources = lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((container) => fieldsOf(fieldsOf(container)['resources']));
  const amounts = (one: Fields, which: string): readonly unknown[] => COUNTED.map((name) => fieldsOf(one[which])[name]);
  const isNothingSaid = resources.every((one) =>
    [...amounts(one, 'requests'), ...amounts(one, 'limits')].every((amount) => amount === undefined),
  );
  if (isNothingSaid) return 'BestEffort';
  const isGuaranteed = resources.every((one) => {
    const limits = amounts(one, 'limits');
    return limits.every(
      (limit, at) => limit !== undefined && String(limit) === String(amounts(one, 'requests')[at] ?? limit),
    );
  });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
};

/** The finalizer that the namespace controller takes away when nothing is left inside. */
const NAMESPACE_FINALIZER = 'kubernetes';

export const prepareNamespace: Prepare = (object, { old }) => {
  const phase = object.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
  const spec = old === undefined ? { ...fieldsOf(object['spec']), finalizers: [NAMESPACE_FINALIZER] } : object['spec'];
  return { ...object, ...(spec !== undefined && { spec }), status: { ...fieldsOf(object['status']), phase } };
};

const JOB_LABELS = ['batch.kubernetes.io/controller-uid', 'controller-uid'] as const;

/** A Job finds its Pods by its own uid, unless it brings a selector. */
export const prepareJob: Prepare = (object, scene) => {
  const spec = fieldsOf(object['spec']);
  if (scene.old !== undefined || spec['manualSelector'] === true || !isRecord(spec['template'])) return object;
  const { uid = '', name } = object.metadata;
  const template = spec['template'];
  const metadata = fieldsOf(template['metadata']);
  const byUid = Object.fromEntries(JOB_LABELS.map((label) => [label, uid]));
  const labels = { ...fieldsOf(metadata['labels']), ...byUid, 'batch.kubernetes.io/job-name': name, 'job-name': name };
  const given = fieldsOf(spec['selector']);
  const selector = { ...given, matchLabels: { ...fieldsOf(given['matchLabels']), [JOB_LABELS[0]]: uid } };
  return { ...object, spec: { ...spec, selector, template: { ...template, metadata: { ...metadata, labels } } } };
};

/** Who asked is what the server saw, not what the request says. A request never changes. */
export const prepareCsr: Prepare = (object, { user, old, subresource, time }) => {
  if (old !== undefined) {
    const status =
      subresource === undefined ? object['status'] : stampConditions(object['status'], old['status'], time);
    return { ...object, spec: old['spec'], ...(status !== undefined && { status }) };
  }
  const asked = {
    username: user.name,
    groups: user.groups,
    ...(user.uid !== undefined && { uid: user.uid }),
    ...(user.extra !== undefined && { extra: user.extra }),
  };
  return { ...object, spec: { ...fieldsOf(object['spec']), ...asked } };
};

/** Conditions of a request say when they were set. */
const stampConditions = (status: unknown, old: unknown, time: string): unknown => {
  const { conditions, ...rest } = fieldsOf(status);
  if (!Array.isArray(conditions)) return status;
  const before = fieldsOf(old)['conditions'];
  const typesBefore = Array.isArray(before) ? before.map((one) => fieldsOf(one)['type']) : [];
  const stamped = conditions.map((one: unknown) => {
    const condition = fieldsOf(one);
    if (typesBefore.includes(condition['type'])) return condition;
    return { lastUpdateTime: time, lastTransitionTime: time, status: 'True', ...condition };
  });
  return { ...rest, conditions: stamped };
};
