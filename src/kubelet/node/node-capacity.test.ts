import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideCapacity, judgeCapacity, type WantedCapacity } from './node-capacity.ts';

const MINI = { cpus: 10, memoryBytes: 24 * 2 ** 30 + 12_345 };

interface Row {
  readonly story: string;
  readonly wanted: Partial<WantedCapacity>;
  readonly offers: readonly [cpu: number, memoryMib: number];
  readonly says?: RegExp;
}

describe('what a Node offers', () => {
  const rows: readonly Row[] = [
    { story: 'is what the Mac has', wanted: {}, offers: [10, 24_576] },
    { story: 'is what the flags say', wanted: { cpu: 8, memoryMib: 16_384 }, offers: [8, 16_384] },
    { story: 'is both, each by itself', wanted: { memoryMib: 14_336 }, offers: [10, 14_336] },
    {
      story: 'is more processors than there are, with a word about it',
      wanted: { cpu: 12 },
      offers: [12, 24_576],
      says: /^--host-cpu is 12, but this Mac has 10 processors$/,
    },
    {
      story: 'is more memory than there is, with a word about it',
      wanted: { memoryMib: 65_536 },
      offers: [10, 65_536],
      says: /^--host-memory-mb is 65536, but this Mac has 24576 MiB$/,
    },
  ];
  for (const { story, wanted, offers, says } of rows) {
    it(story, () => {
      const full = { cpu: undefined, memoryMib: undefined, pods: 2, ...wanted };
      const { cpu, memoryMib, pods } = decideCapacity(full, MINI);
      assert.deepEqual([cpu, memoryMib, pods], [...offers, 2]);
      const notes = judgeCapacity(full, MINI);
      assert.equal(notes.length, says === undefined ? 0 : 1);
      if (says !== undefined) assert.match(notes[0] ?? '', says);
    });
  }
});
