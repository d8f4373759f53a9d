/** Who asks. */

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export const AUTHENTICATED_GROUP = 'system:authenticated';

/** Cluster administrators: what the kubeconfig of `up` says it is. */
export const ADMIN: User = { name: 'macfleet-admin', groups: ['system:masters', AUTHENTICATED_GROUP] };

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
