/** Authorization by Roles (RBAC): yes when any rule of any binding says so. */
import type { ResourceAttempt } from '../attempt.ts';
import { type Authorize, allowed, noOpinion } from '../decision.ts';
import { ruleAllows } from './policy-rule.ts';
import type { Grant, RuleBook } from './rule-book.ts';

export const createRoleAuthorizer =
  (book: RuleBook): Authorize =>
  (attempt) => {
    const missing: Grant[] = [];
    for (const grant of book.grantsFor(attempt.user, namespaceOf(attempt))) {
      if (grant.rules === undefined) missing.push(grant);
      else if (grant.rules.some((rule) => ruleAllows(rule, attempt))) {
        return allowed(`RBAC: allowed by ${grant.describe()}`);
      }
    }
    return noOpinion(missing.length === 0 ? '' : `RBAC: ${renderMissing(missing)}`);
  };

const namespaceOf = (attempt: Parameters<Authorize>[0]): ResourceAttempt['namespace'] =>
  attempt.on === 'resource' ? attempt.namespace : '';

/** As a list of errors reads in Kubernetes: each once, in brackets when there are several. */
const renderMissing = (missing: readonly Grant[]): string => {
  const texts = [
    ...new Set(
      missing.map(({ roleRef: { kind, name } }) =>
        kind === 'Role' || kind === 'ClusterRole'
          ? `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`
          : `unsupported role reference kind: "${kind}"`,
      ),
    ),
  ];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};
