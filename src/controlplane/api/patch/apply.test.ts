import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const PATH = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const spec = {
  selector: { matchLabels: { a: 'b' } },
  template: {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'x', ports: [{ containerPort: 80 }] }] },
  },
};

interface Applied {
  readonly spec?: object;
  readonly labels?: object;
  readonly finalizers?: readonly string[];
  readonly status?: object;
}

const start = () => {
  const plane = createTestPlane();
  const apply = (manager: string, { labels, finalizers, ...rest }: Applied, path = `?fieldManager=${manager}`) => {
    const metadata = { name: 'd', ...(labels && { labels }), ...(finalizers && { finalizers }) };
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, ...rest };
    return plane.ask('PATCH', `${PATH}/d${path}`, body, APPLY);
  };
  const force = (manager: string, applied: Applied) => apply(manager, applied, `?fieldManager=${manager}&force=true`);
  const create = (manager: string, more: object = {}) =>
    plane.ask('POST', `${PATH}?fieldManager=${manager}`, { metadata: { name: 'd' }, spec, ...more });
  const read = () => plane.ask('GET', `${PATH}/d`).body;
  const managers = () =>
    (at(read(), 'metadata.managedFields') as { manager: string; operation: string; subresource?: string }[]).map(
      ({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join(' '),
    );
  const fieldsOf = (manager: string) =>
    (at(read(), 'metadata.managedFields') as { manager: string; fieldsV1: unknown }[]).find(
      (one) => one.manager === manager,
    )?.fieldsV1;
  return { ...plane, apply, force, create, read, managers, fieldsOf };
};

test('what is sent as YAML is read as YAML, also where it looks like JSON', () => {
  const { ask } = createTestPlane();
  const text =
    '{\n\t"apiVersion": "v1", # a comment\n\t"kind": "ConfigMap",\n\t"metadata": {"name": "c"},\n\t"data": {"a": "b",},\n}';
  const { status, body } = ask('PATCH', '/api/v1/namespaces/default/configmaps/c?fieldManager=ada', text, APPLY);
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(body['data'], { a: 'b' });
});

test('who applies owns fields in the order of their names', () => {
  const { apply, read } = start();
  const containers = [{ name: 'c', image: 'x' }];
  apply('ada', { spec: { ...spec, template: { ...spec.template, spec: { containers } } } });
  const [entry] = at(read(), 'metadata.managedFields') as object[];
  const item = at(entry, 'fieldsV1.f:spec.f:template.f:spec.f:containers') as Readonly<Record<string, object>>;
  assert.deepEqual(Object.keys(item['k:{"name":"c"}'] ?? {}), ['.', 'f:image', 'f:name']);
});

describe('a create', () => {
  test('is recorded as a real API server records it, defaults included', () => {
    const { create, fieldsOf } = start();
    create('kubectl-create');
    assert.deepEqual(fieldsOf('kubectl-create'), {
      'f:spec': {
        'f:progressDeadlineSeconds': {},
        'f:replicas': {},
        'f:revisionHistoryLimit': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} }, 'f:type': {} },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:image': {},
                'f:imagePullPolicy': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                },
                'f:resources': {},
                'f:terminationMessagePath': {},
                'f:terminationMessagePolicy': {},
              },
            },
            'f:dnsPolicy': {},
            'f:restartPolicy': {},
            'f:schedulerName': {},
            'f:securityContext': {},
            'f:terminationGracePeriodSeconds': {},
          },
        },
      },
    });
  });

  test('by apply owns what was applied, and no default', () => {
    const { apply, fieldsOf, managers } = start();
    assert.equal(apply('alice', { spec, labels: { q: '1' } }).status, 201);
    assert.deepEqual(managers(), ['alice Apply']);
    assert.deepEqual(fieldsOf('alice'), {
      'f:metadata': { 'f:labels': { 'f:q': {} } },
      'f:spec': {
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:a': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    });
  });

  test('through the agent of a client is recorded in its name', () => {
    const { ask, managers } = start();
    ask('POST', PATH, { metadata: { name: 'd' }, spec }, { 'user-agent': 'kubectl/v1.36.4 (linux/amd64)' });
    assert.deepEqual(managers(), ['kubectl Update']);
  });
});

describe('an apply', () => {
  test('that changes nothing writes nothing', () => {
    const { apply, store, clock } = start();
    apply('alice', { spec });
    const { revision } = store;
    clock.advance(60_000);
    assert.equal(apply('alice', { spec }).status, 200);
    assert.equal(store.revision, revision);
  });

  test('adds items of its own to a list of somebody else', () => {
    const { apply, read } = start();
    apply('alice', { spec });
    const containers = [{ name: 'b', image: 'y' }];
    assert.equal(apply('bob', { spec: { template: { spec: { containers } } } }).status, 200);
    assert.equal(at(read(), 'spec.template.spec.containers.0.name'), 'c');
    assert.equal(at(read(), 'spec.template.spec.containers.1.name'), 'b');
  });

  test('removes what its manager no longer names, unless somebody else owns it too', () => {
    const { apply, read } = start();
    apply('alice', { spec: { ...spec, paused: true, minReadySeconds: 3 }, labels: { x: '1', y: '2' } });
    apply('bob', { spec: { minReadySeconds: 3 } });
    apply('alice', { spec, labels: { y: '2' } });
    assert.equal(at(read(), 'spec.paused'), undefined);
    assert.equal(at(read(), 'spec.minReadySeconds'), 3);
    assert.deepEqual(at(read(), 'metadata.labels'), { y: '2' });
  });

  test('removes an item that only its manager named', () => {
    const { apply, read } = start();
    apply('alice', { spec });
    apply('bob', { spec: { template: { spec: { containers: [{ name: 'b', image: 'y' }] } } }, labels: { z: '1' } });
    apply('bob', { labels: { z: '1' } });
    assert.equal(at(read(), 'spec.template.spec.containers.length'), 1);
    assert.equal(at(read(), 'spec.template.spec.containers.0.name'), 'c');
  });

  test('shares finalizers as a set', () => {
    const { apply, read } = start();
    apply('alice', { spec, finalizers: ['a.b/c'] });
    apply('bob', { finalizers: ['d.e/f'] });
    assert.deepEqual(at(read(), 'metadata.finalizers'), ['a.b/c', 'd.e/f']);
    apply('bob', { labels: { a: 'b' } });
    assert.deepEqual(at(read(), 'metadata.finalizers'), ['a.b/c']);
  });

  test('of a value that somebody else applied too makes both its owners', () => {
    const { apply, create, read } = start();
    create('kubectl-create');
    assert.equal(apply('me', { spec: { replicas: 1 } }).status, 200);
    assert.equal(apply('you', { spec: { replicas: 1 } }).status, 200);
    assert.equal(at(read(), 'spec.replicas'), 1);
    assert.equal(apply('you', { spec: { replicas: 2 } }).status, 409);
  });

  const conflicts = [
    {
      story: 'one field of a client that wrote it',
      applied: { spec: { replicas: 3 } },
      message: 'Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.replicas',
    },
    {
      story: 'several fields of one client',
      applied: { spec: { replicas: 3, template: { spec: { containers: [{ name: 'c', image: 'y' }] } } } },
      message:
        'Apply failed with 2 conflicts: conflicts with "kubectl-create" using apps/v1:\n- .spec.replicas\n- .spec.template.spec.containers[name="c"].image',
    },
    {
      story: 'a field of somebody who applied it',
      applied: { labels: { q: '2' } },
      message: 'Apply failed with 1 conflict: conflict with "alice": .metadata.labels.q',
    },
    {
      story: 'a field that was written through scale',
      applied: { spec: { minReadySeconds: 9 } },
      message: 'Apply failed with 1 conflict: conflict with "carol" using apps/v1: .spec.minReadySeconds',
    },
  ];
  for (const { story, applied, message } of conflicts) {
    test(`conflicts over ${story}, in the words of a real API server`, () => {
      const { apply, create, patch, read } = start();
      create('kubectl-create');
      apply('alice', { labels: { q: '1' } });
      patch(`${PATH}/d?fieldManager=carol`, 'merge', { spec: { minReadySeconds: 1 } });
      const before = read();
      const answer = apply('me', applied);
      assert.equal(answer.status, 409);
      assert.equal(answer.body['message'], message);
      assert.equal(at(answer.body, 'details.causes.0.reason'), 'FieldManagerConflict');
      assert.deepEqual(read(), before);
    });
  }

  test('that is forced takes the field, and the loser conflicts from then on', () => {
    const { apply, force, create, managers, read } = start();
    create('kubectl-create');
    apply('alice', { labels: { q: '1' } });
    assert.equal(force('bob', { labels: { q: '2' } }).status, 200);
    assert.deepEqual(at(read(), 'metadata.labels'), { q: '2' });
    assert.deepEqual(managers(), ['bob Apply', 'kubectl-create Update']);
    assert.equal(
      apply('alice', { labels: { q: '1' } }).body['message'],
      'Apply failed with 1 conflict: conflict with "bob": .metadata.labels.q',
    );
  });

  test('of status owns the status, and the spec belongs to who wrote it', () => {
    const { apply, create, fieldsOf, managers } = start();
    create('kubectl-create');
    const status = { replicas: 1, conditions: [{ type: 'Available', status: 'True' }] };
    const answer = apply('ctl', { spec: { replicas: 7 }, status }, '/status?fieldManager=ctl');
    assert.equal(answer.status, 200);
    assert.equal(at(answer.body, 'spec.replicas'), 1);
    assert.deepEqual(managers(), ['ctl Apply status', 'kubectl-create Update']);
    assert.deepEqual(fieldsOf('ctl'), {
      'f:status': {
        'f:conditions': { 'k:{"type":"Available"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
        'f:replicas': {},
      },
    });
  });

  const refusals = [
    {
      story: 'without a manager',
      query: '',
      status: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    },
    {
      story: 'without a version',
      body: { kind: 'Deployment', metadata: { name: 'd' } },
      status: 400,
      message: 'invalid object type: /, Kind=Deployment',
    },
    {
      story: 'with a record of its own',
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', managedFields: [] } },
      status: 400,
      message: 'metadata.managedFields must be nil',
    },
    {
      story: 'with a field that the kind does not have',
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { replicass: 4 } },
      status: 500,
      message:
        'failed to create typed patch object (default/d; apps/v1, Kind=Deployment): .spec.replicass: field not declared in schema',
    },
    {
      story: 'about another object',
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'e' } },
      status: 400,
      message: 'the name of the object (e) does not match the name on the URL (d)',
    },
  ];
  for (const { story, query = '?fieldManager=m', body = {}, status, message } of refusals) {
    test(`is refused ${story}`, () => {
      const { ask } = start();
      const answer = ask('PATCH', `${PATH}/d${query}`, body, APPLY);
      assert.deepEqual([answer.status, answer.body['message']], [status, message]);
    });
  }
});

describe('an update', () => {
  test('makes whoever changed a field its owner', () => {
    const { apply, patch, managers, fieldsOf } = start();
    apply('alice', { spec: { ...spec, replicas: 1 } });
    patch(`${PATH}/d?fieldManager=carol`, 'merge', { spec: { replicas: 5 } });
    assert.deepEqual(managers(), ['alice Apply', 'carol Update']);
    assert.deepEqual(fieldsOf('carol'), { 'f:spec': { 'f:replicas': {} } });
    assert.equal(at(fieldsOf('alice'), 'f:spec.f:replicas'), undefined);
  });

  test('that removes a field leaves nobody owning it', () => {
    const { apply, patch, fieldsOf } = start();
    apply('alice', { spec, labels: { a: 'b' } });
    patch(`${PATH}/d?fieldManager=carol`, 'merge', { metadata: { labels: null } });
    assert.equal(at(fieldsOf('alice'), 'f:metadata'), undefined);
    assert.equal(fieldsOf('carol'), undefined);
  });

  test('through status is recorded apart from one of the spec by the same client', () => {
    const { create, patch, managers } = start();
    create('m');
    patch(`${PATH}/d/status?fieldManager=m`, 'merge', { status: { replicas: 1 } });
    assert.deepEqual(managers(), ['m Update', 'm Update status']);
  });

  test('with an empty record takes the record away, and the next apply finds everything owned', () => {
    const { create, patch, read, apply } = start();
    create('kubectl-create');
    patch(`${PATH}/d`, 'merge', { metadata: { managedFields: [] } });
    assert.equal(at(read(), 'metadata.managedFields'), undefined);
    assert.equal(
      apply('me', { spec: { replicas: 3 } }).body['message'],
      'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
    );
  });

  test('by many clients keeps the record short: the oldest become one', () => {
    const { create, patch, managers, clock } = start();
    create('m');
    for (let index = 0; index < 14; index += 1) {
      clock.advance(1_000);
      patch(`${PATH}/d?fieldManager=m${index}`, 'merge', { metadata: { labels: { [`l${index}`]: 'x' } } });
    }
    assert.equal(managers().length, 10);
    assert.equal(managers()[0], 'ancient-changes Update');
  });
});
