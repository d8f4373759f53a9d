/**
 * Well-known kinds that this control plane does not have. They are named in discovery without verbs, so that a client finds
 * its way here and gets an answer that says why, instead of "no matches for kind".
 */
import { ApiRefusal } from '../refusal.ts';

export interface UnsupportedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  /** What to do instead. */
  readonly instead: string;
}

type Row = readonly [kind: string, plural: string, instead: string, scope?: 'Cluster'];

const NO_NETWORK = 'there is no network between Pods here, so nothing could be reached through it';
const NO_STORAGE = 'there are no volumes here that outlive a Pod';
const NO_CALLS = 'this control plane calls no webhooks; use a ValidatingAdmissionPolicy';
const REAL = 'use a real cluster with Cluster API installed';

const CORE: readonly Row[] = [
  ['Service', 'services', NO_NETWORK],
  ['Endpoints', 'endpoints', NO_NETWORK],
  ['PersistentVolume', 'persistentvolumes', NO_STORAGE, 'Cluster'],
  ['PersistentVolumeClaim', 'persistentvolumeclaims', NO_STORAGE],
  ['ReplicationController', 'replicationcontrollers', 'use a Deployment'],
  ['LimitRange', 'limitranges', 'state requests and limits on the Pods'],
  ['ResourceQuota', 'resourcequotas', 'limits per namespace are not enforced here'],
  ['PodTemplate', 'podtemplates', 'use a Deployment or a Job'],
];

const SCALERS: readonly Row[] = [
  ['HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'scale by hand: kubectl scale'],
];

const TABLE: readonly (readonly [group: string, version: string, rows: readonly Row[]])[] = [
  ['', 'v1', CORE],
  [
    'apps',
    'v1',
    [
      ['DaemonSet', 'daemonsets', 'run a Deployment or Jobs with a nodeSelector'],
      ['StatefulSet', 'statefulsets', 'run a Deployment'],
      [
        'ControllerRevision',
        'controllerrevisions',
        'they belong to DaemonSets and StatefulSets, which are not here either',
      ],
    ],
  ],
  ['batch', 'v1', [['CronJob', 'cronjobs', 'create Jobs from outside, when they are due']]],
  ['autoscaling', 'v2', SCALERS],
  ['autoscaling', 'v1', SCALERS],
  [
    'networking.k8s.io',
    'v1',
    [
      ['Ingress', 'ingresses', NO_NETWORK],
      ['IngressClass', 'ingressclasses', NO_NETWORK, 'Cluster'],
      ['NetworkPolicy', 'networkpolicies', NO_NETWORK],
    ],
  ],
  ['discovery.k8s.io', 'v1', [['EndpointSlice', 'endpointslices', NO_NETWORK]]],
  [
    'storage.k8s.io',
    'v1',
    [
      ['StorageClass', 'storageclasses', NO_STORAGE, 'Cluster'],
      ['CSINode', 'csinodes', NO_STORAGE, 'Cluster'],
    ],
  ],
  ['node.k8s.io', 'v1', [['RuntimeClass', 'runtimeclasses', 'every Node here has one way to run Pods', 'Cluster']]],
  [
    'admissionregistration.k8s.io',
    'v1',
    [
      ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', NO_CALLS, 'Cluster'],
      ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', NO_CALLS, 'Cluster'],
    ],
  ],
  [
    'apiregistration.k8s.io',
    'v1',
    [['APIService', 'apiservices', 'define kinds with a CustomResourceDefinition', 'Cluster']],
  ],
  [
    'cluster.x-k8s.io',
    'v1beta2',
    [
      ['MachineHealthCheck', 'machinehealthchecks', REAL],
      ['MachinePool', 'machinepools', 'use a MachineDeployment'],
      ['ClusterClass', 'clusterclasses', 'write the Cluster and its MachineDeployments out'],
      ['MachineDrainRule', 'machinedrainrules', REAL],
    ],
  ],
];

const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  ...{ Service: ['svc'], Endpoints: ['ep'], PersistentVolume: ['pv'], PersistentVolumeClaim: ['pvc'] },
  ...{ ReplicationController: ['rc'], LimitRange: ['limits'], ResourceQuota: ['quota'], DaemonSet: ['ds'] },
  ...{ StatefulSet: ['sts'], CronJob: ['cj'], HorizontalPodAutoscaler: ['hpa'], Ingress: ['ing'] },
  ...{ NetworkPolicy: ['netpol'], StorageClass: ['sc'], MachineHealthCheck: ['mhc'], MachinePool: ['mp'] },
  ...{ ClusterClass: ['cc'] },
};

export const UNSUPPORTED_KINDS: readonly UnsupportedKind[] = TABLE.flatMap(([group, version, rows]) =>
  rows.map(([kind, plural, instead, scope]): UnsupportedKind => {
    const shortNames = SHORT_NAMES[kind] ?? [];
    return { group, version, kind, plural, scope: scope ?? 'Namespaced', shortNames, instead };
  }),
);

export const findUnsupported = (name: {
  readonly group: string;
  readonly plural: string;
}): UnsupportedKind | undefined =>
  UNSUPPORTED_KINDS.find(({ group, plural }) => group === name.group && plural === name.plural);

export const refuseUnsupported = ({ kind, instead, plural, group }: UnsupportedKind): ApiRefusal =>
  new ApiRefusal(
    'MethodNotAllowed',
    `Macfleet's embedded control plane does not support the kind ${kind}: ${instead}. It is for trying and testing; on a real cluster ${kind} works as usual`,
    { ...(group !== '' && { group }), kind: plural },
  );
