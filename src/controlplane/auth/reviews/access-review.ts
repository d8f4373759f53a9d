/** Reviews of access: may this subject, or I, do that? And which rules do I have? */
import { isRecord } from '../../../base/json.ts';
import { badRequest, invalid, invalidValue, type Problem } from '../../api/refusal.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import { type Attempt, type FieldEquals, parseFieldEquals } from '../attempt.ts';
import type { Authorize } from '../decision.ts';
import type { RuleBook } from '../rbac/rule-book.ts';
import { nodeNameOf, type User } from '../user.ts';

const GROUP = 'authorization.k8s.io';

export interface AccessReview {
  readonly kind: 'SubjectAccessReview' | 'SelfSubjectAccessReview' | 'LocalSubjectAccessReview';
  /** Of the path; empty but for the local review. */
  readonly namespace: string;
  readonly body: Fields;
  readonly user: User;
}

export const reviewAccess = (review: AccessReview, authorize: Authorize): Fields => {
  const { kind, body, user, namespace } = review;
  const spec = fieldsOf(body['spec']);
  const problems = problemsOf(review, spec);
  // A real API server does not name the kind here.
  if (problems.length > 0) throw invalid({ group: GROUP, kind: '' }, '', problems);
  const asked = toAttempt(spec, kind === 'SelfSubjectAccessReview' ? user : toSubject(spec));
  const { isAllowed, reason } = authorize(asked);
  return {
    kind,
    apiVersion: `${GROUP}/v1`,
    metadata: namespace === '' ? {} : { namespace },
    spec,
    status: { allowed: isAllowed, ...(reason !== '' && { reason }) },
  };
};

const toSubject = (spec: Fields): User => {
  const { user, groups, uid, extra } = spec;
  const extras = Object.entries(fieldsOf(extra)).map(([key, values]) => [key, textsOf(values)]);
  return {
    name: String(user ?? ''),
    groups: textsOf(groups),
    ...(typeof uid === 'string' && { uid }),
    ...(extras.length > 0 && { extra: Object.fromEntries(extras) }),
  };
};

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const problemsOf = ({ kind, namespace, body }: AccessReview, spec: Fields): readonly Problem[] => {
  const { resourceAttributes: resource, nonResourceAttributes: path, user, groups } = spec;
  const problems: Problem[] = [];
  const add = (field: string, value: unknown, why: string): void => {
    problems.push(invalidValue(field, value ?? null, why));
  };
  if (isRecord(resource) && isRecord(path)) {
    add('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes');
  }
  if (!isRecord(resource) && !isRecord(path)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    add('spec.resourceAttributes', null, why);
  }
  if (kind !== 'SelfSubjectAccessReview' && (user ?? '') === '' && textsOf(groups).length === 0) {
    add('spec.user', '', 'at least one of user or group must be specified');
  }
  const metadata = saidIn(fieldsOf(body['metadata']));
  if (Object.keys(metadata).length > 0) add('metadata', metadata, 'must be empty');
  if (kind === 'LocalSubjectAccessReview' && isRecord(resource) && resource['namespace'] !== namespace) {
    add('spec.resourceAttributes.namespace', resource['namespace'] ?? '', 'must match metadata.namespace');
  }
  if (kind === 'LocalSubjectAccessReview' && isRecord(path)) {
    add('spec.nonResourceAttributes', path, 'disallowed on this kind of request');
  }
  return problems;
};

/** What a client filled in; some encodings send empty fields along. */
const saidIn = (metadata: Fields): Fields => {
  const { namespace: _namespace, creationTimestamp: _time, managedFields: _fields, ...rest } = metadata;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '' && value !== 0 && value !== null));
};

const toAttempt = (spec: Fields, user: User): Attempt => {
  const { nonResourceAttributes: path } = spec;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (isRecord(path)) return { on: 'path', user, verb: text(path['verb']), path: text(path['path']) };
  const asked = fieldsOf(spec['resourceAttributes']);
  return {
    ...{
      on: 'resource',
      user,
      verb: text(asked['verb']),
      group: text(asked['group']),
      version: text(asked['version']),
    },
    ...{ resource: text(asked['resource']), subresource: text(asked['subresource']) },
    ...{ namespace: text(asked['namespace']), name: text(asked['name']) },
    fields: readFields(fieldsOf(asked['fieldSelector'])),
  };
};

const readFields = ({ rawSelector, requirements }: Fields): readonly FieldEquals[] => {
  if (Array.isArray(requirements) && requirements.length > 0) {
    return requirements.filter(isRecord).flatMap(({ key, operator, values }) => {
      const [value, ...more] = textsOf(values);
      return operator === 'In' && value !== undefined && more.length === 0 ? [{ field: String(key), value }] : [];
    });
  }
  return typeof rawSelector === 'string' ? parseFieldEquals(rawSelector) : [];
};

/** All rules that the user has in a namespace. A Node has more than rules can say. */
export const reviewOwnRules = (body: Fields, user: User, book: RuleBook): Fields => {
  const namespace = fieldsOf(body['spec'])['namespace'];
  if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request');
  const granted = [...book.grantsFor(user, namespace)].flatMap(({ rules = [] }) => rules);
  const isNode = nodeNameOf(user) !== undefined;
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: `${GROUP}/v1`,
    metadata: {},
    spec: {},
    status: {
      resourceRules: [
        ...granted
          .filter(({ resources }) => resources.length > 0)
          .map(({ verbs, apiGroups, resources, resourceNames }) => ({
            ...{ verbs, apiGroups, resources },
            ...(resourceNames.length > 0 && { resourceNames }),
          })),
      ],
      nonResourceRules: [
        ...granted
          .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
          .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      ],
      incomplete: isNode,
      ...(isNode && { evaluationError: 'node authorizer does not support user rule resolution' }),
    },
  };
};
