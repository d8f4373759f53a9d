/** The Job that brings our kinds up to date before a release does anything else: Helm itself installs them once, and never again. */
import type { KubeObject } from '../kube/types/meta.ts';
import { renderDefinitions } from './definitions.ts';
import { CONTAINER_SECURITY, POD_SECURITY, type Slot } from './workload.ts';

export interface CrdJob {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly pullPolicy: string;
  readonly pod: Readonly<Record<string, Slot<unknown>>>;
}

const RBAC = 'rbac.authorization.k8s.io';
/** A cluster that does not serve a kind after so long has other troubles. */
const DEADLINE_SECONDS = 120;

/**
 * In Helm's own name: it applies them itself with every install, and would find them in dispute. Over whoever had them: those of
 * the Go original, or of a person with kubectl, are to become ours.
 */
const ARGS = ['install', '--crds', '--apply', '--field-manager=helm', '--force-conflicts'];

/** An account, its right to write our own kinds and no others, and the Job. */
export const renderCrdJob = ({ name, namespace, image, pullPolicy, pod }: CrdJob): readonly KubeObject[] => {
  const role = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const container = {
    ...{ name: 'crds', image, imagePullPolicy: pullPolicy, args: ARGS },
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    securityContext: CONTAINER_SECURITY,
  };
  const rules = [
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      resourceNames: renderDefinitions().map(({ metadata }) => metadata.name),
      verbs: ['get', 'create', 'patch'],
    },
  ];
  return [
    object('v1', 'ServiceAccount', { name, namespace }),
    object(`${RBAC}/v1`, 'ClusterRole', { name }, { rules }),
    object(
      `${RBAC}/v1`,
      'ClusterRoleBinding',
      { name },
      {
        roleRef: role,
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
    ),
    object(
      'batch/v1',
      'Job',
      { name, namespace },
      {
        spec: {
          backoffLimit: 3,
          activeDeadlineSeconds: DEADLINE_SECONDS,
          template: {
            spec: {
              ...{ serviceAccountName: name, restartPolicy: 'Never', securityContext: POD_SECURITY },
              containers: [container],
              ...pod,
            },
          },
        },
      },
    ),
  ];
};

const object = (apiVersion: string, kind: string, metadata: KubeObject['metadata'], more: object = {}): KubeObject => ({
  ...{ apiVersion, kind, metadata },
  ...more,
});
