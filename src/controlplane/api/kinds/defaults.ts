/** What clients of the built-in kinds may leave out. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';

export type FillDefaults = (object: StoredObject) => StoredObject;

/** Fields of spec that are set when left out. */
export const specDefaults =
  (defaults: Fields): FillDefaults =>
  (object) => ({ ...object, spec: { ...defaults, ...fieldsOf(object['spec']) } });

const mapList = (value: unknown, map: (item: Fields) => Fields): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isRecord(item) ? map(item) : item)) : value;

const POD_DEFAULTS = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
} as const;

/** An image without a tag, or with the tag latest, is looked up each time. */
const pullPolicyOf = (image: unknown): string => {
  const text = String(image ?? '');
  if (text.includes('@')) return 'IfNotPresent';
  const tag = /:([^:/]+)$/.exec(text)?.[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
};

const withProbeDefaults = (container: Fields): Fields => {
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) => {
    const probe = container[name];
    if (!isRecord(probe)) return [];
    const defaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    return [[name, { ...defaults, ...probe }]];
  });
  return { ...container, ...Object.fromEntries(probes) };
};

/** What is limited and not asked for is asked for as much as the limit. */
const withRequests = (resources: unknown): Fields => {
  const given = fieldsOf(resources);
  const { limits, requests } = given;
  return isRecord(limits) ? { ...given, requests: { ...limits, ...fieldsOf(requests) } } : given;
};

const fillContainer = (container: Fields): Fields => {
  const { ports } = container;
  return withProbeDefaults({
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicyOf(container['image']),
    ...container,
    resources: withRequests(container['resources']),
    ...(ports !== undefined && { ports: mapList(ports, (port) => ({ protocol: 'TCP', ...port })) }),
  });
};

const fillVolume = (volume: Fields): Fields => {
  const withMode = (name: string, mode: number): Fields => {
    const source = volume[name];
    return isRecord(source) ? { [name]: { defaultMode: mode, ...source } } : {};
  };
  return {
    ...volume,
    ...withMode('secret', 0o644),
    ...withMode('configMap', 0o644),
    ...withMode('downwardAPI', 0o644),
    ...withMode('projected', 0o644),
  };
};

/** The deprecated name and the current one of the ServiceAccount say the same. */
const serviceAccountOf = (spec: Fields): Fields => {
  const name = spec['serviceAccountName'] ?? spec['serviceAccount'];
  return name === undefined || name === '' ? {} : { serviceAccountName: name, serviceAccount: name };
};

const fillPodSpec = (spec: Fields): Fields => ({
  ...POD_DEFAULTS,
  ...spec,
  ...serviceAccountOf(spec),
  containers: mapList(spec['containers'], fillContainer),
  ...(spec['initContainers'] !== undefined && { initContainers: mapList(spec['initContainers'], fillContainer) }),
  ...(spec['volumes'] !== undefined && { volumes: mapList(spec['volumes'], fillVolume) }),
});

export const fillPod: FillDefaults = (object) => ({
  ...object,
  spec: { enableServiceLinks: true, ...fillPodSpec(fieldsOf(object['spec'])) },
});

const fillTemplate = (spec: Fields): Fields => {
  const { template } = spec;
  if (!isRecord(template)) return spec;
  return { ...spec, template: { ...template, spec: fillPodSpec(fieldsOf(template['spec'])) } };
};

const withTemplate =
  (fill: FillDefaults): FillDefaults =>
  (object) => {
    const filled = fill(object);
    return { ...filled, spec: fillTemplate(fieldsOf(filled['spec'])) };
  };

const ROLLING = { maxUnavailable: '25%', maxSurge: '25%' } as const;

const fillStrategy: FillDefaults = (object) => {
  const spec = fieldsOf(object['spec']);
  const { type = 'RollingUpdate', ...strategy } = fieldsOf(spec['strategy']);
  const rolling = type === 'RollingUpdate' && { rollingUpdate: { ...ROLLING, ...fieldsOf(strategy['rollingUpdate']) } };
  return { ...object, spec: { ...spec, strategy: { type, ...strategy, ...rolling } } };
};

const DEPLOYMENT_DEFAULTS = { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 } as const;

export const fillDeployment = withTemplate((object) => fillStrategy(specDefaults(DEPLOYMENT_DEFAULTS)(object)));

export const fillReplicaSet = withTemplate(specDefaults({ replicas: 1 }));

const JOB_DEFAULTS = {
  parallelism: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  manualSelector: false,
  podReplacementPolicy: 'TerminatingOrFailed',
} as const;

/** A Job that says nothing about how often wants one; one that says only how many at a time wants as many as it takes. */
export const fillJob = withTemplate((object) => {
  const spec = fieldsOf(object['spec']);
  const isOnce = spec['completions'] === undefined && spec['parallelism'] === undefined;
  const filled = specDefaults(isOnce ? { ...JOB_DEFAULTS, completions: 1 } : JOB_DEFAULTS)(object);
  const { manualSelector, ...rest } = fieldsOf(filled['spec']);
  return { ...filled, spec: manualSelector === true ? { ...rest, manualSelector } : rest };
});

/** `stringData` is only a way to write `data`. */
export const fillSecret: FillDefaults = (object) => {
  const { stringData, ...rest } = object;
  const encoded = Object.entries(fieldsOf(stringData)).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const data = { ...fieldsOf(rest['data']), ...Object.fromEntries(encoded) };
  return {
    ...rest,
    ...(isRecord(rest['data']) || isRecord(stringData) ? { data } : {}),
    type: rest['type'] || 'Opaque',
  };
};

export const fillNamespace: FillDefaults = (object) => {
  const { metadata } = object;
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  return { ...object, metadata: { ...metadata, labels } };
};

const RBAC = 'rbac.authorization.k8s.io';

/** Subjects and roles are of their usual groups unless they say otherwise. */
export const fillBinding: FillDefaults = (object) => {
  const subjects = mapList(object['subjects'], (subject) => {
    const apiGroup = subject['apiGroup'] ?? (subject['kind'] === 'ServiceAccount' ? '' : RBAC);
    return apiGroup === '' ? subject : { ...subject, apiGroup };
  });
  return {
    ...object,
    roleRef: { apiGroup: RBAC, ...fieldsOf(object['roleRef']) },
    ...(subjects !== undefined && { subjects }),
  };
};

export const fillPriorityClass: FillDefaults = (object) => ({ preemptionPolicy: 'PreemptLowerPriority', ...object });

export const fillPolicy = specDefaults({ failurePolicy: 'Fail' });
