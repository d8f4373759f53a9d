/** Asking the API whether somebody may do something: a SubjectAccessReview. */
import type { ReconcileContext } from '../../../kube/controller/controller.ts';
import type { KubeObject } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';

export interface AccessQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

interface SubjectAccessReview extends KubeObject {
  readonly spec: AccessQuestion;
  readonly status?: { readonly allowed?: boolean };
}

const SUBJECT_ACCESS_REVIEWS: Resource<SubjectAccessReview> = {
  ...{ group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview' },
  ...{ plural: 'subjectaccessreviews', scope: 'Cluster' },
};

/** A review has no name and is not stored. */
export const askAccess = async (question: AccessQuestion, { kube, signal }: ReconcileContext): Promise<boolean> => {
  const review: SubjectAccessReview = { metadata: { name: '' }, spec: question };
  const answer = await kube.create(SUBJECT_ACCESS_REVIEWS, review, { signal });
  return answer.status?.allowed === true;
};
