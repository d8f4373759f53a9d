/** S40 on a real cluster: what a chart's ServiceAccounts may do, by the bindings that are there, against what they did, by the API server's own log. */
import type { AuditedRequest } from '../bench/audit.ts';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Role {
  readonly metadata: { readonly name: string };
  readonly rules?: readonly Rule[] | null;
}

export interface Binding {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: { readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** `<account> <verb> <group>/<resource>[ in <namespace>]` */
export interface Grant {
  readonly right: string;
  isUsedBy(request: AuditedRequest): boolean;
}

const FORBIDDEN = 403;

/** Every single right of the ServiceAccounts of these namespaces. */
export const grantsOf = (
  roles: readonly Role[],
  bindings: readonly Binding[],
  namespaces: readonly string[],
): readonly Grant[] =>
  bindings.flatMap(({ metadata, roleRef, subjects = [] }) => {
    const rules = roles.find((role) => role.metadata.name === roleRef.name)?.rules ?? [];
    return subjects
      .filter(({ kind, namespace = '' }) => kind === 'ServiceAccount' && namespaces.includes(namespace))
      .flatMap((account) => rules.flatMap((rule) => toGrants(rule, { account, within: metadata.namespace })));
  });

interface Granted {
  readonly account: { readonly name: string; readonly namespace?: string };
  readonly within: string | undefined;
}

const toGrants = (rule: Rule, { account, within }: Granted): readonly Grant[] => {
  const { apiGroups = [], resources = [], nonResourceURLs = [], verbs } = rule;
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  const where = within === undefined ? '' : ` in ${within}`;
  return verbs.flatMap((verb): readonly Grant[] => {
    const isAsked = (request: AuditedRequest): boolean =>
      request.user === user && request.verb === verb && request.code !== FORBIDDEN;
    return [
      ...apiGroups.flatMap((group) =>
        resources.map((resource) => ({
          right: `${account.name} ${verb} ${group}/${resource}${where}`,
          isUsedBy: (request: AuditedRequest) =>
            isAsked(request) &&
            request.group === group &&
            request.resource === resource &&
            (within === undefined || request.namespace === within),
        })),
      ),
      ...nonResourceURLs.map((path) => ({
        right: `${account.name} ${verb} ${path}`,
        isUsedBy: (request: AuditedRequest) => isAsked(request) && request.path === path,
      })),
    ];
  });
};

/** Rights that nobody used, each once. */
export const unusedOf = (grants: readonly Grant[], requests: readonly AuditedRequest[]): readonly string[] =>
  [...new Set(grants.filter(({ isUsedBy }) => !requests.some(isUsedBy)).map(({ right }) => right))].toSorted();

/** What was asked for without a right to it, each once. */
export const refusedOf = (requests: readonly AuditedRequest[]): readonly string[] => {
  const refused = requests.filter(({ code }) => code === FORBIDDEN);
  return [...new Set(refused.map(describe))].toSorted();
};

const describe = ({ user, verb, group, resource, namespace, path }: AuditedRequest): string =>
  `${user.split(':').at(-1)} ${verb} ${path === '' ? `${group}/${resource} in ${namespace}` : path}`;
