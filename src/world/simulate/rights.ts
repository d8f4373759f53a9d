/**
 * S40: the rights that our identities use, and those that they have. What is used beyond them is refused by the API and found
 * in each run; what is never used is found over many.
 */
import type { AnsweredRequest } from '../../controlplane/auth/audit.ts';
import { PROVIDER_ROLES } from '../../provider/roles.ts';
import { PROVIDER, REMOTE_ACCOUNT } from '../identities.ts';

type RoleName = keyof typeof PROVIDER_ROLES;

/** Whose requests are looked at. */
const REMOTE = `system:serviceaccount:${REMOTE_ACCOUNT.namespace}:${REMOTE_ACCOUNT.name}`;
const USERS: readonly string[] = [PROVIDER.name, REMOTE];

const FORBIDDEN = 403;

export interface Rights {
  hear(request: AnsweredRequest): void;
  /** Each once: `<user> <verb> <group>/<resource> in <namespace>`. */
  used(): readonly string[];
}

export const createRights = (): Rights => {
  const used = new Set<string>();
  return {
    hear: ({ attempt, code }) => {
      const { name } = attempt.user;
      if (code === FORBIDDEN || !USERS.includes(name)) return;
      const wanted = attempt.on === 'path' ? `${attempt.verb} ${attempt.path}` : rightOf(attempt);
      used.add(`${name} ${wanted} in ${attempt.on === 'path' ? '' : attempt.namespace}`);
    },
    used: () => [...used],
  };
};

interface Wanted {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

const rightOf = ({ verb, group, resource, subresource }: Wanted): string =>
  `${verb} ${group}/${resource}${subresource === '' ? '' : `/${subresource}`}`;

/** Of a role's rights those that nobody used, as `<verb> <group>/<resource>`; one that is given in a namespace counts there alone. */
export const unusedOf = (role: RoleName, used: readonly string[], namespace?: string): readonly string[] => {
  const user = role === 'clusterApiRemote' ? REMOTE : PROVIDER.name;
  const isUsed = (grant: string): boolean =>
    used.some(
      (one) => one.startsWith(`${user} ${grant} in `) && (namespace === undefined || one.endsWith(` ${namespace}`)),
    );
  return PROVIDER_ROLES[role].rules.flatMap(grantsOf).filter((grant) => !isUsed(grant));
};

type Rule = (typeof PROVIDER_ROLES)[RoleName]['rules'][number];

const grantsOf = ({ apiGroups = [], resources = [], nonResourceURLs = [], verbs }: Rule): readonly string[] =>
  verbs.flatMap((verb) => [
    ...apiGroups.flatMap((group) => resources.map((resource) => `${verb} ${group}/${resource}`)),
    ...nonResourceURLs.map((path) => `${verb} ${path}`),
  ]);

/** Requests of ours that were refused for want of a right, one line each. */
export const refusedOf = (forbidden: readonly AnsweredRequest[]): readonly string[] =>
  forbidden
    .filter(({ attempt }) => USERS.includes(attempt.user.name))
    .map(({ attempt }) =>
      attempt.on === 'path' ? `${attempt.verb} ${attempt.path}` : `${rightOf(attempt)} in ${attempt.namespace}`,
    );
