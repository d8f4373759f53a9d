import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChange } from './change.ts';
import { createHistory } from './history.ts';

const LOOSE = { changesMax: 1_000, ageMaxMs: 1_000_000, charsMax: 1_000_000 };

const rows = [
  { story: 'in number', bounds: { ...LOOSE, changesMax: 3 }, forgottenTo: 7 },
  { story: 'in age', bounds: { ...LOOSE, ageMaxMs: 45 }, forgottenTo: 5 },
  { story: 'in size', bounds: { ...LOOSE, charsMax: 250 }, forgottenTo: 8 },
  { story: 'by nothing yet', bounds: LOOSE, forgottenTo: 0 },
];

for (const { story, bounds, forgottenTo } of rows) {
  test(`history bounded ${story} answers without a gap from ${forgottenTo} on, and not before`, () => {
    let nowMs = 0;
    const history = createHistory({ start: 0, now: () => nowMs, ...bounds });
    for (let revision = 1; revision <= 10; revision += 1) {
      const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } };
      const entry = { collection: '/things', key: '/a', revision, object, selectable: object, json: '', chars: 100 };
      nowMs = revision * 10;
      history.add(createChange('put', entry, undefined));
    }
    for (let from = 0; from <= 10; from += 1) {
      const revisions = history.since(from)?.map(({ revision }) => revision);
      const all = Array.from({ length: 10 - from }, (_, index) => from + index + 1);
      assert.deepEqual(revisions, from < forgottenTo ? undefined : all, `from ${from}`);
    }
    assert.equal(history.since(11), undefined);
  });
}

test('history goes on without a gap when much more has been forgotten than is kept', () => {
  const history = createHistory({ start: 100, now: () => 0, ...LOOSE, changesMax: 10 });
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } };
  for (let revision = 101; revision <= 5_000; revision += 1) {
    const entry = { collection: '/things', key: '/a', revision, object, selectable: object, json: '{}', chars: 2 };
    history.add(createChange('put', entry, undefined));
    assert.equal(history.since(revision - 1)?.[0]?.revision, revision);
    assert.equal(history.since(Math.max(100, revision - 10))?.[0]?.revision, Math.max(101, revision - 9));
    if (revision > 110) assert.equal(history.since(revision - 11), undefined);
  }
});
