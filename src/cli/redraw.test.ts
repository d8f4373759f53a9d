import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedraw } from './redraw.ts';

const drawn = (io: { isTerminal?: boolean; columns?: number; rows?: number }, ...texts: readonly string[]) => {
  const written: string[] = [];
  const draw = createRedraw({ ...io, stdout: (text) => written.push(text) });
  for (const text of texts) draw(text);
  return written;
};
const up = (rows: number): string => `\u001b[${rows}A\u001b[J`;

describe('what is drawn again', () => {
  it('stands in the place of the last one on a terminal', () => {
    assert.deepEqual(drawn({ isTerminal: true }, 'a\nb', 'c'), ['a\nb\n', `${up(2)}c\n`]);
  });
  it('stands below it in a pipe, whole and without a control character', () => {
    assert.deepEqual(drawn({ rows: 2 }, 'a\nb\nc', 'd'), ['a\nb\nc\n', 'd\n']);
  });
  it('counts the rows that a line which is too wide takes, colours aside', () => {
    const wide = `\u001b[31m${'x'.repeat(25)}\u001b[0m`;
    assert.deepEqual(drawn({ isTerminal: true, columns: 10, rows: 50 }, wide, 'c')[1], `${up(3)}c\n`);
  });
  it('is cut where the terminal ends, so that nothing of it leaves the screen', () => {
    const [first, second] = drawn({ isTerminal: true, columns: 10, rows: 4 }, '1\n2\n3\n4\n5', 'c');
    assert.equal(first, '1\n2\n… 3 more lines\n');
    assert.equal(second, `${up(3)}c\n`);
  });
});
