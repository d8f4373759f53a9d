import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GO_OBJECTS } from '../../../kinds/testing/go-objects.ts';
import type { Sample } from '../../../kinds/testing/parsers.ts';
import { UPDATES } from '../../../kinds/testing/updates.ts';
import { WRONG_OBJECTS } from '../../../kinds/testing/wrong-objects.ts';
import { parseStoredObject } from '../../store/object.ts';
import { at, createTestPlane, readCrds } from '../testing/plane.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POOLS = '/apis/tuist.dev/v1alpha1/namespaces/tuist/runnerpools';
const goodPool = { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: ['a'] };
const pool = (spec: object, more: object = {}) => ({
  metadata: { name: 'p' },
  spec: { ...goodPool, ...spec },
  ...more,
});

const start = () => {
  const plane = createTestPlane();
  plane.ask('POST', '/api/v1/namespaces', { metadata: { name: 'tuist' } });
  const crds = readCrds();
  for (const crd of crds) assert.equal(plane.ask('POST', CRDS, crd).status, 201);
  const pathOf = (kind: Sample['kind']): string => {
    const spec = crds.find((crd) => at(crd, 'spec.names.kind') === kind)?.['spec'];
    const place = at(spec, 'scope') === 'Cluster' ? '' : '/namespaces/tuist';
    return `/apis/${at(spec, 'group')}/v1alpha1${place}/${at(spec, 'names.plural')}`;
  };
  return { ...plane, pathOf };
};

describe('a CRD', () => {
  test('is served as soon as it is stored, and established', () => {
    const { ask } = start();
    assert.equal(ask('GET', POOLS).body['kind'], 'RunnerPoolList');
    const crd = ask('GET', `${CRDS}/runnerpools.tuist.dev`).body;
    const types = (at(crd, 'status.conditions') as { type: string }[]).map(({ type }) => type);
    assert.deepEqual(types, ['NamesAccepted', 'Established']);
  });

  test('is no longer served when it is gone, and takes its objects along', () => {
    const { ask, store } = start();
    ask('POST', POOLS, pool({}));
    ask('DELETE', `${CRDS}/runnerpools.tuist.dev`);
    assert.equal(ask('GET', POOLS).status, 404);
    assert.deepEqual(store.list('tuist.dev/runnerpools'), []);
  });

  test('stays while an object of its kind is held', () => {
    const { ask, patch } = start();
    ask('POST', POOLS, { ...pool({}), metadata: { name: 'p', finalizers: ['a.b/c'] } });
    ask('DELETE', `${CRDS}/runnerpools.tuist.dev`);
    assert.notEqual(at(ask('GET', `${POOLS}/p`).body, 'metadata.deletionTimestamp'), undefined);
    patch(`${POOLS}/p`, 'merge', { metadata: { finalizers: null } });
    assert.equal(ask('GET', `${CRDS}/runnerpools.tuist.dev`).status, 404);
  });

  test('keeps the conditions that others write into its status', () => {
    const { ask, patch } = createTestPlane();
    const [crd = {}] = readCrds();
    const name = String(at(ask('POST', CRDS, crd).body, 'metadata.name'));
    const theirs = { type: 'Audited', status: 'True', lastTransitionTime: null, reason: 'Fine', message: 'looked at' };
    patch(`${CRDS}/${name}/status`, 'merge', { status: { conditions: [theirs] } });
    const conditions = at(ask('GET', `${CRDS}/${name}`).body, 'status.conditions') as { readonly type: string }[];
    assert.deepEqual(conditions.map(({ type }) => type).sort(), ['Audited', 'Established', 'NamesAccepted']);
  });

  const broken = [
    {
      story: 'a name that is not plural and group',
      change: { metadata: { name: 'x.y' } },
      message: /spec\.names\.plural/,
    },
    {
      story: 'no schema',
      spec: { versions: [{ name: 'v1', served: true, storage: true }] },
      message: /schemas are required/,
    },
    { story: 'no storage version', spec: { versions: [] }, message: /storage version/ },
    {
      story: 'a rule that is no CEL',
      spec: {
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.(' }] } },
          },
        ],
      },
      message: /compilation failed: .*Syntax error/,
    },
    {
      story: 'a pattern that is none',
      spec: {
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
          },
        ],
      },
      message: /valid regular expression/,
    },
  ];
  for (const { story, change = {}, spec = {}, message } of broken) {
    test(`with ${story} is refused`, () => {
      const { ask } = createTestPlane();
      const crd = readCrds().find((one) => at(one, 'spec.names.kind') === 'RunnerPool') ?? {};
      const { status, body } = ask('POST', CRDS, { ...crd, ...change, spec: { ...(crd['spec'] as object), ...spec } });
      assert.equal(status, 422);
      assert.match(String(body['message']), message);
    });
  }
});

describe('an object of a CRD', () => {
  test('gets its defaults, also inside of defaults', () => {
    const { ask } = start();
    const { body } = ask('POST', POOLS, pool({}));
    assert.equal(at(body, 'spec.os'), 'darwin');
    assert.equal(at(body, 'spec.provisioning.startTimeoutSeconds'), 300);
  });

  test('loses fields that nobody knows, or is refused for them when that is asked for', () => {
    const { ask } = start();
    assert.equal(at(ask('POST', POOLS, pool({ bogus: 1 })).body, 'spec.bogus'), undefined);
    const strict = ask('POST', `${POOLS}?fieldValidation=Strict`, { ...pool({ bogus: 1 }), metadata: { name: 'q' } });
    assert.equal(strict.status, 400);
    assert.match(String(strict.body['message']), /unknown field "spec\.bogus"/);
  });

  test('has its status written through the subresource alone', () => {
    const { ask, patch } = start();
    ask('POST', POOLS, pool({}, { status: { observedReplicas: 7 } }));
    assert.equal(at(ask('GET', `${POOLS}/p`).body, 'status'), undefined);
    patch(`${POOLS}/p`, 'merge', { status: { observedReplicas: 7 } });
    assert.equal(at(ask('GET', `${POOLS}/p`).body, 'status'), undefined);
    const { body } = patch(`${POOLS}/p/status`, 'merge', {
      status: { observedReplicas: 7 },
      metadata: { labels: { a: 'b' } },
    });
    assert.equal(at(body, 'status.observedReplicas'), 7);
    assert.equal(at(body, 'metadata.labels'), undefined);
  });

  test('is scaled through its scale subresource', () => {
    const { ask, patch } = start();
    ask('POST', POOLS, pool({}));
    patch(`${POOLS}/p/status`, 'merge', { status: { selector: 'a=b', observedReplicas: 1 } });
    assert.equal(patch(`${POOLS}/p/scale`, 'merge', { spec: { replicas: 4 } }).status, 200);
    assert.equal(at(ask('GET', `${POOLS}/p`).body, 'spec.replicas'), 4);
    assert.deepEqual(ask('GET', `${POOLS}/p/scale`).body['status'], { replicas: 1, selector: 'a=b' });
  });

  test('is judged by rules that count in integers and in fractions', () => {
    const { ask } = createTestPlane();
    const properties = { count: { type: 'integer' }, share: { type: 'number' } };
    const rules = [{ rule: 'self.count * 2 <= 10 && self.share * 2.0 <= 1.0', message: 'too much' }];
    const spec = { type: 'object', properties, 'x-kubernetes-validations': rules };
    const version = {
      ...{ name: 'v1', served: true, storage: true },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    };
    const names = { kind: 'Thing', plural: 'things' };
    const definition = { group: 'x.io', scope: 'Cluster', names, versions: [version] };
    assert.equal(ask('POST', CRDS, { metadata: { name: 'things.x.io' }, spec: definition }).status, 201);
    const create = (name: string, count: number, share: number) =>
      ask('POST', '/apis/x.io/v1/things', { metadata: { name }, spec: { count, share } });
    assert.equal(create('a', 5, 0.5).status, 201);
    assert.equal(create('b', 1, 0).status, 201);
    assert.match(String(create('c', 6, 0).body['message']), /spec: Invalid value: too much/);
    assert.match(String(create('d', 1, 1).body['message']), /too much/);
  });

  test('is updated only from a version, and never by a strategic merge', () => {
    const { ask, patch } = start();
    ask('POST', POOLS, pool({}));
    assert.equal(ask('PUT', `${POOLS}/p`, pool({})).status, 422);
    assert.equal(patch(`${POOLS}/p`, 'strategic', { spec: {} }).status, 415);
  });
});

describe('of the wrong objects that src/kinds knows', () => {
  for (const { story, kind, object, path } of WRONG_OBJECTS.filter(({ isOutsideSchema }) => isOutsideSchema !== true)) {
    test(`a ${kind} that ${story} is refused`, () => {
      const { ask, pathOf } = start();
      const isAboutStatus = path.startsWith('status');
      const { status: _status, ...asCreated } = object;
      const created = ask('POST', pathOf(kind), asCreated);
      const answer = isAboutStatus
        ? ask('PUT', `${pathOf(kind)}/${at(object, 'metadata.name')}/status`, {
            ...created.body,
            status: object['status'],
          })
        : created;
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      const named = path.replaceAll(/\.(\d+)/g, '[$1]');
      assert.ok(String(answer.body['message']).includes(named), String(answer.body['message']));
    });
  }
});

describe('by the rules of src/kinds', () => {
  for (const { story, kind, object, old, refusal } of UPDATES) {
    test(`a ${kind} that ${story} is ${refusal === undefined ? 'allowed' : 'refused'}`, () => {
      const { ask, pathOf } = start();
      const first = ask('POST', pathOf(kind), old ?? object);
      const answer =
        old === undefined
          ? first
          : ask('PUT', `${pathOf(kind)}/${at(object, 'metadata.name')}`, {
              ...object,
              metadata: first.body['metadata'],
            });
      if (refusal === undefined) assert.ok(answer.status < 300, JSON.stringify(answer.body));
      else assert.equal(answer.status, 422);
      assert.match(String(answer.body['message'] ?? ''), refusal ?? /^$/);
    });
  }
});

describe('of the objects that the Go original left behind', () => {
  for (const { story, kind, object } of GO_OBJECTS) {
    test(`a ${kind} that ${story} can still be labelled`, () => {
      const { patch, pathOf, store } = start();
      const collection = pathOf(kind).replace(/^\/apis\/([^/]+)\/.*\/([^/]+)$/, '$1/$2');
      const stored = parseStoredObject(object);
      store.put(collection, stored);
      const path = pathOf(kind).replace('/namespaces/tuist/', `/namespaces/${stored.metadata.namespace}/`);
      const answer = patch(`${path}/${stored.metadata.name}`, 'merge', { metadata: { labels: { seen: 'yes' } } });
      assert.equal(answer.status, 200, String(answer.body['message']));
    });
  }
});
