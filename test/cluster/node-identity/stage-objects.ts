/** The objects that the attempts are made on, as they are created. */
import { hostWith } from '../../../src/kinds/testing/hosts.ts';
import { withServer } from '../kinds/kinds-scene.ts';
import type { Stage } from './attempt.ts';
import { renderRequest } from './attempts-on-certificates.ts';
import { POD_AUDIENCE } from './attempts-on-secrets.ts';

export type StageNames = Pick<Stage, 'node' | 'neighbour' | 'namespace' | 'host' | 'request'>;

/** Keeps the Mac's own Pod, so that its removal can be tried. */
const GUARD_FINALIZER = 'example.org/guard';

export const renderStage = (names: StageNames): readonly object[] => {
  const { namespace, neighbour, node, host, request } = names;
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: neighbour } },
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: neighbour, namespace: 'kube-node-lease' },
      spec: { holderIdentity: neighbour },
    },
    ...['runner', 'stranger', 'unused'].map((name) => inNamespace(names, 'ServiceAccount', { name })),
    ...['mine', 'theirs', 'nobodys'].flatMap((name) => [
      { ...inNamespace(names, 'Secret', { name }), stringData: { key: 'value' } },
      { ...inNamespace(names, 'ConfigMap', { name }), data: { key: 'value' } },
    ]),
    ...['mine', 'theirs'].flatMap((name) => volumeAndClaim(names, name)),
    podOf(names, 'mine', { nodeName: node, serviceAccountName: 'runner' }),
    podOf(names, 'theirs', { nodeName: neighbour, serviceAccountName: 'stranger' }),
    podOf(names, 'nobodys', { nodeSelector: { 'example.org/never': 'x' }, serviceAccountName: 'unused' }),
    withServer(hostWith(), host),
    {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
      kind: 'ScalewayAppleSiliconMachine',
      metadata: { name: 'mine', namespace },
    },
    { ...renderRequest(FOREIGN), metadata: { name: request } },
  ];
};

/** A request that nobody signs. */
const FOREIGN = { signer: 'example.org/nobody', identity: { commonName: 'somebody' }, usage: 'client auth' } as const;

const inNamespace = ({ namespace }: StageNames, kind: string, metadata: object) => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace, ...metadata },
});

const podOf = (names: StageNames, name: 'mine' | 'theirs' | 'nobodys', spec: object) => ({
  ...inNamespace(names, 'Pod', { name, ...(name === 'mine' && { finalizers: [GUARD_FINALIZER] }) }),
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: 'example.org/vm:1',
        envFrom: name === 'nobodys' ? [] : [{ secretRef: { name } }, { configMapRef: { name } }],
      },
    ],
    volumes: [
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: POD_AUDIENCE } }] } },
      ...(name === 'nobodys' ? [] : [{ name: 'disk', persistentVolumeClaim: { claimName: name } }]),
    ],
    ...spec,
  },
});

const volumeAndClaim = (names: StageNames, name: string): readonly object[] => {
  const volumeName = `${names.namespace}-${name}`;
  const size = { storage: '1Gi' };
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName },
      spec: {
        ...common,
        capacity: size,
        claimRef: { namespace: names.namespace, name },
        hostPath: { path: '/nowhere' },
        persistentVolumeReclaimPolicy: 'Retain',
      },
    },
    {
      ...inNamespace(names, 'PersistentVolumeClaim', { name }),
      spec: { ...common, volumeName, resources: { requests: size } },
    },
  ];
};
