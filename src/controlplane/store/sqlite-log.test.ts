import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openSqliteLog } from './sqlite-log.ts';
import { createStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'macfleet-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => {
  files += 1;
  return join(folder, `store-${files}.db`);
};

const thing = (name: string, size = 0) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ns' },
  size,
});

test('objects and revision are there again after a restart', () => {
  const path = newFile();
  const first = createStore({ log: openSqliteLog(path) });
  first.put('/things', thing('a', 1));
  first.put('/things', thing('b', 1));
  first.put('/things', thing('a', 2));
  first.remove('/things', thing('b', 1));
  first.close();
  const second = createStore({ log: openSqliteLog(path) });
  assert.equal(second.revision, 4);
  assert.deepEqual(
    second.list('/things').map(({ key, revision, object }) => [key, revision, object['size']]),
    [['ns/a', 3, 2]],
  );
  assert.equal(second.put('/things', thing('c')).revision, 5);
  second.close();
});

test('after a restart a watch from the last revision goes on, and one from before must list again', () => {
  const path = newFile();
  const first = createStore({ log: openSqliteLog(path) });
  first.put('/things', thing('a'));
  first.put('/things', thing('b'));
  first.close();
  const second = createStore({ log: openSqliteLog(path) });
  assert.deepEqual(second.since(2), []);
  assert.equal(second.since(1), undefined);
  second.close();
});

test('the file can be read by its owner alone', () => {
  const path = newFile();
  openSqliteLog(path).close();
  assert.equal(statSync(path).mode & 0o077, 0);
});

const refusals = [
  {
    name: 'a file that is no database',
    code: 'StoreDamaged',
    prepare: (path: string) => writeFileSync(path, 'not a database, but long enough to be read as one'.repeat(50)),
  },
  {
    name: 'a database of another program',
    code: 'StoreFileForeign',
    prepare: (path: string) => {
      const database = new DatabaseSync(path);
      database.exec('CREATE TABLE theirs (id INTEGER)');
      database.close();
    },
  },
  {
    name: 'a database of a later version',
    code: 'StoreTooNew',
    prepare: (path: string) => {
      openSqliteLog(path).close();
      const database = new DatabaseSync(path);
      database.exec('PRAGMA user_version = 99');
      database.close();
    },
  },
  {
    name: 'a database with an object that is cut off',
    code: 'StoreDamaged',
    prepare: (path: string) => {
      openSqliteLog(path).close();
      const database = new DatabaseSync(path);
      database.exec(`INSERT INTO objects VALUES ('/things', 'ns/a', 1, '{"metadata":{"na')`);
      database.close();
    },
  },
];

for (const { name, code, prepare } of refusals) {
  test(`${name} is refused with ${code}`, () => {
    const path = newFile();
    prepare(path);
    assert.throws(() => createStore({ log: openSqliteLog(path) }), { name: 'FleetError', code });
  });
}

test('a file in a folder that does not exist is refused', () => {
  assert.throws(() => openSqliteLog(join(folder, 'absent', 'x.db')), { code: 'StoreFileUnusable' });
});

test('a second process is told that the file is in use', () => {
  const path = newFile();
  const log = openSqliteLog(path);
  assert.throws(() => openSqliteLog(path), { code: 'StoreInUse' });
  log.close();
  openSqliteLog(path).close();
});

/** What a writer of its own process says it was promised until it is killed, on the same file each time. */
const killWriter = async (path: string, afterLines: number): Promise<number> => {
  const writer = new URL('./testing/endless-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.split('\n').length > afterLines) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return Number(said.split('\n').at(-2));
};

const KILLS = Number(process.env['MACFLEET_KILLS'] ?? 5);

test(`every write that was acknowledged survives kill -9, ${KILLS} times over`, async () => {
  const path = newFile();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const acknowledged = await killWriter(path, 10 + 7 * kill);
    const store = createStore({ log: openSqliteLog(path) });
    assert.ok(store.revision >= acknowledged, `revision ${store.revision} is older than ${acknowledged}`);
    assert.equal((store.revision - acknowledged) % 5, 0, 'the writes of one turn are kept together or not at all');
    const sizes = store.list('/things').map(({ object }) => Number(object['size']));
    assert.deepEqual(
      sizes.toSorted((left, right) => left - right),
      Array.from({ length: 7 }, (_value, index) => store.revision - 6 + index),
    );
    store.close();
  }
});

test('a disk that is full fails the write, says so, and loses nothing that was acknowledged', () => {
  const path = newFile();
  const writer = new URL('./testing/writer-on-full-disk.ts', import.meta.url).pathname;
  const command = 'ulimit -f 400; exec "$0" "$@"';
  const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, writer, path], { encoding: 'utf8' });
  assert.equal(stderr, '');
  const { acknowledged, revision, listed, code, message } = JSON.parse(stdout);
  assert.ok(acknowledged > 0);
  assert.deepEqual([revision, listed], [acknowledged, acknowledged], 'what is in memory is what was acknowledged');
  assert.equal(code, 'StoreFailed');
  assert.match(message, /could not be read or written/);
  const store = createStore({ log: openSqliteLog(path) });
  assert.equal(store.revision, acknowledged);
  assert.equal(store.list('/things').length, acknowledged);
  store.close();
});

test('whoever opened it is told of a write that failed, besides whoever wrote', () => {
  const told: string[] = [];
  const log = openSqliteLog(newFile(), ({ code }) => told.push(code));
  const record = { collection: '/things', key: 'a', revision: 1, json: '{}' };
  log.append([record]);
  assert.deepEqual(told, []);
  log.close();
  assert.throws(() => log.append([{ ...record, revision: 2 }]), { code: 'StoreFailed' });
  assert.deepEqual(told, ['StoreFailed']);
});
