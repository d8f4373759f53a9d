/**
 * Run as a process of its own: writes to a data file for ever, several writes in each turn of the event loop, says each
 * write it was promised, and waits to be killed.
 */
import { writeSync } from 'node:fs';
import { openSqliteLog } from '../sqlite-log.ts';
import { createStore } from '../store.ts';

const WRITES_PER_TURN = 5;
const [, , path = ''] = process.argv;
const store = createStore({ log: openSqliteLog(path) });
let size = Number(store.revision);

const writeTurn = (): void => {
  for (let written = 0; written < WRITES_PER_TURN; written += 1) {
    size += 1;
    store.put('/things', { apiVersion: 'v1', kind: 'Thing', metadata: { name: `t${size % 7}` }, size });
  }
  store.whenSettled(({ is }) => {
    if (is === 'durable') writeSync(1, `${store.revision}\n`);
    setImmediate(writeTurn);
  });
};
writeTurn();
