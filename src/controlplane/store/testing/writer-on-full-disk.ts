/**
 * Run as a process of its own that may write no file past a few hundred kilobytes (`ulimit -f`): writes until a write is
 * lost, then says what it still knows, and what the next write is told.
 */
import { writeSync } from 'node:fs';
import { openSqliteLog } from '../sqlite-log.ts';
import { createStore } from '../store.ts';

const [, , path = ''] = process.argv;
const store = createStore({ log: openSqliteLog(path) });
const thing = (size: number) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: `t${size}` },
  text: 'x'.repeat(20_000),
});

const writeOn = (size: number): void => {
  store.put('/things', thing(size));
  store.whenSettled((settled) => {
    if (settled.is === 'durable') {
      setImmediate(() => writeOn(size + 1));
      return;
    }
    const { code, message } = settled.error;
    const { revision } = store;
    const listed = store.list('/things').length;
    writeSync(1, JSON.stringify({ acknowledged: size - 1, revision, listed, code, message }));
    process.exit();
  });
};
writeOn(1);
