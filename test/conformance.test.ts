import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { CASES } from './conformance/cases.ts';
import { DIFFERENCES } from './conformance/differences.ts';
import { connectByHttp2 } from './conformance/http2-connection.ts';
import { type Judgement, judgeEmbedded, renderDifferences, withDifferences } from './conformance/judge.ts';
import { absent, exactly, including, mismatches, not, present } from './conformance/match.ts';
import { runSuite } from './conformance/run-suite.ts';
import { type EmbeddedServer, startEmbedded } from './conformance/servers/embedded.ts';

for (const { over, connect } of [{ over: 'HTTP/1.1' }, { over: 'HTTP/2', connect: connectByHttp2 }]) {
  describe(`over ${over} the embedded control plane answers as a kube-apiserver does`, () => {
    let judgements: readonly Judgement[] = [];
    const servers: EmbeddedServer[] = [];

    before(async () => {
      const start = async (memory: 'lasting' | 'forgetful'): Promise<EmbeddedServer> => {
        const server = await startEmbedded(memory);
        servers.push(server);
        return server;
      };
      judgements = judgeEmbedded(await runSuite(start, CASES, connect), DIFFERENCES);
    });

    test('and no request fails inside it', () => {
      assert.deepEqual(
        servers.map(({ errors }) => errors),
        [[], []],
      );
    });

    for (const { id, clause } of CASES) {
      test(`${clause}: ${id}`, () => {
        assert.deepEqual(judgements.find((judgement) => judgement.id === id)?.findings, []);
      });
    }
  });
}

test('every case has a name of its own, that a namespace may carry', () => {
  const ids = CASES.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, at) => ids.indexOf(id) !== at || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(id)),
    [],
  );
});

test('every difference is about a case, and gives a reason', () => {
  const ids = new Set(CASES.map(({ id }) => id));
  assert.deepEqual(
    DIFFERENCES.filter(({ id, embedded, reason }) => !ids.has(id) || embedded === '' || reason === ''),
    [],
  );
});

test('docs/control-plane.md shows the differences as they are (npm run conformance -- --write)', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/control-plane.md'), 'utf8');
  assert.equal(page, withDifferences(page, renderDifferences(CASES, DIFFERENCES)));
});

describe('an answer matches an expectation', () => {
  const rows: readonly { story: string; value: unknown; wanted: unknown; is: 'match' | 'mismatch' }[] = [
    { story: 'of which it has more', value: { a: 1, b: 2 }, wanted: { a: 1 }, is: 'match' },
    { story: 'but not of another value', value: { a: 1 }, wanted: { a: 2 }, is: 'mismatch' },
    { story: 'but not of a value it lacks', value: {}, wanted: { a: 1 }, is: 'mismatch' },
    { story: 'by pattern', value: 'abc', wanted: /b/, is: 'match' },
    { story: 'but not by a pattern that it fails', value: 'abc', wanted: /^b/, is: 'mismatch' },
    { story: 'item by item', value: [{ a: 1, b: 2 }], wanted: [{ a: 1 }], is: 'match' },
    { story: 'but not of fewer items', value: [1, 2], wanted: [1], is: 'mismatch' },
    { story: 'that something is there', value: { a: 0 }, wanted: { a: present }, is: 'match' },
    { story: 'but null is not there', value: { a: null }, wanted: { a: present }, is: 'mismatch' },
    { story: 'that something is not there', value: {}, wanted: { a: absent }, is: 'match' },
    { story: 'but null is not absent', value: { a: null }, wanted: { a: absent }, is: 'mismatch' },
    { story: 'exactly', value: { a: 1 }, wanted: exactly({ a: 1 }), is: 'match' },
    { story: 'but not exactly when it has more', value: { a: 1, b: 2 }, wanted: exactly({ a: 1 }), is: 'mismatch' },
    { story: 'of some items in any order', value: [1, 2, 3], wanted: including(3, 1), is: 'match' },
    { story: 'but not of an item that is missing', value: [1], wanted: including(1, 2), is: 'mismatch' },
    { story: 'of anything else', value: 1, wanted: not(2), is: 'match' },
    { story: 'but not of the very thing', value: 1, wanted: not(1), is: 'mismatch' },
  ];
  for (const { story, value, wanted, is } of rows) {
    test(story, () => assert.equal(mismatches(value, wanted, '').length === 0 ? 'match' : 'mismatch', is));
  }
});

describe('a judgement', () => {
  const result = (area: 'verbs' | 'lists', findings: readonly string[]) => ({
    row: { id: 'x', area, clause: 'c', steps: [] },
    findings,
  });
  const listed = [{ id: 'x', embedded: 'e', reason: 'r' }];
  const findingsOf = (area: 'verbs' | 'lists', findings: readonly string[], differences = listed) =>
    judgeEmbedded([result(area, findings)], differences)[0]?.findings.length;

  test('takes a difference that is on the list', () => assert.equal(findingsOf('lists', ['differs']), 0));
  test('refuses one that is not', () => assert.equal(findingsOf('lists', ['differs'], []), 1));
  test('refuses one that is on the list and gone', () => assert.equal(findingsOf('lists', []), 1));
  test('refuses any in verbs, on the list or not', () => assert.equal(findingsOf('verbs', ['differs']), 2));
});
