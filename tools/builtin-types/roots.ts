/** The types that the embedded API reads: its kinds, and what is sent to subresources and reviews. Others follow from them. */

/** The group's first word before the kind, but for the core group. */
const ROOTS = [
  ...['Pod', 'Node', 'Namespace', 'Secret', 'ConfigMap', 'ServiceAccount', 'Event', 'Service', 'Binding'],
  ...['apps.Deployment', 'apps.ReplicaSet', 'apps.ControllerRevision', 'batch.Job'],
  ...['policy.PodDisruptionBudget', 'policy.Eviction'],
  ...['rbac.Role', 'rbac.RoleBinding', 'rbac.ClusterRole', 'rbac.ClusterRoleBinding'],
  ...['coordination.Lease', 'certificates.CertificateSigningRequest', 'events.Event', 'scheduling.PriorityClass'],
  'apiextensions.CustomResourceDefinition',
  ...['admissionregistration.ValidatingAdmissionPolicy', 'admissionregistration.ValidatingAdmissionPolicyBinding'],
  ...['authentication.TokenRequest', 'authentication.TokenReview', 'authentication.SelfSubjectReview'],
  ...['authorization.SubjectAccessReview', 'authorization.LocalSubjectAccessReview'],
  ...['authorization.SelfSubjectAccessReview', 'authorization.SelfSubjectRulesReview'],
  ...['autoscaling.Scale', 'meta.DeleteOptions'],
];

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const PACKAGES: Readonly<Record<string, string>> = {
  meta: META,
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
};

export interface Root {
  readonly name: string;
  /** Its name in the OpenAPI documents. */
  readonly definition: string;
}

export const ROOT_TYPES: readonly Root[] = ROOTS.map((name) => {
  const [group, kind] = name.includes('.') ? name.split('.') : ['core', name];
  return { name, definition: `${PACKAGES[group ?? ''] ?? `io.k8s.api.${group}.v1`}.${kind}` };
});

/** The name here of a definition there. */
export const nameOfDefinition = (definition: string): string => {
  const [group, , kind] = definition.split('.').slice(-3);
  return group === 'core' ? `${kind}` : `${group}.${kind}`;
};

/** Groups whose types are read, and where the sources of Kubernetes have them. */
export const SOURCES: readonly (readonly [group: string, module: string, folder: string])[] = [
  ['', 'k8s.io/api', 'core/v1'],
  ...[
    ...['apps', 'batch', 'policy', 'rbac', 'coordination', 'certificates', 'events', 'scheduling'],
    ...['admissionregistration', 'authentication', 'authorization', 'autoscaling'],
  ].map((group) => [group, 'k8s.io/api', `${group}/v1`] as const),
  ['meta', 'k8s.io/apimachinery', 'pkg/apis/meta/v1'],
  ['apiextensions', 'k8s.io/apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
];
