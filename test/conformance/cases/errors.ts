/** Requests that are wrong before any object is looked at: methods, media types, sizes, paths, bodies. */
import { chapter } from '../case.ts';
import { configMap, pod, refused } from '../objects.ts';

const NOT_ALLOWED = refused({
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
});
const DEEP = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;

export const ERRORS = [
  ...chapter('errors', 'API concepts: response codes', [
    {
      id: 'post-to-an-object',
      given: [configMap('a')],
      steps: [{ ask: 'POST ~/configmaps/a', send: configMap('a'), expect: NOT_ALLOWED }],
    },
    { id: 'put-to-a-collection', steps: [{ ask: 'PUT ~/configmaps', send: configMap('a'), expect: NOT_ALLOWED }] },
    { id: 'patch-a-collection', steps: [{ ask: 'PATCH ~/configmaps', patch: 'merge', send: {}, expect: NOT_ALLOWED }] },
    {
      id: 'delete-a-review',
      steps: [{ ask: 'GET /apis/authorization.k8s.io/v1/subjectaccessreviews', expect: NOT_ALLOWED }],
    },
    {
      id: 'not-json',
      steps: [{ ask: 'POST ~/configmaps', send: '{"kind":', expect: { status: 400, body: { reason: 'BadRequest' } } }],
    },
    {
      id: 'empty-body',
      steps: [{ ask: 'POST ~/configmaps', send: '', expect: { status: 400, body: { reason: 'BadRequest' } } }],
    },
    {
      id: 'a-list-as-body',
      steps: [{ ask: 'POST ~/configmaps', send: '[]', expect: { status: 400, body: { reason: 'BadRequest' } } }],
    },
    {
      id: 'wrong-field-type',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap('a', { data: 'text' }),
          expect: {
            status: 400,
            body: {
              reason: 'BadRequest',
              message:
                /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap\.data of type map\[string\]string/,
            },
          },
        },
      ],
    },
    {
      id: 'wrong-number-type',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', { terminationGracePeriodSeconds: 'x' }),
          expect: { status: 400, body: { reason: 'BadRequest' } },
        },
      ],
    },
    {
      id: 'wrong-api-version',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: { ...configMap('a'), apiVersion: 'v9' },
          expect: {
            status: 400,
            body: {
              reason: 'BadRequest',
              message: /no kind "ConfigMap" is registered for version "v9"|does not match the expected API version/,
            },
          },
        },
      ],
    },
    {
      id: 'body-type-unknown',
      steps: [
        {
          ask: 'POST ~/configmaps',
          headers: { 'content-type': 'text/plain' },
          send: '{}',
          expect: refused({
            code: 415,
            reason: 'UnsupportedMediaType',
            message:
              /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/,
          }),
        },
      ],
    },
    {
      id: 'accept-unknown',
      steps: [
        {
          ask: 'GET ~/configmaps',
          headers: { accept: 'text/html' },
          expect: refused({
            code: 406,
            reason: 'NotAcceptable',
            message: /^406: Not Acceptable\n\nAvailable representations: application\/json, application\/yaml/,
          }),
        },
      ],
    },
    {
      id: 'accept-anything',
      steps: [
        {
          ask: 'GET ~/configmaps',
          headers: { accept: '*/*' },
          expect: { status: 200, headers: { 'content-type': 'application/json' } },
        },
      ],
    },
    {
      id: 'accept-yaml',
      given: [configMap('a')],
      steps: [
        {
          ask: 'GET ~/configmaps/a',
          headers: { accept: 'application/yaml' },
          expect: {
            status: 200,
            headers: { 'content-type': 'application/yaml' },
            body: /^apiVersion: v1\nkind: ConfigMap\n/,
          },
        },
      ],
    },
    {
      id: 'accept-prefers-json',
      steps: [
        {
          ask: 'GET ~/configmaps',
          headers: { accept: 'text/html, application/json' },
          expect: { status: 200, headers: { 'content-type': 'application/json' } },
        },
      ],
    },
    {
      id: 'body-too-large',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap('a', { data: { k: 'x'.repeat(4 * 1024 * 1024) } }),
          expect: { status: 413, body: { reason: 'RequestEntityTooLarge' } },
        },
      ],
    },
    {
      id: 'config-map-too-large',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap('a', { data: { k: 'x'.repeat(1_100_000) } }),
          expect: { status: 422, body: { message: /Too long: may not be more than 1048576 bytes/ } },
        },
      ],
    },
    { id: 'body-too-deep', steps: [{ ask: 'POST ~/configmaps', send: DEEP, expect: { status: 400 } }] },
    {
      id: 'proto-is-a-key',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"__proto__":"x"}}',
          expect: { status: 201 },
        },
      ],
    },
    {
      id: 'path-tricks',
      steps: [
        { ask: 'GET ~/configmaps/..%2fsecrets', expect: { status: 404 } },
        { ask: 'GET /api/v2/pods', expect: { status: 404 } },
      ],
    },
    { id: 'root', steps: [{ ask: 'GET /nothing-here', expect: { status: 404 } }] },
    { id: 'query-is-ignored', steps: [{ ask: 'GET ~/configmaps?nonsense=1', expect: { status: 200 } }] },
    {
      id: 'limit-is-checked',
      steps: [{ ask: 'GET ~/configmaps?limit=x', expect: { status: 400, body: { reason: 'BadRequest' } } }],
    },
    {
      id: 'audit-id',
      steps: [
        {
          ask: 'GET ~/configmaps',
          headers: { 'audit-id': 'conformance-1' },
          expect: { status: 200, headers: { 'audit-id': 'conformance-1' } },
        },
      ],
    },
    {
      id: 'audit-id-made-up',
      steps: [{ ask: 'GET ~/configmaps', expect: { status: 200, headers: { 'audit-id': /^[0-9a-f-]{36}$/ } } }],
    },
    {
      id: 'refused-in-yaml',
      steps: [
        {
          ask: 'GET ~/configmaps/nothing',
          headers: { accept: 'application/yaml' },
          expect: {
            status: 404,
            headers: { 'content-type': 'application/yaml' },
            body: /^apiVersion: v1\ncode: 404\n/,
          },
        },
        {
          ask: 'GET ~/configmaps',
          headers: { accept: 'application/yaml;q=0.5, application/json;q=0.9' },
          expect: { status: 200, headers: { 'content-type': 'application/json' } },
        },
      ],
    },
    {
      id: 'watch-in-yaml',
      steps: [{ ask: 'GET ~/configmaps?watch=true', headers: { accept: 'application/yaml' }, expect: { status: 406 } }],
    },
    {
      id: 'not-cached',
      steps: [{ ask: 'GET ~/configmaps', expect: { status: 200, headers: { 'cache-control': 'no-cache, private' } } }],
    },
  ]),
];
