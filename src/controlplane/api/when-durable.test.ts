import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../auth/user.ts';
import { createScriptedLog } from '../store/testing/scripted-log.ts';
import { createTestPlane } from './testing/plane.ts';

const CONFIGS = '/api/v1/namespaces/default/configmaps';

const open = () => {
  const { log, endTurn, fill } = createScriptedLog();
  const plane = createTestPlane({ log });
  endTurn();
  const send = (method: string, path: string, body?: object) =>
    plane.api
      .answer({ method, path, headers: {}, user: ADMIN, ...(body && { body: JSON.stringify(body) }) })
      .then((answer) => ({ status: answer.status, text: String(answer.body) }));
  return { ...plane, endTurn, fill, send };
};

test('an answer leaves only when what it is based on is durable, of a read as of a write', async () => {
  const { send, endTurn, settle } = open();
  const done: string[] = [];
  const written = send('POST', CONFIGS, { metadata: { name: 'a' } }).then(({ status }) => done.push(`POST ${status}`));
  const read = send('GET', `${CONFIGS}/a`).then(({ status }) => done.push(`GET ${status}`));
  await settle();
  assert.deepEqual(done, []);
  endTurn();
  await Promise.all([written, read]);
  assert.deepEqual(done, ['POST 201', 'GET 200']);
});

test('on a full disk a write is refused with the reason, and who read it meanwhile reads again', async () => {
  const { send, endTurn, fill, store, watch } = open();
  const { lines } = watch(`${CONFIGS}?watch=1&resourceVersion=${store.revision}`);
  fill('full');
  const written = send('POST', CONFIGS, { metadata: { name: 'a' } });
  const read = send('GET', `${CONFIGS}/a`);
  endTurn();
  const refused = await written;
  assert.equal(refused.status, 500);
  assert.match(refused.text, /Internal error occurred: the disk is full/);
  assert.equal((await read).status, 404);
  assert.deepEqual(lines, []);
  fill('free');
  const again = send('POST', CONFIGS, { metadata: { name: 'a' } });
  endTurn();
  assert.equal((await again).status, 201);
  assert.equal(lines.length, 1);
});

test('a watch that opens while a write is undecided sees it once, or not at all when it is lost', () => {
  for (const disk of ['free', 'full'] as const) {
    const { ask, endTurn, fill, watch } = open();
    fill(disk);
    ask('POST', CONFIGS, { metadata: { name: 'a' } });
    const { lines } = watch(`${CONFIGS}?watch=1&resourceVersion=0`);
    assert.deepEqual(lines, []);
    endTurn();
    assert.equal(lines.length, disk === 'free' ? 1 : 0, disk);
  }
});

const late = [
  { story: 'a bookmark that is due', query: '', afterMs: 12_000, ends: false },
  { story: 'the end of a watch', query: '&timeoutSeconds=5', afterMs: 5_000, ends: true },
];
for (const { story, query, afterMs, ends } of late) {
  test(`${story} while a write is undecided comes after its event`, () => {
    const { ask, clock, endTurn, store, watch } = open();
    const from = `resourceVersion=${store.revision}`;
    const { lines, isEnded } = watch(`${CONFIGS}?watch=1&allowWatchBookmarks=true&${from}${query}`);
    ask('POST', CONFIGS, { metadata: { name: 'a' } });
    clock.advance(afterMs);
    assert.deepEqual([lines, isEnded()], [[], false]);
    endTurn();
    assert.deepEqual(
      lines.map((line) => line['type']),
      ['ADDED', 'BOOKMARK'],
    );
    assert.equal(isEnded(), ends);
  });
}
