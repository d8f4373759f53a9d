import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../testing/plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const podSpec = { containers: [{ name: 'c', image: 'x' }] };
const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: podSpec });

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
