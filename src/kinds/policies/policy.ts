/** A ValidatingAdmissionPolicy and its binding: rules the API server enforces without a webhook of ours. */
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { PROVIDER_LABELS } from '../infrastructure.ts';

interface Validation {
  readonly expression: string;
  /** Shown to the person whose request is refused: what is wrong and what to do instead. */
  readonly message: string;
  readonly reason: 'Invalid' | 'Forbidden';
}

export interface AdmissionPolicy {
  readonly name: string;
  readonly match: {
    /** One version of it names them all, and only a named one has its expressions type-checked by the API server. */
    readonly resource: Resource<KubeObject>;
    readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  };
  /** Named expressions that later ones may use as `variables.<name>`; each is evaluated when first used. */
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
}

/** What is to be applied: the policy, and the binding without which it does nothing. */
export const toAdmissionObjects = ({ name, match, variables, validations }: AdmissionPolicy) => [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, labels: PROVIDER_LABELS },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [match.resource.group],
            apiVersions: [match.resource.version],
            operations: match.operations,
            resources: [match.resource.plural],
          },
        ],
      },
      ...(variables.length > 0 && { variables }),
      validations,
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name, labels: PROVIDER_LABELS },
    spec: { policyName: name, validationActions: ['Deny'] },
  },
];
