import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const start = (count: number, historyMax = 100) => {
  const plane = createTestPlane({ historyMax });
  const add = (name: string) => plane.ask('POST', MAPS, { metadata: { name } });
  for (let index = 0; index < count; index += 1) add(`m${index}`);
  const names = (query: string) =>
    (plane.ask('GET', `${MAPS}?${query}`).body['items'] as { metadata: { name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );
  return { ...plane, add, names };
};

describe('options of a list that mean nothing are refused in the words of a real API server', () => {
  const rows = [
    {
      query: 'resourceVersion=abc',
      status: 400,
      message:
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    },
    { query: 'limit=abc', status: 400, message: 'strconv.ParseInt: parsing "abc": invalid syntax' },
    {
      query: 'resourceVersionMatch=Exact',
      status: 422,
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      query: 'resourceVersion=0&resourceVersionMatch=Exact',
      status: 422,
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    },
    {
      query: 'resourceVersion=1&resourceVersionMatch=Foo',
      status: 422,
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    },
    {
      query: 'sendInitialEvents=true',
      status: 422,
      message:
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    },
    {
      query: 'watch=1&sendInitialEvents=true',
      status: 422,
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    },
    {
      query: 'fieldSelector=spec.x%3D1',
      status: 400,
      message: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    },
    { query: 'fieldSelector=x', status: 400, message: "invalid selector: 'x'; can't understand 'x'" },
    {
      query: 'labelSelector=%3D%3D',
      status: 400,
      message: "found '==', expected: !, identifier, or 'end of string'",
    },
    {
      query: 'labelSelector=a%20in%20b',
      status: 400,
      message: "unable to parse requirement: found 'b' expected: '('",
    },
  ];
  for (const { query, status, message } of rows) {
    test(decodeURIComponent(query), () => {
      const answer = start(1).ask('GET', `${MAPS}?${query}`);
      assert.deepEqual([answer.status, answer.body['message']], [status, message]);
    });
  }
});

describe('a list', () => {
  test('of an exact moment shows what was there then', () => {
    const { store, add, names } = start(2);
    const { revision } = store;
    add('later');
    assert.deepEqual(names(`resourceVersion=${revision}&resourceVersionMatch=Exact`), ['m0', 'm1']);
    assert.deepEqual(names(`resourceVersion=${revision}&resourceVersionMatch=NotOlderThan`), ['later', 'm0', 'm1']);
  });

  for (const path of [MAPS, `${MAPS}/m0`]) {
    test(`of ${path} at a version that is yet to come times out, and says when to try again`, () => {
      const { ask, store } = start(1);
      const answer = ask('GET', `${path}?resourceVersion=999`);
      assert.equal(answer.status, 504);
      assert.equal(answer.body['message'], `Timeout: Too large resource version: 999, current: ${store.revision}`);
      assert.equal(at(answer.body, 'details.causes.0.reason'), 'ResourceVersionTooLarge');
      assert.equal(answer.headers['retry-after'], '1');
    });
  }

  test('whose moment is forgotten goes on from the token in the refusal, inconsistently', () => {
    const { ask, add } = start(4, 2);
    const token = at(ask('GET', `${MAPS}?limit=2`).body, 'metadata.continue');
    for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) add(name);
    const refused = ask('GET', `${MAPS}?limit=2&continue=${token}`);
    assert.equal(refused.status, 410);
    const next = ask('GET', `${MAPS}?limit=2&continue=${at(refused.body, 'metadata.continue')}`);
    assert.equal(next.status, 200);
    assert.equal(at(next.body, 'items.0.metadata.name'), 'm2');
  });

  test('by a selector does not say how much is left', () => {
    const { ask } = start(3);
    const { body } = ask('GET', `${MAPS}?limit=1&labelSelector=!x`);
    assert.notEqual(at(body, 'metadata.continue'), undefined);
    assert.equal(at(body, 'metadata.remainingItemCount'), undefined);
  });

  test('for a client that takes only protobuf is not acceptable, and says what is', () => {
    const answer = start(1).ask('GET', MAPS, undefined, { accept: 'application/vnd.kubernetes.protobuf' });
    assert.equal(answer.status, 406);
    assert.match(String(answer.body['message']), /accept application\/json/);
  });
});
