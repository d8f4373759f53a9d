import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findByPath, parseJsonPath } from '../json-path.ts';
import { createTypeBook } from '../kinds/types/builtin-schema.ts';
import DESCRIPTIONS from '../kinds/types/descriptions.json' with { type: 'json' };
import { at, createTestPlane, readCrds } from '../testing/plane.ts';
import { renderAge } from './age.ts';

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const rows = (body: unknown) => (at(body, 'rows') as { cells: unknown[] }[]).map(({ cells }) => cells);
const headings = (body: unknown) => (at(body, 'columnDefinitions') as { name: string }[]).map(({ name }) => name);

const ages = [
  [0, '0s'],
  [119_999, '119s'],
  [120_000, '2m'],
  [150_000, '2m30s'],
  [11 * 60_000, '11m'],
  [4 * 3_600_000 + 5 * 60_000, '4h5m'],
  [30 * 3_600_000, '30h'],
  [3 * 86_400_000 + 3_600_000, '3d1h'],
  [400 * 86_400_000, '400d'],
  [1_000 * 86_400_000, '2y270d'],
  [-5_000, '<invalid>'],
] as const;
for (const [ms, text] of ages) {
  test(`an age of ${ms} ms reads ${text}`, () => assert.equal(renderAge(ms), text));
}

const paths = [
  ['.a.b', [1]],
  ['{.a.b}', [1]],
  ['.list[1].v', ['y']],
  ['.list[*].v', ['x', 'y']],
  ['.list[?(@.k=="two")].v', ['y']],
  [".dotted['a.b/c']", [2]],
  ['.dotted.a\\.b/c', [2]],
  ['.absent.x', []],
] as const;
const sample = {
  a: { b: 1 },
  list: [
    { k: 'one', v: 'x' },
    { k: 'two', v: 'y' },
  ],
  dotted: { 'a.b/c': 2 },
};
for (const [path, found] of paths) {
  test(`the path ${path} leads to ${JSON.stringify(found)}`, () => {
    assert.deepEqual(findByPath(sample, parseJsonPath(path) ?? []), found);
  });
}

describe('a table', () => {
  test('tells of Pods what kubectl shows', () => {
    const { ask, patch, clock } = createTestPlane();
    const pods = '/api/v1/namespaces/default/pods';
    ask('POST', pods, {
      metadata: { name: 'p' },
      spec: { containers: ['a', 'b'].map((name) => ({ name, image: 'x' })) },
    });
    const containerStatuses = [
      { name: 'a', ready: true, restartCount: 2 },
      { name: 'b', ready: false, restartCount: 1 },
    ];
    patch(`${pods}/p/status`, 'merge', { status: { phase: 'Running', containerStatuses, podIP: '192.168.64.3' } });
    clock.advance(65_000);
    const { body } = ask('GET', pods, undefined, TABLE);
    assert.equal(body['kind'], 'Table');
    assert.deepEqual(headings(body), [
      ...['Name', 'Ready', 'Status', 'Restarts', 'Age'],
      ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'],
    ]);
    assert.deepEqual(rows(body), [['p', '1/2', 'Running', '3', '65s', '192.168.64.3', '<none>', '<none>', '<none>']]);
    assert.equal(at(body, 'rows.0.object.kind'), 'PartialObjectMetadata');
  });

  test('tells of Nodes whether they are ready and may be used', () => {
    const { ask } = createTestPlane();
    const status = { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1.33.0' } };
    ask('POST', '/api/v1/nodes', { metadata: { name: 'n' }, spec: { unschedulable: true }, status });
    const { body } = ask('GET', '/api/v1/nodes/n', undefined, TABLE);
    assert.deepEqual(rows(body)[0]?.slice(0, 5), ['n', 'Ready,SchedulingDisabled', '<none>', '0s', 'v1.33.0']);
  });

  test('has the columns of a CRD', () => {
    const { ask } = createTestPlane();
    for (const crd of readCrds()) ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    const hosts = '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/machosts';
    const { body } = ask('GET', hosts, undefined, TABLE);
    assert.deepEqual(headings(body).slice(0, 4), ['Name', 'State', 'Since', 'Pool']);
    assert.deepEqual(rows(body), []);
  });

  test('comes as events of a watch too', () => {
    const { ask, watch } = createTestPlane();
    const { lines } = watch('/api/v1/nodes?watch=1', TABLE);
    ask('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
    assert.equal(at(lines[0], 'object.kind'), 'Table');
    assert.deepEqual(at(lines[0], 'object.rows.0.cells.0'), 'n');
  });

  test('tells in a row where a watch stands whose first events have been sent', () => {
    const { watch } = createTestPlane();
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { lines } = watch(`/api/v1/nodes?${query}`, TABLE);
    const bookmark = lines.find((line) => at(line, 'type') === 'BOOKMARK');
    const annotations = at(bookmark, 'object.rows.0.object.metadata.annotations');
    assert.deepEqual(annotations, { 'k8s.io/initial-events-end': 'true' });
  });

  test('is labelled with the older version when that was asked for', () => {
    const older = { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' };
    const { body } = createTestPlane().ask('GET', '/api/v1/namespaces', undefined, older);
    assert.deepEqual([body['apiVersion'], at(body, 'rows.0.object.apiVersion')], Array(2).fill('meta.k8s.io/v1beta1'));
  });
});

test('metadata alone is given when that is asked for', () => {
  const { ask } = createTestPlane();
  const accept = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
  const { body } = ask('GET', '/api/v1/namespaces', undefined, accept);
  assert.equal(body['kind'], 'PartialObjectMetadataList');
  assert.deepEqual(Object.keys(at(body, 'items.0') as object), ['kind', 'apiVersion', 'metadata']);
});

describe('discovery', () => {
  const AGGREGATED = {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
  };

  test('lists groups, versions and kinds in the older form', () => {
    const { ask } = createTestPlane();
    assert.deepEqual(ask('GET', '/api').body['versions'], ['v1']);
    const groups = (ask('GET', '/apis').body['groups'] as { name: string }[]).map(({ name }) => name);
    assert.ok(groups.includes('cluster.x-k8s.io') && !groups.includes(''));
    const names = (ask('GET', '/api/v1').body['resources'] as { name: string }[]).map(({ name }) => name);
    assert.ok(names.includes('pods') && names.includes('pods/binding'));
    assert.equal(ask('GET', '/apis/apps').body['kind'], 'APIGroup');
    assert.equal(ask('GET', '/apis/apps/v1').body['groupVersion'], 'apps/v1');
    assert.equal(ask('GET', '/apis/nonsense/v1').status, 404);
  });

  test('lists everything at once in the aggregated form, new kinds included', () => {
    const { ask } = createTestPlane();
    for (const crd of readCrds()) ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    const { body } = ask('GET', '/apis', undefined, AGGREGATED);
    const tuist = (body['items'] as unknown[]).find((item) => at(item, 'metadata.name') === 'tuist.dev');
    assert.equal(at(tuist, 'versions.0.resources.0.resource'), 'runnerpools');
    assert.deepEqual(at(tuist, 'versions.0.resources.0.shortNames'), ['rpool']);
  });

  test('says in OpenAPI that the server validates fields', () => {
    const { ask } = createTestPlane();
    const url =
      at(ask('GET', '/openapi/v3').body['paths'], 'apis/apps/v1.serverRelativeURL') ?? '/openapi/v3/apis/apps/v1';
    const { body } = ask('GET', String(url));
    const patch = at(body['paths'], '/apis/apps/v1/namespaces/{namespace}/deployments/{name}') as { patch: unknown };
    assert.ok((at(patch.patch, 'parameters') as { name: string }[]).some(({ name }) => name === 'fieldValidation'));
  });
});

describe('a kind that is not supported', () => {
  const rows = [
    {
      path: '/apis/apps/v1/namespaces/default/daemonsets',
      says: /does not support the kind DaemonSet: run a Deployment/,
    },
    { path: '/api/v1/services', says: /the kind Service: there is no network/ },
    { path: '/apis/cluster.x-k8s.io/v1beta2/clusterclasses', says: /the kind ClusterClass: write the Cluster/ },
  ];
  for (const { path, says } of rows) {
    test(`${path} is answered with what to do instead`, () => {
      const { status, body } = createTestPlane().ask('GET', path);
      assert.equal(status, 405);
      assert.match(String(body['message']), says);
    });
  }

  test('is discovered without verbs, so that kubectl asks for it', () => {
    const { body } = createTestPlane().ask('GET', '/apis/apps/v1');
    const daemonSets = (body['resources'] as { name: string; verbs: unknown[] }[]).find(
      ({ name }) => name === 'daemonsets',
    );
    assert.deepEqual(daemonSets?.verbs, []);
  });
});

test('requests are counted under the names of a real API server', () => {
  const { ask } = createTestPlane();
  ask('GET', '/api/v1/namespaces/default/pods/none');
  const text = String(ask('GET', '/metrics').body['text']);
  assert.match(text, /apiserver_request_total\{code="404",.*resource="pods",scope="resource",.*verb="GET".*\} 1/);
});

test('the fields of a built-in kind are explained, each type once', () => {
  const { body } = createTestPlane().ask('GET', '/openapi/v3/apis/apps/v1');
  const schemas = at(body, 'components.schemas') as Record<string, { properties: Record<string, unknown> }>;
  assert.deepEqual(schemas['io.k8s.api.apps.v1.Deployment']?.properties['spec'], {
    allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec' }],
  });
  assert.deepEqual(schemas['io.k8s.api.apps.v1.DeploymentSpec']?.properties['replicas'], {
    ...{ type: 'integer', format: 'int32' },
    description: 'How many Pods are wanted.',
  });
});

test('a client keeps a document of OpenAPI until a kind comes or goes', () => {
  const { ask } = createTestPlane();
  const addressOf = (group: string): string => {
    const paths = ask('GET', '/openapi/v3').body['paths'] as Record<string, { serverRelativeURL: string }>;
    return paths[group]?.serverRelativeURL ?? 'none';
  };
  assert.equal(addressOf('apis/infrastructure.cluster.x-k8s.io/v1alpha1'), 'none');
  const core = addressOf('api/v1');
  const first = ask('GET', core);
  assert.deepEqual([first.status, first.headers['cache-control']], [200, 'public, immutable']);
  const again = ask('GET', core, undefined, { 'if-none-match': first.headers['etag'] ?? '' });
  assert.deepEqual([again.status, again.body], [304, { text: '' }]);
  for (const crd of readCrds()) ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  assert.equal(addressOf('api/v1'), core, 'its own kinds are the same');
  assert.match(addressOf('apis/infrastructure.cluster.x-k8s.io/v1alpha1'), /\?hash=[0-9A-F]+$/);
});

test('every description is of a type or a field that there is', () => {
  const book = createTypeBook();
  const isKnown = (what: string): boolean => {
    if (book(what).typeName !== undefined) return true;
    const [, type = '', field = ''] = /^(.*)\.([^.]+)$/.exec(what) ?? [];
    return book(type).typeName !== undefined && Object.hasOwn(book(type).properties ?? {}, field);
  };
  assert.deepEqual(
    Object.keys(DESCRIPTIONS).filter((what) => !isKnown(what)),
    [],
  );
});
