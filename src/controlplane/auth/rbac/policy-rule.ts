/** One rule of a Role: which verbs on which resources or paths. `*` is everything. */
import { isRecord } from '../../../base/json.ts';
import type { Attempt } from '../attempt.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: all names. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

const ALL = '*';

const has = (list: readonly string[], word: string): boolean => list.includes(ALL) || list.includes(word);

export const ruleAllows = (rule: PolicyRule, attempt: Attempt): boolean => {
  if (!has(rule.verbs, attempt.verb)) return false;
  if (attempt.on === 'path') return rule.nonResourceURLs.some((url) => urlCovers(url, attempt.path));
  const { group, resource, subresource, name } = attempt;
  return (
    has(rule.apiGroups, group) &&
    coversResource(rule.resources, resource, subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
};

const coversResource = (resources: readonly string[], resource: string, subresource: string): boolean => {
  if (subresource === '') return has(resources, resource);
  return has(resources, `${resource}/${subresource}`) || resources.includes(`${ALL}/${subresource}`);
};

/** `/healthz/*` covers what begins with it. */
export const urlCovers = (granted: string, path: string): boolean =>
  granted === path || (granted.endsWith(ALL) && path.startsWith(granted.replace(/\*+$/, '')));

/** The rules of a Role as it is stored; what is no rule is none. */
export const parseRules = (rules: unknown): readonly PolicyRule[] =>
  Array.isArray(rules) ? rules.filter(isRecord).map(parseRule) : [];

const parseRule = (rule: Readonly<Record<string, unknown>>): PolicyRule => ({
  verbs: parseTexts(rule['verbs']),
  apiGroups: parseTexts(rule['apiGroups']),
  resources: parseTexts(rule['resources']),
  resourceNames: parseTexts(rule['resourceNames']),
  nonResourceURLs: parseTexts(rule['nonResourceURLs']),
});

const parseTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
