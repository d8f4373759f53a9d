/** Which writes a policy or a binding is about: resources, operations, names, and labels of the object and its Namespace. */
import { isRecord } from '../../../../base/json.ts';
import { type Fields, fieldsOf } from '../../../store/object.ts';
import { keyFor, type Store } from '../../../store/store.ts';
import type { Write } from '../../gate.ts';
import { matchesSelector } from '../../selectors.ts';

interface ResourceRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly scope: string;
  /** Whether a rule for one version of a kind is about the others too. */
  readonly versions: 'exact' | 'equivalent';
}

export interface ResourceMatch {
  /** Undefined: everything. */
  readonly rules: readonly ResourceRule[] | undefined;
  readonly excluded: readonly ResourceRule[];
  readonly objectSelector: Fields;
  readonly namespaceSelector: Fields;
}

export const parseMatch = (value: unknown): ResourceMatch => {
  const match = fieldsOf(value);
  const versions = match['matchPolicy'] === 'Exact' ? 'exact' : 'equivalent';
  const rules = recordsIn(match['resourceRules']).map((rule) => parseRule(rule, versions));
  return {
    rules: rules.length === 0 ? undefined : rules,
    excluded: recordsIn(match['excludeResourceRules']).map((rule) => parseRule(rule, versions)),
    objectSelector: fieldsOf(match['objectSelector']),
    namespaceSelector: fieldsOf(match['namespaceSelector']),
  };
};

const parseRule = (rule: Fields, versions: ResourceRule['versions']): ResourceRule => ({
  operations: texts(rule['operations']),
  apiGroups: texts(rule['apiGroups']),
  apiVersions: texts(rule['apiVersions']),
  resources: texts(rule['resources']),
  resourceNames: texts(rule['resourceNames']),
  scope: String(rule['scope'] ?? '*'),
  versions,
});

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const isMatched = (match: ResourceMatch, write: Write, store: Store): boolean =>
  !match.excluded.some((rule) => ruleMatches(rule, write)) &&
  (match.rules === undefined || match.rules.some((rule) => ruleMatches(rule, write))) &&
  matchesObject(match.objectSelector, write) &&
  matchesNamespace(match.namespaceSelector, write, store);

const has = (list: readonly string[], word: string): boolean => list.includes('*') || list.includes(word);

const ruleMatches = (rule: ResourceRule, write: Write): boolean => {
  const { operation, name } = write;
  const { group, version, scope } = write.resource;
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, group) &&
    (rule.versions === 'equivalent' || has(rule.apiVersions, version)) &&
    (rule.scope === '*' || rule.scope === scope) &&
    rule.resources.some((resource) => resourceMatches(resource, write)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
};

/** `pods`, `pods/status`, `*`, `pods/*`, a star with any subresource; a star alone means no subresource. */
const resourceMatches = (wanted: string, { resource: { plural }, subresource }: Write): boolean => {
  const [resource = '', sub = ''] = wanted.split('/');
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
};

/** The object before or after must have the labels; an empty selector is about every object. */
const matchesObject = (selector: Fields, { object, old }: Write): boolean => {
  if (isEmpty(selector)) return true;
  return [object, old].some((one) => one !== undefined && matchesSelector(selector, labelsOf(one)));
};

/** A Namespace is selected by its own labels, other cluster-wide objects always. */
const matchesNamespace = (selector: Fields, write: Write, store: Store): boolean => {
  if (isEmpty(selector)) return true;
  const { group, plural, scope } = write.resource;
  if (group === '' && plural === 'namespaces') {
    return matchesSelector(selector, labelsOf(write.object ?? write.old ?? {}));
  }
  if (scope === 'Cluster') return true;
  const namespace = store.get('/namespaces', keyFor(undefined, write.namespace))?.object;
  return namespace !== undefined && matchesSelector(selector, labelsOf(namespace));
};

const isEmpty = ({ matchLabels, matchExpressions }: Fields): boolean =>
  Object.keys(fieldsOf(matchLabels)).length === 0 && recordsIn(matchExpressions).length === 0;

const labelsOf = (object: Fields): Fields => fieldsOf(fieldsOf(object['metadata'])['labels']);
