/** What a client learns about the server: versions, health, groups, kinds, schemas. */
import { chapter } from '../case.ts';
import { absent, including, present } from '../match.ts';
import { refused } from '../objects.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

const get = (id: string, path: string, expect: object, headers: Readonly<Record<string, string>> = {}) => ({
  id,
  steps: [{ ask: `GET ${path}`, headers, is: 'eventual' as const, expect: { status: 200, ...expect } }],
});

export const DISCOVERY = [
  ...chapter('discovery', 'API overview: discovery', [
    get('api-versions', '/api', { body: { kind: 'APIVersions', versions: ['v1'] } }),
    get('api-groups', '/apis', {
      body: {
        ...{ kind: 'APIGroupList', apiVersion: 'v1' },
        groups: including(
          { name: 'apps', preferredVersion: { groupVersion: 'apps/v1', version: 'v1' } },
          { name: 'batch' },
          { name: 'policy' },
          { name: 'coordination.k8s.io' },
          { name: 'rbac.authorization.k8s.io' },
          { name: 'apiextensions.k8s.io' },
          { name: 'conformance.macfleet.dev', versions: [{ groupVersion: 'conformance.macfleet.dev/v1' }] },
        ),
      },
    }),
    get('api-group', '/apis/apps', {
      body: { kind: 'APIGroup', apiVersion: 'v1', name: 'apps', versions: [{ groupVersion: 'apps/v1' }] },
    }),
    get('api-resources-core', '/api/v1', {
      body: {
        ...{ kind: 'APIResourceList', groupVersion: 'v1' },
        resources: including(
          {
            ...{ name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', shortNames: ['po'] },
            ...{ categories: ['all'] },
            verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
          },
          { name: 'pods/status', kind: 'Pod', verbs: ['get', 'patch', 'update'] },
          { name: 'pods/eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
          { name: 'pods/binding', kind: 'Binding', verbs: ['create'] },
          {
            name: 'namespaces',
            namespaced: false,
            verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
          },
          { name: 'serviceaccounts/token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
        ),
      },
    }),
    get('storage-version-hash', '/api/v1', {
      body: { resources: including({ name: 'pods', storageVersionHash: 'xPOwRZ+Yhw8=' }) },
    }),
    get('api-resources-scale', '/apis/apps/v1', {
      body: {
        resources: including({
          ...{ name: 'deployments/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get', 'patch', 'update'],
        }),
      },
    }),
    get('api-resources-custom', '/apis/conformance.macfleet.dev/v1', {
      body: {
        ...{ kind: 'APIResourceList', groupVersion: 'conformance.macfleet.dev/v1' },
        resources: including(
          {
            ...{ name: 'gadgets', singularName: 'gadget', namespaced: true, kind: 'Gadget', shortNames: ['gdt'] },
            verbs: including('create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'),
          },
          { name: 'gadgets/status', kind: 'Gadget', verbs: ['get', 'patch', 'update'] },
          {
            name: 'gadgets/scale',
            group: 'autoscaling',
            version: 'v1',
            kind: 'Scale',
            verbs: ['get', 'patch', 'update'],
          },
        ),
      },
    }),
    get('reviews-are-listed', '/apis/authorization.k8s.io/v1', {
      body: {
        resources: including(
          { name: 'subjectaccessreviews', namespaced: false, verbs: ['create'] },
          { name: 'selfsubjectaccessreviews', namespaced: false, verbs: ['create'] },
          { name: 'localsubjectaccessreviews', namespaced: true, verbs: ['create'] },
          { name: 'selfsubjectrulesreviews', namespaced: false, verbs: ['create'] },
        ),
      },
    }),
    {
      id: 'no-such-group',
      steps: [{ ask: 'GET /apis/nothing.example', expect: { status: 404, body: /^404 page not found/ } }],
    },
    {
      id: 'no-such-version',
      steps: [
        {
          ask: 'GET /apis/apps/v9',
          expect: refused({
            ...{ code: 404, reason: 'NotFound', details: {} },
            message: 'the server could not find the requested resource',
          }),
        },
      ],
    },
  ]),
  ...chapter('discovery', 'API overview: aggregated discovery', [
    get(
      'aggregated-groups',
      '/apis',
      {
        headers: { 'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
        body: {
          ...{ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' },
          items: including(
            {
              metadata: { name: 'apps' },
              versions: [
                {
                  ...{ version: 'v1', freshness: 'Current' },
                  resources: including({
                    ...{ resource: 'deployments', scope: 'Namespaced', singularResource: 'deployment' },
                    ...{ shortNames: ['deploy'], categories: ['all'] },
                    responseKind: { kind: 'Deployment' },
                    subresources: including({
                      subresource: 'scale',
                      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                    }),
                  }),
                },
              ],
            },
            { metadata: { name: 'conformance.macfleet.dev' } },
          ),
        },
      },
      { accept: AGGREGATED },
    ),
    get(
      'aggregated-core',
      '/api',
      {
        body: {
          kind: 'APIGroupDiscoveryList',
          items: [
            { metadata: { name: absent }, versions: [{ version: 'v1', resources: including({ resource: 'pods' }) }] },
          ],
        },
      },
      { accept: AGGREGATED },
    ),
  ]),
  ...chapter('discovery', 'API overview: OpenAPI v3', [
    get('openapi-index', '/openapi/v3', {
      body: {
        paths: {
          'api/v1': { serverRelativeURL: /^\/openapi\/v3\/api\/v1/ },
          'apis/apps/v1': present,
          'apis/conformance.macfleet.dev/v1': present,
        },
      },
    }),
    get('openapi-hash', '/openapi/v3', {
      body: { paths: { 'api/v1': { serverRelativeURL: /^\/openapi\/v3\/api\/v1\?hash=/ } } },
    }),
    {
      id: 'openapi-kept',
      steps: [
        {
          ask: 'GET /openapi/v3/api/v1',
          headers: { 'if-none-match': '"another"' },
          is: 'eventual',
          expect: { status: 200, headers: { etag: /^"[0-9A-F]{128}"$/ } },
        },
        {
          ask: 'GET /openapi/v3/api/v1?hash=outdated',
          expect: { status: 301, headers: { location: /\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/ } },
        },
      ],
    },
    get('openapi-core', '/openapi/v3/api/v1', {
      body: {
        openapi: /^3\.0/,
        paths: { '/api/v1/namespaces/{namespace}/pods': present },
        components: {
          schemas: {
            'io.k8s.api.core.v1.Pod': {
              type: 'object',
              properties: { spec: present, metadata: present },
              'x-kubernetes-group-version-kind': [{ group: '', kind: 'Pod', version: 'v1' }],
            },
          },
        },
      },
    }),
    {
      id: 'openapi-custom',
      steps: [
        {
          ask: 'GET /openapi/v3/apis/conformance.macfleet.dev/v1',
          is: 'eventual',
          expect: {
            status: 200,
            body: {
              components: {
                schemas: {
                  'dev.macfleet.conformance.v1.Gadget': {
                    properties: { spec: { properties: { color: { default: 'red', enum: ['red', 'green', 'blue'] } } } },
                    'x-kubernetes-group-version-kind': [
                      { group: 'conformance.macfleet.dev', kind: 'Gadget', version: 'v1' },
                    ],
                  },
                },
              },
            },
          },
        },
      ],
    },
  ]),
  ...chapter('discovery', 'Kubernetes API health endpoints', [
    get('healthz', '/healthz', { body: 'ok' }),
    get('livez', '/livez', { body: 'ok' }),
    get('readyz', '/readyz', { body: 'ok' }),
    get('readyz-verbose', '/readyz?verbose', { body: /^\[\+\]ping ok[\s\S]*readyz check passed/ }),
    get('version', '/version', { body: { major: '1', minor: '36', gitVersion: /^v1\.36\./, platform: present } }),
    {
      id: 'health-without-login',
      steps: [
        { ask: 'GET /livez', as: 'system:anonymous', expect: { status: 200, body: 'ok' } },
        { ask: 'GET /readyz', as: 'system:anonymous', expect: { status: 200 } },
        { ask: 'GET /version', as: 'system:anonymous', expect: { status: 200, body: { major: '1' } } },
        {
          ask: 'GET /api',
          as: 'system:anonymous',
          expect: refused({
            ...{ code: 403, reason: 'Forbidden' },
            message: 'forbidden: User "system:anonymous" cannot get path "/api"',
          }),
        },
      ],
    },
    get('metrics', '/metrics', { body: /apiserver_request_total/ }),
  ]),
];
