/** The objects that a Pod's spec names: what its Node must be able to read, and a mirror Pod must not mention. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';

export interface PodReference {
  readonly kind: 'secrets' | 'configmaps' | 'serviceaccounts' | 'persistentvolumeclaims';
  readonly name: string;
}

/** Volumes that name a Secret, and where. */
const SECRET_VOLUMES: readonly (readonly string[])[] = [
  ['secret', 'secretName'],
  ['azureFile', 'secretName'],
  ...['cephfs', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map((type) => [type, 'secretRef', 'name']),
  ['csi', 'nodePublishSecretRef', 'name'],
];
const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export const referencesOf = (pod: StoredObject): readonly PodReference[] =>
  referencesIn(fieldsOf(pod['spec']), pod.metadata.name);

const referencesIn = (spec: Fields, podName: string): readonly PodReference[] => {
  const containers = CONTAINER_LISTS.flatMap((list) => recordsIn(spec[list]));
  return [
    ...named('serviceaccounts', spec['serviceAccountName']),
    ...recordsIn(spec['imagePullSecrets']).flatMap(({ name }) => named('secrets', name)),
    ...containers.flatMap(inContainer),
    ...recordsIn(spec['volumes']).flatMap((volume) => inVolume(volume, podName)),
  ];
};

const inContainer = ({ env, envFrom }: Fields): readonly PodReference[] => [
  ...recordsIn(env).flatMap(({ valueFrom }) => [
    ...named('secrets', textAt(valueFrom, ['secretKeyRef', 'name'])),
    ...named('configmaps', textAt(valueFrom, ['configMapKeyRef', 'name'])),
  ]),
  ...recordsIn(envFrom).flatMap((source) => [
    ...named('secrets', textAt(source, ['secretRef', 'name'])),
    ...named('configmaps', textAt(source, ['configMapRef', 'name'])),
  ]),
];

const inVolume = (volume: Fields, podName: string): readonly PodReference[] => [
  ...SECRET_VOLUMES.flatMap((path) => named('secrets', textAt(volume, path))),
  ...named('configmaps', textAt(volume, ['configMap', 'name'])),
  ...named('persistentvolumeclaims', textAt(volume, ['persistentVolumeClaim', 'claimName'])),
  ...named('persistentvolumeclaims', isRecord(volume['ephemeral']) ? `${podName}-${String(volume['name'])}` : ''),
  ...recordsIn(fieldsOf(volume['projected'])['sources']).flatMap((source) => [
    ...named('secrets', textAt(source, ['secret', 'name'])),
    ...named('configmaps', textAt(source, ['configMap', 'name'])),
  ]),
];

const named = (kind: PodReference['kind'], name: unknown): readonly PodReference[] =>
  typeof name === 'string' && name !== '' ? [{ kind, name }] : [];

const textAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => fieldsOf(inner)[name], value);

const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Volumes that need nothing of the API. */
const LOCAL_VOLUMES = [
  ...['awsElasticBlockStore', 'azureDisk', 'cephfs', 'cinder', 'downwardAPI', 'emptyDir', 'fc', 'flexVolume'],
  ...['flocker', 'gcePersistentDisk', 'gitRepo', 'hostPath', 'image', 'iscsi', 'nfs', 'photonPersistentDisk'],
  ...['portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'],
];

const API_VOLUMES: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
};

const API_SOURCES: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};

/** What of the API the Pod refers to, in the words of a refusal; undefined when it is nothing. */
export const apiReferenceOf = (pod: Fields): string | undefined => {
  const spec = fieldsOf(pod['spec']);
  const references = referencesIn(spec, String(fieldsOf(pod['metadata'])['name'] ?? ''));
  for (const kind of ['serviceaccounts', 'secrets', 'configmaps']) {
    if (references.some((reference) => reference.kind === kind)) return kind;
  }
  if (recordsIn(spec['resourceClaims']).length > 0) return 'resourceclaims';
  return recordsIn(spec['volumes'])
    .map(referenceOfVolume)
    .find((found) => found !== undefined);
};

const referenceOfVolume = ({ name, ...source }: Fields): string | undefined => {
  const type = Object.keys(source)[0] ?? '';
  if (LOCAL_VOLUMES.includes(type)) return undefined;
  if (type !== 'projected') return API_VOLUMES[type] ?? `a volume of an unknown type ("${String(name)}")`;
  return recordsIn(fieldsOf(source['projected'])['sources'])
    .flatMap((one) => Object.keys(one))
    .filter((one) => one !== 'downwardAPI')
    .map((one) => API_SOURCES[one] ?? `an unknown source of a projected volume ("${String(name)}")`)[0];
};
