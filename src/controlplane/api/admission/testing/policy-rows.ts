/**
 * For tests: policies, what they are asked about, and whether they object. A real kube-apiserver 1.36 answered the
 * same.
 */

const GROUP = 'admissionregistration.k8s.io';

export interface Request {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  /** Who asks, and what that one may: `name:verb` on the resource. */
  readonly verbs?: readonly string[];
  readonly user?: string;
  readonly namespace?: string;
  readonly subresource?: string;
}

type Spec = Readonly<Record<string, unknown>>;

export const policy = (spec: Spec) => ({
  ...{ apiVersion: `${GROUP}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'p' } },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
      ],
    },
    validations: [{ expression: 'object.data.ok == "yes"' }],
    ...spec,
  },
});

export const binding = (spec: Spec = {}) => ({
  ...{ apiVersion: `${GROUP}/v1`, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'b' } },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

const map = (data: object, labels: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'a', labels }, data },
});

export const REFUSED = `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `;
export const NO = { operation: 'CREATE', object: map({ ok: 'no' }) } as const;
export const validate = (validation: Spec): Spec => ({ validations: [validation] });
export const rule = (more: Spec) => ({
  ...{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'], ...more },
});
export const match = (more: Spec): Spec => ({ matchConstraints: { resourceRules: [rule({})], ...more } });

export interface Row {
  readonly story: string;
  readonly policy?: Spec;
  readonly binding?: Spec;
  readonly request?: Request;
  /** What the policy objects to; absent: it lets the write through. */
  readonly why?: string;
  readonly reason?: string;
}

const ONES = `[${'1,'.repeat(99)}1]`;
const TOO_LONG = `${ONES}.all(a, ${ONES}.all(b, ${ONES}.all(c, a + b + c > 0)))`;

export const ROWS: readonly Row[] = [
  { story: 'an expression that holds', request: { operation: 'CREATE', object: map({ ok: 'yes' }) } },
  { story: 'an expression that does not', why: 'failed expression: object.data.ok == "yes"', reason: 'Invalid' },
  { story: 'a message', policy: validate({ expression: 'false', message: ' Do not. ' }), why: 'Do not.' },
  {
    story: 'a reason',
    policy: validate({ expression: 'false', message: 'm', reason: 'Forbidden' }),
    why: 'm',
    reason: 'Forbidden',
  },
  {
    story: 'a message that is an expression',
    policy: validate({ expression: 'false', messageExpression: '"not " + object.data.ok', message: 'm' }),
    why: 'not no',
  },
  {
    story: 'a message expression that fails',
    policy: validate({ expression: 'false', messageExpression: 'string(object.data.absent)', message: 'm' }),
    why: 'm',
  },
  {
    story: 'a message of two lines',
    policy: validate({ expression: 'false', messageExpression: '"a\\nb"', message: 'm' }),
    why: 'm',
  },
  {
    story: 'a field that is not there',
    policy: validate({ expression: 'object.data.absent == "x"' }),
    why: `expression 'object.data.absent == "x"' resulted in error: no such key: absent`,
  },
  {
    story: 'the same, ignored',
    policy: { failurePolicy: 'Ignore', ...validate({ expression: 'object.data.absent == "x"' }) },
  },
  {
    story: 'a variable',
    policy: { variables: [{ name: 'v', expression: '1 + 1' }], ...validate({ expression: 'variables.v == 2' }) },
  },
  {
    story: 'a variable made of another',
    policy: {
      variables: [
        { name: 'v', expression: '1 + 1' },
        { name: 'w', expression: 'variables.v + 1' },
      ],
      ...validate({ expression: 'variables.w == 3' }),
    },
  },
  {
    story: 'a variable that fails and is not used',
    policy: { variables: [{ name: 'v', expression: 'object.x' }], ...validate({ expression: 'true' }) },
  },
  {
    story: 'a condition that is not met',
    policy: { matchConditions: [{ name: 'c', expression: 'request.name == "x"' }] },
  },
  {
    story: 'a condition that is met',
    policy: {
      matchConditions: [{ name: 'c', expression: 'request.name == "c"' }],
      ...validate({ expression: 'false', message: 'm' }),
    },
    why: 'm',
  },
  {
    story: 'what the request says',
    policy: validate({
      expression:
        'request.operation == "CREATE" && request.userInfo.username == "row" && request.resource.resource == "configmaps" && request.kind.kind == "ConfigMap" && request.namespace == "a" && !request.dryRun',
    }),
  },
  { story: 'no old object on create', policy: validate({ expression: 'oldObject == null' }) },
  {
    story: 'the old object on update',
    policy: validate({ expression: 'oldObject.data.ok == "old"' }),
    request: { ...NO, operation: 'UPDATE', oldObject: map({ ok: 'old' }) },
  },
  { story: 'the Namespace', policy: validate({ expression: 'namespaceObject.metadata.name == "a"' }) },
  { story: 'an operation that is not meant', request: { operation: 'DELETE', oldObject: map({}) } },
  { story: 'a subresource that is not meant', request: { ...NO, subresource: 'status' } },
  { story: 'an excluded resource', policy: match({ excludeResourceRules: [rule({ resourceNames: ['c'] })] }) },
  { story: 'another name', policy: match({ resourceRules: [rule({ resourceNames: ['d'] })] }) },
  { story: 'another scope', policy: match({ resourceRules: [rule({ scope: 'Cluster' })] }) },
  {
    story: 'another version, exactly',
    policy: match({ matchPolicy: 'Exact', resourceRules: [rule({ apiVersions: ['v2'] })] }),
  },
  { story: 'labels that the object lacks', policy: match({ objectSelector: { matchLabels: { a: 'b' } } }) },
  {
    story: 'labels that the object has',
    policy: {
      ...match({ objectSelector: { matchLabels: { a: 'b' } } }),
      ...validate({ expression: 'false', message: 'm' }),
    },
    request: { operation: 'CREATE', object: map({}, { a: 'b' }) },
    why: 'm',
  },
  {
    story: 'labels that the Namespace lacks',
    binding: { matchResources: { namespaceSelector: { matchExpressions: [{ key: 'x', operator: 'Exists' }] } } },
  },
  { story: 'a binding to another policy', binding: { policyName: 'q' } },
  { story: 'a binding that only audits', binding: { validationActions: ['Audit'] } },
  {
    story: 'rights that the sender has',
    policy: validate({
      expression: "authorizer.group('').resource('configmaps').namespace('a').name('c').check('bless').allowed()",
    }),
    request: { ...NO, verbs: ['c:bless'] },
  },
  {
    story: 'rights that the sender lacks',
    policy: validate({ expression: "authorizer.requestResource.check('bless').allowed()", message: 'm' }),
    why: 'm',
  },
  {
    story: 'rights to what the request is about',
    policy: validate({ expression: "authorizer.requestResource.check('bless').allowed()" }),
    request: { ...NO, verbs: ['c:bless'] },
  },
  { story: 'rights to a path', policy: validate({ expression: "authorizer.path('/version').check('get').allowed()" }) },
  {
    story: 'rights of a ServiceAccount',
    policy: validate({
      expression:
        "authorizer.serviceAccount('a', 'builder').group('batch').resource('jobs').namespace('a').check('get').allowed()",
    }),
  },
  {
    story: 'an expression that takes too long',
    policy: validate({ expression: TOO_LONG }),
    why: `expression '${TOO_LONG}' resulted in error: operation cancelled: actual cost limit exceeded`,
  },
];
