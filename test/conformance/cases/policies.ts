/** ValidatingAdmissionPolicy. */
import { chapter } from '../case.ts';
import { configMap, policy, policyBinding, refused } from '../objects.ts';
import { grant } from '../rights.ts';

const guard = (id: string, validation: object, actions: readonly string[] = ['Deny'], spec: object = {}) => [
  policy(id, {
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': id } },
      },
      validations: [validation],
      ...spec,
    },
  }),
  policyBinding(id, { spec: { policyName: id, validationActions: actions } }),
];
const denied = (id: string, why: string, name = 'a') =>
  `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy '${id}' with binding '${id}' denied request: ${why}`;

export const POLICIES = [
  ...chapter('access', 'Validating Admission Policy', [
    {
      id: 'policy-denies',
      given: guard(
        'policy-denies',
        { expression: "!has(object.data) || !('bad' in object.data)", message: 'no bad data' },
        ['Deny'],
        { matchConditions: [{ name: 'not-deleting', expression: "request.operation != 'DELETE'" }] },
      ),
      steps: [
        {
          ask: 'POST ~/configmaps?dryRun=All',
          is: 'eventual',
          send: configMap('a', { data: { bad: '1' } }),
          expect: refused({ code: 422, reason: 'Invalid', message: denied('policy-denies', 'no bad data') }),
        },
        { ask: 'POST ~/configmaps', send: configMap('a', { data: { good: '1' } }), expect: { status: 201 } },
        { ask: 'DELETE ~/configmaps/a', expect: { status: 200 } },
      ],
    },
    {
      id: 'policy-old-object-and-reason',
      given: guard('policy-old-object-and-reason', {
        expression: "request.operation != 'UPDATE' || object.data == oldObject.data",
        messageExpression: "'data of ' + object.metadata.name + ' is fixed'",
        reason: 'Forbidden',
      }),
      steps: [
        { ask: 'POST ~/configmaps', send: configMap('a', { data: { k: '1' } }), expect: { status: 201 } },
        {
          ask: 'PATCH ~/configmaps/a?dryRun=All',
          patch: 'merge',
          is: 'eventual',
          send: { data: { k: '2' } },
          expect: refused({
            code: 403,
            reason: 'Forbidden',
            message: denied('policy-old-object-and-reason', 'data of a is fixed'),
          }),
        },
      ],
    },
    {
      id: 'policy-warns',
      given: guard('policy-warns', { expression: 'has(object.data)', message: 'data is better' }, ['Warn']),
      steps: [
        {
          ask: 'POST ~/configmaps?dryRun=All',
          is: 'eventual',
          send: configMap('a'),
          expect: {
            status: 201,
            headers: {
              warning: `299 - "Validation failed for ValidatingAdmissionPolicy 'policy-warns' with binding 'policy-warns': data is better"`,
            },
          },
        },
      ],
    },
    {
      id: 'policy-authorizer',
      given: [
        ...guard('policy-authorizer', {
          expression: "authorizer.group('').resource('secrets').namespace('policy-authorizer').check('get').allowed()",
          message: 'only who reads secrets',
        }),
        ...grant('paul', { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }),
      ],
      steps: [
        {
          ask: 'POST ~/configmaps?dryRun=All',
          as: 'paul',
          is: 'eventual',
          send: configMap('a'),
          expect: { status: 422, body: { message: denied('policy-authorizer', 'only who reads secrets') } },
        },
        { ask: 'POST ~/configmaps', send: configMap('a'), expect: { status: 201 } },
      ],
    },
    {
      id: 'policy-variables',
      given: guard('policy-variables', { expression: 'variables.count < 2', message: 'too much' }, ['Deny'], {
        variables: [{ name: 'count', expression: 'has(object.data) ? size(object.data) : 0' }],
      }),
      steps: [
        {
          ask: 'POST ~/configmaps?dryRun=All',
          is: 'eventual',
          send: configMap('a', { data: { x: '1', y: '2' } }),
          expect: { status: 422, body: { message: denied('policy-variables', 'too much') } },
        },
      ],
    },
    {
      id: 'policy-bad-expression',
      steps: [
        {
          ask: 'POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
          send: guard('policy-bad-expression', { expression: 'object.' })[0],
          expect: {
            status: 422,
            body: { message: /spec\.validations\[0\]\.expression: Invalid value: "object\.": compilation failed/ },
          },
        },
      ],
    },
  ]),
];
