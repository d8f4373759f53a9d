/** CustomResourceDefinition itself: what makes a kind, and what is refused as a definition. */
import { chapter } from '../case.ts';
import { CRDS, definition, schema } from '../definition.ts';
import { including, present } from '../match.ts';
import { refused } from '../objects.ts';

const badDefinition = (id: string, object: object, message: RegExp) => ({
  id,
  steps: [{ ask: `POST ${CRDS}`, send: object, expect: { status: 422, body: { reason: 'Invalid', message } } }],
});

const spec = (fields: object) => schema({ spec: { type: 'object', ...fields } });
const TEXT = { type: 'string' } as const;
const ruled = (plural: string, rule: object, fields: object = { a: TEXT }) =>
  definition(plural, spec({ properties: fields, 'x-kubernetes-validations': [rule] }));

const made = (kind: string, fields: object) => ({
  ...{ apiVersion: 'made.macfleet.dev/v1', kind, metadata: { generateName: 'a-' }, spec: fields },
});

export const DEFINITIONS = [
  ...chapter('custom kinds', 'CustomResourceDefinition', [
    {
      id: 'definition-conditions',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: definition('things'),
          expect: {
            status: 201,
            body: {
              spec: { conversion: { strategy: 'None' }, names: { singular: 'kthings', listKind: 'KthingsList' } },
            },
          },
        },
        {
          ask: `GET ${CRDS}/things.made.macfleet.dev`,
          is: 'eventual',
          expect: {
            status: 200,
            body: {
              status: {
                acceptedNames: { plural: 'things', kind: 'Kthings' },
                storedVersions: ['v1'],
                conditions: including(
                  { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
                  { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
                ),
              },
            },
          },
        },
      ],
    },
    {
      id: 'definition-goes-with-its-objects',
      steps: [
        { ask: `POST ${CRDS}`, send: definition('brief'), expect: { status: 201 } },
        {
          ask: 'POST ~made.macfleet.dev/v1/brief',
          is: 'eventual',
          send: { apiVersion: 'made.macfleet.dev/v1', kind: 'Kbrief', metadata: { name: 'a' } },
          expect: { status: 201 },
        },
        { ask: `DELETE ${CRDS}/brief.made.macfleet.dev`, expect: { status: 200 } },
        { ask: `GET ${CRDS}/brief.made.macfleet.dev`, is: 'eventual', expect: { status: 404 } },
        { ask: 'GET ~made.macfleet.dev/v1/brief', is: 'eventual', expect: { status: 404 } },
      ],
    },
    {
      id: 'definition-two-versions',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: definition(
            'pairs',
            {},
            {
              versions: ['v1', 'v2'].map((name) => ({
                name,
                served: true,
                storage: name === 'v1',
                ...schema({ spec: { type: 'object', properties: { a: { type: 'string' } } } }),
              })),
            },
          ),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/pairs',
          is: 'eventual',
          send: { apiVersion: 'made.macfleet.dev/v1', kind: 'Kpairs', metadata: { name: 'a' }, spec: { a: 'x' } },
          expect: { status: 201 },
        },
        {
          ask: 'GET ~made.macfleet.dev/v2/pairs/a',
          is: 'eventual',
          expect: { status: 200, body: { apiVersion: 'made.macfleet.dev/v2', spec: { a: 'x' } } },
        },
        {
          ask: 'GET /apis/made.macfleet.dev',
          is: 'eventual',
          expect: { status: 200, body: { versions: including({ version: 'v2' }, { version: 'v1' }) } },
        },
      ],
    },
    badDefinition(
      'definition-name',
      { ...definition('x'), metadata: { name: 'wrong' } },
      /metadata\.name: Invalid value: "wrong": must be spec\.names\.plural\+"\."\+spec\.group/,
    ),
    badDefinition(
      'definition-not-structural',
      definition('loose', schema({ spec: { properties: { a: { type: 'string' } } } })),
      /spec\.validation\.openAPIV3Schema\.properties\[spec\]\.type: Required value: must not be empty for specified object fields/,
    ),
    badDefinition(
      'definition-bad-rule',
      definition(
        'wrong',
        schema({ spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nope > 1' }] } }),
      ),
      /x-kubernetes-validations\[0\]\.rule: Invalid value: .*undefined field 'nope'/s,
    ),
    badDefinition(
      'definition-no-storage',
      definition('homeless', { storage: false }),
      /spec\.versions: Invalid value: .*must have exactly one version marked as storage version/s,
    ),
    {
      id: 'definition-protected-group',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: {
            ...definition('x'),
            metadata: { name: 'xs.y.k8s.io' },
            spec: { ...definition('x').spec, group: 'y.k8s.io', names: { plural: 'xs', kind: 'Xs' } },
          },
          expect: {
            status: 422,
            body: {
              message:
                /metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups must have approval annotation/,
            },
          },
        },
      ],
    },
    {
      id: 'mac-hosts',
      steps: [
        {
          ask: 'GET /apis/infrastructure.cluster.x-k8s.io/v1alpha1/machosts',
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
          expect: {
            status: 200,
            body: { kind: 'Table', columnDefinitions: including({ name: 'State' }, { name: 'Claimed by' }) },
          },
        },
        {
          ask: 'POST /apis/infrastructure.cluster.x-k8s.io/v1alpha1/machosts',
          send: {
            apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
            kind: 'MacHost',
            metadata: { name: 'Bad Name' },
          },
          expect: { status: 422, body: { details: { kind: 'MacHost', causes: present } } },
        },
        {
          ask: 'POST /apis/infrastructure.cluster.x-k8s.io/v1alpha1/machosts',
          send: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta9', kind: 'MacHost', metadata: { name: 'a' } },
          expect: refused({
            code: 400,
            reason: 'BadRequest',
            message:
              /^the API version in the data \(infrastructure\.cluster\.x-k8s\.io\/v1beta9\) does not match the expected API version/,
          }),
        },
      ],
    },
  ]),
  ...chapter('custom kinds', 'Custom resources: validation rules are checked against the schema', [
    badDefinition(
      'rule-of-another-type',
      ruled('mistyped', { rule: 'self.a > 1' }),
      /x-kubernetes-validations\[0\]\.rule: Invalid value: .*compilation failed: .*no (such|matching) overload/s,
    ),
    badDefinition(
      'rule-that-is-no-question',
      ruled('unasked', { rule: 'self.a' }),
      /\.properties\[spec\]\.x-kubernetes-validations\[0\]\.rule: Invalid value: \{"Rule":"self\.a",.*\}: cel expression must evaluate to a bool$/,
    ),
    badDefinition(
      'message-that-is-no-text',
      ruled('mute', { rule: "self.a == ''", messageExpression: '1' }),
      /x-kubernetes-validations\[0\]\.messageExpression: Invalid value: \{.*"MessageExpression":"1",.*\}: messageExpression must evaluate to a string$/,
    ),
    badDefinition(
      'rule-of-an-unknown-variable',
      ruled('strange', { rule: 'other.a == self.a' }),
      /x-kubernetes-validations\[0\]\.rule: Invalid value: /,
    ),
    badDefinition(
      'rule-that-asks-for-no-field',
      ruled('askers', { rule: "!has( self.nope ) || has(self.a) && self.a == 'x'" }),
      /undefined field 'nope'/,
    ),
    badDefinition(
      'rule-of-an-item',
      ruled(
        'items',
        { rule: 'self.l.all(x, x.nope == 1)' },
        { l: { type: 'array', maxItems: 9, items: { type: 'object', properties: { a: TEXT } } } },
      ),
      /undefined field 'nope'/,
    ),
    {
      id: 'rule-spelling',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: ruled(
            'spelled',
            { rule: "self.a__dash__b == 'x' && self.__namespace__ == 'y'", message: 'spelled out' },
            { 'a-b': TEXT, namespace: TEXT },
          ),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/spelled',
          is: 'eventual',
          send: made('Kspelled', { 'a-b': 'x', namespace: 'y' }),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/spelled',
          send: made('Kspelled', { 'a-b': 'x', namespace: 'z' }),
          expect: { status: 422, body: { message: /spec: Invalid value: spelled out$/ } },
        },
      ],
    },
    {
      id: 'rule-about-a-time',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: ruled(
            'times',
            { rule: "self.t < timestamp('2030-01-01T00:00:00Z')", message: 'too late' },
            { t: { ...TEXT, format: 'date-time' } },
          ),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/times',
          is: 'eventual',
          send: made('Ktimes', { t: '2029-12-31T23:59:59Z' }),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/times',
          send: made('Ktimes', { t: '2031-01-01T00:00:00Z' }),
          expect: { status: 422, body: { message: /spec: Invalid value: too late$/ } },
        },
      ],
    },
    {
      id: 'rule-about-a-duration',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: ruled(
            'spans',
            { rule: "self.d < duration('1h') && self.d.getMinutes() > 1", message: 'not between' },
            { d: { ...TEXT, format: 'duration' } },
          ),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/spans',
          is: 'eventual',
          send: made('Kspans', { d: '59m' }),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/spans',
          send: made('Kspans', { d: '1h30m' }),
          expect: { status: 422, body: { message: /spec: Invalid value: not between$/ } },
        },
      ],
    },
    {
      id: 'rule-that-fails',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: ruled('failing', { rule: 'self.l[3] == 1' }, { l: { type: 'array', items: { type: 'integer' } } }),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/failing',
          is: 'eventual',
          send: made('Kfailing', { l: [1] }),
          expect: {
            status: 422,
            body: {
              message: /spec: Invalid value: "object": index out of bounds: 3 evaluating rule: self\.l\[3\] == 1$/,
            },
          },
        },
      ],
    },
    {
      id: 'rule-with-a-pattern',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: ruled(
            'matched',
            { rule: "self.a.matches('^(a+)+$')", message: 'no match' },
            { a: { ...TEXT, maxLength: 100 } },
          ),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/matched',
          is: 'eventual',
          send: made('Kmatched', { a: 'aaa' }),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/matched',
          send: made('Kmatched', { a: `${'a'.repeat(50)}b` }),
          expect: { status: 422, body: { message: /spec: Invalid value: no match$/ } },
        },
      ],
    },
  ]),
  ...chapter('custom kinds', 'Custom resources: patterns are RE2', [
    ...[
      ['pattern-looks-ahead', '^(?!x)', /invalid or unsupported Perl syntax: `\(\?!`/] as const,
      ['pattern-refers-back', '(a)\\1', /invalid escape sequence: `\\1`/] as const,
      ['pattern-not-closed', '(a', /missing closing \): `\(a`/] as const,
    ].map(([id, pattern, why]) =>
      badDefinition(
        id,
        definition('unmatched', spec({ properties: { a: { ...TEXT, pattern } } })),
        new RegExp(`must be a valid regular expression, but isn't: error parsing regexp: ${why.source}`),
      ),
    ),
    {
      id: 'pattern-without-end',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: definition('endless', spec({ properties: { a: { ...TEXT, pattern: '^(a+)+$' } } })),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/endless',
          is: 'eventual',
          send: made('Kendless', { a: `${'a'.repeat(50)}b` }),
          expect: { status: 422, body: { message: /spec\.a in body should match '\^\(a\+\)\+\$'/ } },
        },
      ],
    },
  ]),
];
