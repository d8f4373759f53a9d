import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODES, type Node } from '../../kube/types/core.ts';
import { at, createTestPlane } from './testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const podSpec = { containers: [{ name: 'c', image: 'x' }] };
const csrSpec = { request: 'eA==', signerName: 'a.b/c', usages: ['client auth'] };
const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: podSpec });

describe('create', () => {
  test('gives an object its identity and defaults', () => {
    const { ask, clock } = createTestPlane();
    const { status, body } = ask('POST', PODS, pod('p'));
    assert.equal(status, 201);
    assert.match(String(at(body, 'metadata.uid')), /^[0-9a-f-]{36}$/);
    assert.equal(at(body, 'metadata.namespace'), 'default');
    assert.equal(at(body, 'metadata.generation'), 1);
    assert.equal(at(body, 'metadata.creationTimestamp'), `${new Date(clock.now()).toISOString().slice(0, 19)}Z`);
    assert.equal(at(body, 'apiVersion'), 'v1');
    assert.equal(at(body, 'kind'), 'Pod');
    assert.equal(at(body, 'spec.restartPolicy'), 'Always');
    assert.equal(at(body, 'status.phase'), 'Pending');
  });

  test('makes up a name from generateName', () => {
    const { ask } = createTestPlane();
    const first = ask('POST', PODS, { ...pod(''), metadata: { generateName: 'job-' } });
    assert.match(String(at(first.body, 'metadata.name')), /^job-[a-z0-9]{5}$/);
  });

  test('turns stringData of a Secret into data', () => {
    const { ask } = createTestPlane();
    const { body } = ask('POST', '/api/v1/namespaces/default/secrets', {
      metadata: { name: 's' },
      stringData: { a: 'hi' },
    });
    assert.deepEqual(body['data'], { a: 'aGk=' });
    assert.equal(body['stringData'], undefined);
  });

  test('records who asked for a certificate, not who the request says', () => {
    const { ask } = createTestPlane();
    const spec = { ...csrSpec, username: 'root', groups: ['admins'] };
    const { body } = ask('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
      metadata: { name: 'c' },
      spec,
    });
    assert.equal(at(body, 'spec.username'), 'macfleet-admin');
  });

  const refusals = [
    {
      story: 'a name that is taken',
      path: PODS,
      body: pod('taken'),
      status: 409,
      reason: 'AlreadyExists',
      message: 'pods "taken" already exists',
    },
    {
      story: 'a namespace that is not there',
      path: '/api/v1/namespaces/no/pods',
      body: pod('p'),
      status: 404,
      reason: 'NotFound',
      message: 'namespaces "no" not found',
    },
    {
      story: 'no name',
      path: PODS,
      body: { spec: podSpec },
      status: 422,
      reason: 'Invalid',
      message: /metadata\.name: Required value/,
    },
    {
      story: 'a bad name',
      path: PODS,
      body: pod('No_Good'),
      status: 422,
      reason: 'Invalid',
      message: /Pod "No_Good" is invalid: metadata\.name: Invalid value: "No_Good"/,
    },
    {
      story: 'a name with dots that lead elsewhere',
      path: PODS,
      body: pod('..'),
      status: 422,
      reason: 'Invalid',
      message: /metadata\.name/,
    },
    {
      story: 'a bad label',
      path: PODS,
      body: pod('p', { labels: { a: 'not ok!' } }),
      status: 422,
      reason: 'Invalid',
      message: /metadata\.labels/,
    },
    {
      story: 'labels that are a list',
      path: PODS,
      body: pod('p', { labels: ['a'] }),
      status: 400,
      reason: 'BadRequest',
      message: /metadata\.labels/,
    },
    {
      story: 'no containers',
      path: PODS,
      body: { metadata: { name: 'p' }, spec: {} },
      status: 422,
      reason: 'Invalid',
      message: /spec\.containers: Required value/,
    },
    {
      story: 'a spec that is a list',
      path: PODS,
      body: { metadata: { name: 'p' }, spec: [] },
      status: 400,
      reason: 'BadRequest',
      message:
        'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec',
    },
    {
      story: 'another kind than the path says',
      path: PODS,
      body: { ...pod('p'), kind: 'Node' },
      status: 400,
      reason: 'BadRequest',
      message: /Node in version "v1" cannot be handled as a Pod/,
    },
    {
      story: 'another namespace than the path says',
      path: PODS,
      body: pod('p', { namespace: 'x' }),
      status: 400,
      reason: 'BadRequest',
      message: /namespace/,
    },
    {
      story: 'a version',
      path: PODS,
      body: pod('p', { resourceVersion: '7' }),
      status: 500,
      reason: undefined,
      message: /resourceVersion/,
    },
    { story: 'half a body', path: PODS, body: '{"metadata":', status: 400, reason: 'BadRequest', message: /JSON/ },
    {
      story: 'no body',
      path: PODS,
      body: undefined,
      status: 400,
      reason: 'BadRequest',
      message: /unexpected end of JSON input \(<empty>\)/,
    },
    {
      story: 'a kind nobody serves',
      path: '/apis/apps/v1/things',
      body: {},
      status: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    },
    {
      story: 'a subresource nobody serves',
      path: '/api/v1/namespaces/default/serviceaccounts/a/scale',
      body: {},
      status: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    },
  ];
  for (const { story, path, body, status, reason, message } of refusals) {
    test(`is refused with ${story}`, () => {
      const { ask, store, errors } = createTestPlane();
      ask('POST', PODS, pod('taken'));
      const { revision } = store;
      const answer = ask('POST', path, body);
      assert.equal(answer.status, status);
      assert.equal(answer.body['kind'], 'Status');
      assert.equal(answer.body['reason'], reason);
      assert.equal(answer.body['code'], status);
      if (typeof message === 'string') assert.equal(answer.body['message'], message);
      else assert.match(String(answer.body['message']), message);
      assert.equal(store.revision, revision);
      assert.deepEqual(errors, []);
    });
  }

  const bodies = [
    {
      story: 'protobuf that is none',
      type: 'application/vnd.kubernetes.protobuf',
      status: 400,
      message: /expected prefix/,
    },
    { story: 'CBOR', type: 'application/cbor', status: 415, message: /speaks no CBOR.*application\/json/ },
    { story: 'plain text', type: 'text/plain', status: 415, message: /unknown format/ },
  ];
  for (const { story, type, status, message } of bodies) {
    test(`a body in ${story} is refused`, () => {
      const { ask } = createTestPlane();
      const answer = ask('POST', PODS, 'k8s', { 'content-type': type });
      assert.equal(answer.status, status);
      assert.match(String(answer.body['message']), message);
    });
  }

  test('a dry run answers as if, and stores nothing', () => {
    const { ask } = createTestPlane();
    assert.equal(ask('POST', `${PODS}?dryRun=All`, pod('p')).status, 201);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });
});

describe('update', () => {
  test('changes the spec and its generation, not the status', () => {
    const { ask } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    const next = ask('PUT', `${PODS}/p`, {
      ...body,
      spec: { ...(body['spec'] as object), activeDeadlineSeconds: 5 },
      status: { phase: 'Running' },
    });
    assert.equal(next.status, 200);
    assert.equal(at(next.body, 'spec.activeDeadlineSeconds'), 5);
    assert.equal(at(next.body, 'status.phase'), 'Pending');
    assert.equal(at(next.body, 'metadata.generation'), 2);
  });

  test('of status changes the status, not the spec or the generation', () => {
    const { ask } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    const next = ask('PUT', `${PODS}/p/status`, { ...body, spec: {}, status: { phase: 'Running' } });
    assert.equal(at(next.body, 'status.phase'), 'Running');
    assert.equal(at(next.body, 'metadata.generation'), 1);
    assert.deepEqual(at(next.body, 'spec.containers'), at(body, 'spec.containers'));
  });

  test('of pods/status may set annotations and finalizers, as a node does', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    const { body } = patch(`${PODS}/p/status`, 'merge', {
      metadata: { finalizers: ['a.b/c'], annotations: { x: 'y' } },
    });
    assert.deepEqual(at(body, 'metadata.finalizers'), ['a.b/c']);
    assert.deepEqual(at(body, 'metadata.annotations'), { x: 'y' });
  });

  test('with an old version is a conflict', () => {
    const { ask, patch } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    patch(`${PODS}/p`, 'merge', { metadata: { labels: { a: 'b' } } });
    const answer = ask('PUT', `${PODS}/p`, body);
    assert.equal(answer.status, 409);
    assert.equal(
      answer.body['message'],
      'Operation cannot be fulfilled on pods "p": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('with the uid of another object is a conflict', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    assert.equal(patch(`${PODS}/p`, 'merge', { metadata: { uid: 'other' } }).body['reason'], 'Conflict');
  });

  test('that changes nothing writes nothing', () => {
    const { ask, store, patch } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    const { revision } = store;
    assert.equal(ask('PUT', `${PODS}/p`, body).status, 200);
    patch(`${PODS}/p`, 'merge', { metadata: { labels: { gone: null } } });
    assert.equal(store.revision, revision);
  });

  test('as a dry run answers as if, and changes nothing', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    const { body } = patch(`${PODS}/p?dryRun=All`, 'merge', { metadata: { labels: { a: 'b' } } });
    assert.deepEqual(at(body, 'metadata.labels'), { a: 'b' });
    assert.equal(at(ask('GET', `${PODS}/p`).body, 'metadata.labels'), undefined);
  });

  test('cannot change what belongs to the server', () => {
    const { ask, patch } = createTestPlane();
    const { body } = ask('POST', PODS, pod('p'));
    for (const name of ['creationTimestamp', 'deletionTimestamp']) {
      const answer = patch(`${PODS}/p`, 'merge', { metadata: { [name]: '2000-01-01T00:00:00Z' } });
      assert.equal(
        answer.body['message'],
        `Pod "p" is invalid: metadata.${name}: Invalid value: "2000-01-01T00:00:00Z": field is immutable`,
      );
    }
    const changed = patch(`${PODS}/p`, 'merge', { metadata: { generation: 9, labels: { a: 'b' } } });
    assert.equal(at(changed.body, 'metadata.generation'), at(body, 'metadata.generation'));
  });

  test('of a group that nobody serves finds no page', () => {
    assert.deepEqual(createTestPlane().ask('GET', '/apis/x.io/v1/things').body, { text: '404 page not found\n' });
  });

  test('approves a certificate request without touching its spec', () => {
    const { ask } = createTestPlane();
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const { body } = ask('POST', path, { metadata: { name: 'c' }, spec: csrSpec });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }];
    const approved = ask('PUT', `${path}/c/approval`, {
      ...body,
      spec: {},
      status: { conditions, certificate: 'forged' },
    });
    assert.equal(at(approved.body, 'status.conditions.0.type'), 'Approved');
    assert.equal(at(approved.body, 'status.certificate'), undefined);
    assert.equal(at(approved.body, 'spec.request'), csrSpec.request);
  });
});

describe('delete', () => {
  const bind = (ask: ReturnType<typeof createTestPlane>['ask'], name: string) =>
    ask('POST', `${PODS}/${name}/binding`, { metadata: { name }, target: { kind: 'Node', name: 'n1' } });

  test('removes an object that nobody holds', () => {
    const { ask } = createTestPlane();
    const maps = '/api/v1/namespaces/default/configmaps';
    ask('POST', maps, { metadata: { name: 'm' } });
    const { status, body } = ask('DELETE', `${maps}/m`);
    assert.equal(status, 200);
    assert.equal(body['status'], 'Success');
    assert.equal(ask('GET', `${maps}/m`).body['message'], 'configmaps "m" not found');
  });

  test('waits for finalizers, and ends with the last of them', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p', { finalizers: ['a.b/c', 'd.e/f'] }));
    const { body } = ask('DELETE', `${PODS}/p`);
    assert.notEqual(at(body, 'metadata.deletionTimestamp'), undefined);
    assert.equal(at(body, 'metadata.generation'), 2);
    patch(`${PODS}/p`, 'merge', { metadata: { finalizers: ['d.e/f'] } });
    assert.equal(ask('GET', `${PODS}/p`).status, 200);
    assert.equal(patch(`${PODS}/p`, 'merge', { metadata: { finalizers: [] } }).status, 200);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  test('lets nobody add a finalizer to what is being deleted', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p', { finalizers: ['a.b/c'] }));
    ask('DELETE', `${PODS}/p`);
    assert.equal(patch(`${PODS}/p`, 'merge', { metadata: { finalizers: ['a.b/c', 'x.y/z'] } }).status, 422);
  });

  test('of a Pod on a node waits for its agent, which deletes it without grace', () => {
    const { ask, clock } = createTestPlane();
    ask('POST', PODS, pod('p'));
    bind(ask, 'p');
    const { body } = ask('DELETE', `${PODS}/p`);
    assert.equal(at(body, 'metadata.deletionGracePeriodSeconds'), 30);
    assert.equal(Date.parse(String(at(body, 'metadata.deletionTimestamp'))), clock.now() + 30_000);
    ask('DELETE', `${PODS}/p`, { kind: 'DeleteOptions', gracePeriodSeconds: 0 });
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  test('of a Pod that has ended does not wait', () => {
    const { ask, patch } = createTestPlane();
    ask('POST', PODS, pod('p'));
    bind(ask, 'p');
    patch(`${PODS}/p/status`, 'merge', { status: { phase: 'Succeeded' } });
    ask('DELETE', `${PODS}/p`);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  for (const precondition of ['uid', 'resourceVersion']) {
    test(`with another ${precondition} is a conflict`, () => {
      const { ask } = createTestPlane();
      ask('POST', PODS, pod('p'));
      const options = { kind: 'DeleteOptions', preconditions: { [precondition]: '0' } };
      assert.equal(ask('DELETE', `${PODS}/p`, options).body['reason'], 'Conflict');
      assert.equal(ask('GET', `${PODS}/p`).status, 200);
    });
  }

  test('as a dry run deletes nothing', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    assert.equal(ask('DELETE', `${PODS}/p`, { kind: 'DeleteOptions', dryRun: ['All'] }).status, 200);
    assert.equal(ask('GET', `${PODS}/p`).status, 200);
  });

  test('of a collection deletes what the selector selects', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('a', { labels: { x: '1' } }));
    ask('POST', PODS, pod('b'));
    ask('DELETE', `${PODS}?labelSelector=x%3D1`);
    assert.deepEqual(ask('GET', PODS).body['items'] && at(ask('GET', PODS).body, 'items.0.metadata.name'), 'b');
  });

  for (const [policy, finalizer] of [
    ['Orphan', 'orphan'],
    ['Foreground', 'foregroundDeletion'],
  ]) {
    test(`with ${policy} leaves a finalizer to the garbage collector, and ends when that is gone`, () => {
      const { ask, patch } = createTestPlane();
      ask('POST', PODS, pod('p'));
      const { body } = ask('DELETE', `${PODS}/p`, { kind: 'DeleteOptions', propagationPolicy: policy });
      assert.deepEqual(at(body, 'metadata.finalizers'), [finalizer]);
      patch(`${PODS}/p`, 'merge', { metadata: { finalizers: null } });
      assert.equal(ask('GET', `${PODS}/p`).status, 404);
    });
  }

  test('a second delete can shorten the grace of a Pod, not lengthen it', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    bind(ask, 'p');
    ask('DELETE', `${PODS}/p`);
    const graceOf = (gracePeriodSeconds: number) =>
      at(ask('DELETE', `${PODS}/p`, { gracePeriodSeconds }).body, 'metadata.deletionGracePeriodSeconds');
    assert.equal(graceOf(5), 5);
    assert.equal(graceOf(50), 5);
  });

  test('of a namespace waits for its controller, and lets nothing new in meanwhile', () => {
    const { ask } = createTestPlane();
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'ns' } });
    ask('DELETE', '/api/v1/namespaces/ns');
    const found = ask('GET', '/api/v1/namespaces/ns').body;
    assert.equal(at(found, 'status.phase'), 'Terminating');
    assert.equal(ask('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'x' } }).status, 403);
    ask('PUT', '/api/v1/namespaces/ns/finalize', { ...found, spec: { finalizers: [] } });
    assert.equal(ask('GET', '/api/v1/namespaces/ns').status, 404);
  });

  test('of a namespace that everything needs is forbidden', () => {
    const { ask } = createTestPlane();
    assert.equal(ask('DELETE', '/api/v1/namespaces/kube-system').status, 403);
  });
});

describe('subresources', () => {
  test('a Pod is bound once', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    const bind = (node: string) =>
      ask('POST', `${PODS}/p/binding`, { metadata: { name: 'p' }, target: { name: node } });
    assert.equal(bind('n1').status, 201);
    const bound = ask('GET', `${PODS}/p`).body;
    assert.equal(at(bound, 'spec.nodeName'), 'n1');
    assert.equal(at(bound, 'status.conditions.0.type'), 'PodScheduled');
    assert.match(String(bind('n2').body['message']), /already assigned to node "n1"/);
  });

  test('an eviction deletes the Pod', () => {
    const { ask } = createTestPlane();
    ask('POST', PODS, pod('p'));
    assert.equal(ask('POST', `${PODS}/p/eviction`, { metadata: { name: 'p' } }).status, 201);
    assert.equal(ask('GET', `${PODS}/p`).status, 404);
  });

  test('scale reads and writes the replicas', () => {
    const { ask, patch } = createTestPlane();
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
    ask('POST', path, {
      metadata: { name: 'd' },
      spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template },
    });
    assert.equal(at(ask('GET', `${path}/d/scale`).body, 'status.selector'), 'a=b');
    assert.equal(at(ask('GET', `${path}/d/scale`).body, 'spec.replicas'), 2);
    patch(`${path}/d/scale`, 'merge', { spec: { replicas: 5 } });
    assert.equal(at(ask('GET', `${path}/d`).body, 'spec.replicas'), 5);
    assert.equal(patch(`${path}/d/scale`, 'merge', { spec: { replicas: -1 } }).status, 422);
  });
});

describe('list', () => {
  const fill = (count: number) => {
    const plane = createTestPlane();
    for (let index = 0; index < count; index += 1) {
      plane.ask('POST', PODS, pod(`p${index}`, { labels: { parity: index % 2 === 0 ? 'even' : 'odd' } }));
    }
    return plane;
  };
  const names = (body: Readonly<Record<string, unknown>>) =>
    (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

  const selectors = [
    { query: '', selects: ['p0', 'p1', 'p2', 'p3'] },
    { query: 'labelSelector=parity%3Deven', selects: ['p0', 'p2'] },
    { query: 'labelSelector=parity!%3Deven', selects: ['p1', 'p3'] },
    { query: 'labelSelector=parity%20in%20(odd,even),parity%20notin%20(odd)', selects: ['p0', 'p2'] },
    { query: 'labelSelector=parity', selects: ['p0', 'p1', 'p2', 'p3'] },
    { query: 'labelSelector=!parity', selects: [] },
    { query: 'labelSelector=absent%3D', selects: [] },
    { query: 'fieldSelector=metadata.name%3Dp1', selects: ['p1'] },
    { query: 'fieldSelector=spec.nodeName%3D', selects: ['p0', 'p1', 'p2', 'p3'] },
    { query: 'fieldSelector=status.phase!%3DPending', selects: [] },
  ];
  for (const { query, selects } of selectors) {
    test(`with ${query === '' ? 'no selector' : decodeURIComponent(query)} gives ${selects.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(names(fill(4).ask('GET', `${PODS}?${query}`).body), selects);
    });
  }

  for (const query of [
    'labelSelector=%3D%3D',
    'fieldSelector=spec.image%3Dx',
    'fieldSelector=x',
    'continue=nonsense',
  ]) {
    test(`with ${decodeURIComponent(query)} is refused`, () => {
      assert.equal(fill(1).ask('GET', `${PODS}?${query}`).status, 400);
    });
  }

  test('pages are of one moment, although objects come and go meanwhile', () => {
    const { ask } = fill(5);
    const first = ask('GET', `${PODS}?limit=2`).body;
    assert.deepEqual(names(first), ['p0', 'p1']);
    assert.equal(at(first, 'metadata.remainingItemCount'), 3);
    ask('DELETE', `${PODS}/p3`);
    ask('POST', PODS, pod('p2a'));
    const second = ask('GET', `${PODS}?limit=9&continue=${at(first, 'metadata.continue')}`).body;
    assert.deepEqual(names(second), ['p2', 'p3', 'p4']);
    assert.equal(at(second, 'metadata.continue'), undefined);
    assert.equal(at(second, 'metadata.resourceVersion'), at(first, 'metadata.resourceVersion'));
  });

  test('a page of a moment that is forgotten is expired', () => {
    const plane = createTestPlane({ historyMax: 2 });
    for (let index = 0; index < 3; index += 1) plane.ask('POST', PODS, pod(`p${index}`));
    const token = at(plane.ask('GET', `${PODS}?limit=1`).body, 'metadata.continue');
    for (let index = 3; index < 9; index += 1) plane.ask('POST', PODS, pod(`p${index}`));
    const answer = plane.ask('GET', `${PODS}?limit=1&continue=${token}`);
    assert.equal(answer.status, 410);
    assert.equal(answer.body['reason'], 'Expired');
  });
});

test('our client speaks with it: every verb', async () => {
  const { client, signal } = createTestPlane();
  const node: Node = { metadata: { name: 'mac-1', labels: { a: 'b' } } };
  const created = await client.create(NODES, node, { signal });
  const updated = await client.update(NODES, { ...created, spec: { unschedulable: true } }, { signal });
  assert.equal(updated.spec?.unschedulable, true);
  await assert.rejects(client.update(NODES, created, { signal }), { kind: 'conflict' });
  await assert.rejects(client.create(NODES, node, { signal }), { kind: 'exists' });
  const status = { type: 'merge', body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } } as const;
  const ready = await client.patch(NODES, { name: 'mac-1' }, status, { signal, subresource: 'status' });
  assert.equal(ready.status?.conditions?.[0]?.status, 'True');
  for (let index = 2; index < 8; index += 1)
    await client.create(NODES, { metadata: { name: `mac-${index}` } }, { signal });
  assert.equal((await client.list(NODES, { signal, pageSize: 2 })).items.length, 7);
  await client.delete(NODES, { name: 'mac-1' }, { signal });
  await assert.rejects(client.get(NODES, { name: 'mac-1' }, { signal }), { kind: 'not-found' });
  await assert.rejects(client.list({ ...NODES, plural: 'nonsense' }, { signal }), { code: 'KindNotServed' });
  assert.equal(await client.getRaw('/readyz', { signal }), 'ok');
});
