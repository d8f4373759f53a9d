/** Who asks. */

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** What is known besides: the Pod a token is bound to, the certificate that was shown. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';
/** Members may do everything, whatever the roles say. */
export const MASTERS_GROUP = 'system:masters';
export const NODES_GROUP = 'system:nodes';
export const NODE_USER_PREFIX = 'system:node:';

/** Cluster administrators: what the kubeconfig of `up` says it is. */
export const ADMIN: User = { name: 'macfleet-admin', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };

export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED_GROUP] };

/** What an agent on the Node of that name is, once it has its certificate. */
export const nodeUser = (nodeName: string): User => ({
  name: `${NODE_USER_PREFIX}${nodeName}`,
  groups: [NODES_GROUP, AUTHENTICATED_GROUP],
});

/** The Node that the user speaks for; empty when it names none, undefined when it is no Node at all. */
export const nodeNameOf = ({ name, groups }: User): string | undefined =>
  name.startsWith(NODE_USER_PREFIX) && groups.includes(NODES_GROUP) ? name.slice(NODE_USER_PREFIX.length) : undefined;

const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';
export const SERVICE_ACCOUNTS_GROUP = 'system:serviceaccounts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export const serviceAccountUserName = ({ namespace, name }: ServiceAccountName): string =>
  `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;

export const serviceAccountGroups = (namespace: string): readonly string[] => [
  SERVICE_ACCOUNTS_GROUP,
  `${SERVICE_ACCOUNTS_GROUP}:${namespace}`,
];

/** As a token of the ServiceAccount would say. */
export const serviceAccountUser = (account: ServiceAccountName): User => ({
  name: serviceAccountUserName(account),
  groups: [...serviceAccountGroups(account.namespace), AUTHENTICATED_GROUP],
});

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const SERVICE_ACCOUNT_USER = new RegExp(`^${SERVICE_ACCOUNT_PREFIX}(${LABEL}):(${LABEL}(?:\\.${LABEL})*)$`);

/** Undefined when the name is not that of a ServiceAccount. */
export const parseServiceAccountUser = (userName: string): ServiceAccountName | undefined => {
  const [, namespace, name] = SERVICE_ACCOUNT_USER.exec(userName) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
};
