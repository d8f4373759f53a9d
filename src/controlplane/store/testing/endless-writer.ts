/** Run as a process of its own: writes to a data file for ever, says each write it was promised, and waits to be killed. */
import { writeSync } from 'node:fs';
import { openSqliteLog } from '../sqlite-log.ts';
import { createStore } from '../store.ts';

const [, , path = ''] = process.argv;
const store = createStore({ log: openSqliteLog(path) });
for (let size = 1; ; size += 1) {
  const { revision } = store.put('/things', {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: `t${size % 7}` },
    size,
  });
  writeSync(1, `${revision} ${size}\n`);
}
