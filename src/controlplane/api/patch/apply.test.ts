import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestPlane } from '../testing/plane.ts';

const PATH = '/api/v1/namespaces/default/pods/p';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const start = () => {
  const plane = createTestPlane();
  const apply = (manager: string, spec: object, more: { force?: true; labels?: object } = {}) =>
    plane.ask(
      'PATCH',
      `${PATH}?fieldManager=${manager}${more.force ? '&force=true' : ''}`,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...(more.labels && { labels: more.labels }) }, spec },
      APPLY,
    );
  const read = () =>
    plane.ask('GET', PATH).body as { spec: Record<string, unknown>; metadata: Record<string, unknown> };
  const managers = () =>
    (read().metadata['managedFields'] as { manager: string; operation: string }[]).map(
      (m) => `${m.manager} ${m.operation}`,
    );
  return { ...plane, apply, read, managers };
};

const one = { containers: [{ name: 'a', image: 'x' }] };

test('apply creates what is not there, and says who owns it', () => {
  const { apply, managers } = start();
  assert.equal(apply('alice', one).status, 201);
  assert.deepEqual(managers(), ['alice Apply']);
});

test('the same apply twice writes nothing', () => {
  const { apply, store, clock } = start();
  apply('alice', one);
  const { revision } = store;
  clock.advance(60_000);
  assert.equal(apply('alice', one).status, 200);
  assert.equal(store.revision, revision);
});

test('two managers own different items of one list', () => {
  const { apply, read } = start();
  apply('alice', one);
  assert.equal(apply('bob', { containers: [{ name: 'b', image: 'y' }] }).status, 200);
  assert.deepEqual(read().spec['containers'], [
    { name: 'a', image: 'x' },
    { name: 'b', image: 'y' },
  ]);
});

test('what a manager no longer names goes, unless somebody else owns it too', () => {
  const { apply, read } = start();
  apply('alice', { ...one, hostname: 'h', nodeName: 'n' });
  apply('bob', { nodeName: 'n' });
  apply('alice', one);
  assert.equal(read().spec['hostname'], undefined);
  assert.equal(read().spec['nodeName'], 'n');
});

test("an item that only one manager named goes with that manager's interest", () => {
  const { apply, read } = start();
  apply('alice', {
    containers: [
      { name: 'a', image: 'x' },
      { name: 'b', image: 'y' },
    ],
  });
  apply('alice', one);
  assert.deepEqual(read().spec['containers'], [{ name: 'a', image: 'x' }]);
});

test('a field of somebody else is a conflict that names owner and field', () => {
  const { apply, read } = start();
  apply('alice', one);
  const { status, body } = apply('bob', { containers: [{ name: 'a', image: 'other' }] });
  assert.equal(status, 409);
  assert.equal(body['reason'], 'Conflict');
  assert.match(
    String(body['message']),
    /1 conflict: conflict with "alice" using v1: \.spec\.containers\[name="a"\]\.image/,
  );
  assert.deepEqual(read().spec['containers'], one.containers);
});

test('force takes the field, and the loser conflicts from then on', () => {
  const { apply, read } = start();
  apply('alice', one);
  assert.equal(apply('bob', { containers: [{ name: 'a', image: 'other' }] }, { force: true }).status, 200);
  assert.deepEqual(read().spec['containers'], [{ name: 'a', image: 'other' }]);
  assert.equal(apply('alice', one).status, 409);
});

test('the same value can have two owners', () => {
  const { apply, managers } = start();
  apply('alice', one);
  assert.equal(apply('bob', one).status, 200);
  assert.deepEqual(managers(), ['alice Apply', 'bob Apply']);
});

test('whoever writes a field otherwise owns it from then on', () => {
  const { apply, ask, read, managers } = start();
  apply('alice', { ...one, hostname: 'h' });
  ask(
    'PATCH',
    `${PATH}?fieldManager=carol`,
    { spec: { hostname: 'i' } },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.deepEqual(managers(), ['alice Apply', 'carol Update']);
  const [alice, carol] = read().metadata['managedFields'] as { fieldsV1: Record<string, Record<string, unknown>> }[];
  assert.equal(alice?.fieldsV1['f:spec']?.['f:hostname'], undefined);
  assert.deepEqual(carol?.fieldsV1, { 'f:spec': { 'f:hostname': {} } });
  assert.match(String(apply('alice', { ...one, hostname: 'h' }).body['message']), /conflict with "carol"/);
});

test('an object that nobody applied to belongs to before-first-apply', () => {
  const { apply, ask, read } = start();
  ask('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: { ...one, hostname: 'h' } });
  assert.equal(read().metadata['managedFields'], undefined, 'no record before the first apply');
  const { status, body } = apply('alice', { ...one, hostname: 'other' });
  assert.equal(status, 409);
  assert.match(String(body['message']), /before-first-apply.*\.spec\.hostname/);
  assert.equal(apply('alice', one).status, 200);
});

test('labels merge one by one', () => {
  const { apply, read } = start();
  apply('alice', one, { labels: { a: '1', b: '2' } });
  apply('bob', {}, { labels: { c: '3' } });
  apply('alice', one, { labels: { a: '1' } });
  assert.deepEqual(read().metadata['labels'], { a: '1', c: '3' });
});

test('apply needs to know who applies', () => {
  const { ask } = start();
  assert.equal(ask('PATCH', PATH, { metadata: { name: 'p' } }, APPLY).status, 400);
});
