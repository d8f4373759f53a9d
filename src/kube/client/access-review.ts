/** Asking the API who somebody is (TokenReview), and whether somebody may do something (SubjectAccessReview). */
import type { Secret } from '../../base/secret.ts';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { KubeClient } from './client.ts';

interface Asking {
  readonly kube: Pick<KubeClient, 'create'>;
  readonly signal: AbortSignal;
}

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
export const askAccess = async (question: AccessQuestion, { kube, signal }: Asking): Promise<boolean> => {
  const review: SubjectAccessReview = { metadata: { name: '' }, spec: question };
  const answer = await kube.create(SUBJECT_ACCESS_REVIEWS, review, { signal });
  return answer.status?.allowed === true;
};

/** Somebody whom the API knows. */
export interface KnownUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly groups?: readonly string[];
      readonly extra?: KnownUser['extra'];
    };
  };
}

const TOKEN_REVIEWS: Resource<TokenReview> = {
  ...{ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview' },
  ...{ plural: 'tokenreviews', scope: 'Cluster' },
};

/** Whose token it is; undefined when nobody's. Without audiences it has to be for the API itself. */
export const askWhose = async (
  token: Secret<string>,
  { kube, signal, audiences }: Asking & { readonly audiences?: readonly string[] },
): Promise<KnownUser | undefined> => {
  const spec = { token: token.reveal(), ...(audiences === undefined ? {} : { audiences }) };
  const review: TokenReview = { metadata: { name: '' }, spec };
  const { status } = await kube.create(TOKEN_REVIEWS, review, { signal });
  const { username = '', groups = [], extra } = status?.user ?? {};
  if (status?.authenticated !== true || username === '') return undefined;
  return { username, groups, ...(extra === undefined ? {} : { extra }) };
};
