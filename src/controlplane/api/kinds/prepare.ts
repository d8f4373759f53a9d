/** What the server fills into objects of the built-in kinds: the defaults that controllers and agents rely on. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import type { WriteScene } from './served-kind.ts';

export type Prepare = (object: StoredObject, scene: WriteScene) => StoredObject;

/** Fields of spec that are set when left out. */
const specDefaults =
  (defaults: Fields): Prepare =>
  (object) => ({ ...object, spec: { ...defaults, ...fieldsOf(object['spec']) } });

const POD_DEFAULTS = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
} as const;

export const preparePod: Prepare = (object, scene) => {
  const prepared = specDefaults(POD_DEFAULTS)(object, scene);
  return scene.old === undefined ? { ...prepared, status: { phase: 'Pending' } } : prepared;
};

export const prepareNamespace: Prepare = (object) => {
  const { metadata } = object;
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  const phase = metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
  return { ...object, metadata: { ...metadata, labels }, status: { ...fieldsOf(object['status']), phase } };
};

/** `stringData` is only a way to write `data`. */
export const prepareSecret: Prepare = (object) => {
  const { stringData, ...rest } = object;
  const encoded = Object.entries(fieldsOf(stringData)).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const data = { ...fieldsOf(rest['data']), ...Object.fromEntries(encoded) };
  return {
    ...rest,
    ...(isRecord(rest['data']) || isRecord(stringData) ? { data } : {}),
    type: rest['type'] ?? 'Opaque',
  };
};

export const prepareDeployment = specDefaults({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
export const prepareReplicaSet = specDefaults({ replicas: 1 });
export const prepareService = specDefaults({ type: 'ClusterIP', sessionAffinity: 'None' });

const JOB_LABELS = ['batch.kubernetes.io/controller-uid', 'controller-uid'] as const;

/** A Job finds its Pods by its own uid, unless it brings a selector. */
export const prepareJob: Prepare = (object, scene) => {
  const defaults = { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false };
  const prepared = specDefaults(defaults)(object, scene);
  const spec = fieldsOf(prepared['spec']);
  if (scene.old !== undefined || spec['manualSelector'] === true) return prepared;
  const { uid = '', name } = object.metadata;
  const template = fieldsOf(spec['template']);
  const metadata = fieldsOf(template['metadata']);
  const byUid = Object.fromEntries(JOB_LABELS.map((label) => [label, uid]));
  const labels = { ...fieldsOf(metadata['labels']), ...byUid, 'batch.kubernetes.io/job-name': name, 'job-name': name };
  const selector = { matchLabels: { [JOB_LABELS[0]]: uid } };
  return { ...prepared, spec: { ...spec, selector, template: { ...template, metadata: { ...metadata, labels } } } };
};

/** Who asked is what the server saw, not what the request says, and never changes. */
export const prepareCsr: Prepare = (object, { user, old }) => {
  const asked = old === undefined ? { username: user.name, groups: user.groups } : fieldsOf(old['spec']);
  return { ...object, spec: { ...fieldsOf(object['spec']), ...asked } };
};
