/** Whether somebody's rules hold everything that other rules grant: nobody hands out what one does not have. */
import { type PolicyRule, urlCovers } from './policy-rule.ts';

const ALL = '*';

/** The rules, one verb, resource and name each, that are not covered. */
export const uncovered = (owned: readonly PolicyRule[], granted: readonly PolicyRule[]): readonly PolicyRule[] =>
  granted.flatMap(breakDown).filter((single) => !owned.some((rule) => covers(rule, single)));

const breakDown = (rule: PolicyRule): readonly PolicyRule[] => {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const onResources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...{ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames, nonResourceURLs: [] },
        })),
      ),
    ),
  );
  const onPaths = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({
      ...{ verbs: [verb], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [url] },
    })),
  );
  return [...onResources, ...onPaths];
};

const hasAll = (list: readonly string[], wanted: readonly string[]): boolean =>
  list.includes(ALL) || wanted.every((word) => list.includes(word));

const covers = (owned: PolicyRule, single: PolicyRule): boolean =>
  hasAll(owned.verbs, single.verbs) &&
  hasAll(owned.apiGroups, single.apiGroups) &&
  (hasAll(owned.resources, single.resources) || single.resources.every((one) => coversSubresource(owned, one))) &&
  single.nonResourceURLs.every((url) => owned.nonResourceURLs.some((own) => urlCovers(own, url))) &&
  (owned.resourceNames.length === 0 || (single.resourceNames.length > 0 && hasNames(owned, single)));

const hasNames = ({ resourceNames }: PolicyRule, single: PolicyRule): boolean =>
  single.resourceNames.every((name) => resourceNames.includes(name));

const coversSubresource = ({ resources }: PolicyRule, resource: string): boolean => {
  const [, subresource] = resource.split(/\/(.*)/s);
  return subresource !== undefined && resources.includes(`${ALL}/${subresource}`);
};

/** What is missing, for people: rules that differ in their verbs only are one line. */
export const renderMissing = (missing: readonly PolicyRule[]): string => {
  const lines = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>();
  for (const rule of missing) {
    const key = JSON.stringify({ ...rule, verbs: [] });
    const line = lines.get(key) ?? { rule, verbs: new Set<string>() };
    lines.set(key, line);
    for (const verb of rule.verbs) line.verbs.add(verb);
  }
  return [...lines.values()]
    .map(({ rule, verbs }) => renderRule({ ...rule, verbs: [...verbs] }))
    .sort()
    .join('\n');
};

const PARTS = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

const renderRule = (rule: PolicyRule): string => {
  const parts = PARTS.filter(([, field]) => rule[field].length > 0);
  return `{${parts.map(([word, field]) => `${word}:[${rule[field].map((one) => JSON.stringify(one)).join(' ')}]`).join(', ')}}`;
};
