/**
 * Adapter: the store's log in a SQLite file (node:sqlite). WAL with `synchronous=FULL`, one transaction for all that is
 * written in one turn of the event loop: a change that was acknowledged survives `kill -9` and a power cut. The file is locked for this process and readable by its owner alone, because it
 * holds Secrets.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { LoadedLog, LogRecord, StoreLog } from './log.ts';

/** "mcft": says that a SQLite file is ours. */
const APPLICATION_ID = 0x6d636674;
const FORMAT = 1;
/** Nothing is read again after the start; writing needs no more than the pages it is at. */
const PAGE_CACHE_KIB = 256;

const SCHEMA = `
  CREATE TABLE objects (collection TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (collection, key)) WITHOUT ROWID;
  CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL);
  INSERT INTO state VALUES (1, 0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};`;

/** Opens or makes the file; `:memory:` keeps nothing. Whoever writes learns when that fails, and so does `onFailure`. A file that is damaged, newer, in use or not ours is refused. */
export const openSqliteLog = (path: string, onFailure?: (error: FleetError) => void): StoreLog => {
  if (path !== ':memory:') createPrivately(path);
  const database = openDatabase(path);
  try {
    prepareDatabase(database, path);
    return createLog(database, path, onFailure);
  } catch (thrown) {
    database.close();
    throw explain(thrown, path);
  }
};

const createPrivately = (path: string): void => {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (thrown) {
    throw new FleetError('invalid', {
      code: 'StoreFileUnusable',
      message: `the data file ${path} cannot be opened: ${messageOf(thrown)}`,
      hint: 'Name a file in a folder that exists and that you may write to.',
      cause: thrown,
    });
  }
};

const openDatabase = (path: string): DatabaseSync => {
  try {
    return new DatabaseSync(path);
  } catch (thrown) {
    throw explain(thrown, path);
  }
};

const prepareDatabase = (database: DatabaseSync, path: string): void => {
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB};`);
  // In exclusive mode the lock is taken by the first write; a second process must learn of it now, not later.
  database.exec('BEGIN IMMEDIATE');
  const isEmpty = numberIn(database, 'SELECT count(*) AS value FROM sqlite_schema') === 0;
  if (isEmpty) database.exec(SCHEMA);
  database.exec('COMMIT');
  checkFormat(database, path);
  const [verdict] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (verdict !== 'ok') throw damaged(path, String(verdict));
};

const checkFormat = (database: DatabaseSync, path: string): void => {
  if (numberIn(database, 'SELECT application_id AS value FROM pragma_application_id') !== APPLICATION_ID) {
    throw new FleetError('invalid', {
      code: 'StoreFileForeign',
      message: `${path} is a database of another program`,
      hint: 'Name another file for the data.',
    });
  }
  const format = numberIn(database, 'SELECT user_version AS value FROM pragma_user_version');
  if (format === FORMAT) return;
  throw new FleetError('invalid', {
    code: 'StoreTooNew',
    message: `${path} has format ${format}; this version of Macfleet reads format ${FORMAT}`,
    hint: 'Use the version of Macfleet that wrote it, or start with an empty file.',
  });
};

const numberIn = (database: DatabaseSync, sql: string): number => Number(database.prepare(sql).get()?.['value']);

const createLog = (database: DatabaseSync, path: string, onFailure?: (error: FleetError) => void): StoreLog => {
  const put = database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM objects WHERE collection = ? AND key = ?');
  const advance = database.prepare('UPDATE state SET revision = ? WHERE id = 1');

  const writeOne = ({ collection, key, revision, json }: LogRecord): void => {
    if (json === undefined) remove.run(collection, key);
    else put.run(collection, key, revision, json);
  };
  const writeAll = (records: readonly LogRecord[]): void => {
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const record of records) writeOne(record);
      advance.run(records.at(-1)?.revision ?? 0);
      database.exec('COMMIT');
    } catch (thrown) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw thrown;
    }
  };

  return {
    load: () => loadLog(database, path),
    append: (records) => {
      if (records.length === 0) return;
      try {
        writeAll(records);
      } catch (thrown) {
        const error = explain(thrown, path);
        onFailure?.(error);
        throw error;
      }
    },
    defer: (run) => void setImmediate(run),
    close: () => database.close(),
  };
};

const loadLog = (database: DatabaseSync, path: string): LoadedLog => {
  try {
    const rows = database.prepare('SELECT collection, key, revision, json FROM objects').all();
    const records = rows.map((row) => ({
      collection: String(row['collection']),
      key: String(row['key']),
      revision: Number(row['revision']),
      json: String(row['json']),
    }));
    return { revision: numberIn(database, 'SELECT revision AS value FROM state'), records };
  } catch (thrown) {
    throw explain(thrown, path);
  }
};

const damaged = (path: string, why: string): FleetError =>
  new FleetError('contract', {
    code: 'StoreDamaged',
    message: `the data file ${path} is damaged: ${why}`,
    hint: 'Restore it from a backup, or move it away and start with an empty one.',
  });

/** What SQLite's error means to the person who named the file. */
const explain = (thrown: unknown, path: string): FleetError => {
  if (thrown instanceof FleetError) return thrown;
  const why = messageOf(thrown);
  if (/malformed|not a database|corrupt/.test(why)) return damaged(path, why);
  if (/locked|busy/.test(why)) {
    return new FleetError('unavailable', {
      code: 'StoreInUse',
      message: `the data file ${path} is in use by another process`,
      hint: 'Stop the other process, or name another folder with --data.',
      cause: thrown,
    });
  }
  return new FleetError('unavailable', {
    code: 'StoreFailed',
    message: `the data file ${path} could not be read or written: ${why}`,
    hint: 'Check the free space and the permissions of that folder.',
    cause: thrown,
  });
};
