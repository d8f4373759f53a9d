import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStrayWatch, findStrays } from './find-strays.ts';
import { ID, ORDERED, PENDING, POOL, QUARANTINE, RELEASING, serverOf } from './testing/views.ts';

describe('a server that nobody has on record', () => {
  const rows = [
    { story: 'is astray under a pending name', name: PENDING, kind: 'pending' },
    { story: 'is astray under the name of a machine that does not know it', name: 'mac-1', kind: 'machine' },
    { story: 'is none of our business under any other name', name: 'someone-elses', kind: undefined },
    ...[POOL, ORDERED, RELEASING, QUARANTINE].map((name) => ({
      story: `is put on record, or another cluster\u2019s, as ${name.split('-')[1]}`,
      name,
      kind: undefined,
    })),
  ];
  for (const { story, name, kind } of rows) {
    it(story, () => {
      const strays = findStrays({
        servers: [serverOf(name)],
        knownIds: new Set(),
        machineNames: new Set(['mac-1']),
      });
      assert.deepEqual(strays, kind === undefined ? [] : [{ id: ID, name, kind }]);
    });
  }

  it('is not astray once it is on record, or a machine names it', () => {
    const servers = [serverOf(PENDING)];
    assert.deepEqual(findStrays({ servers, knownIds: new Set([ID]), machineNames: new Set() }), []);
  });

  it('is told of once it is so for long, once, and again if it comes back', () => {
    const watch = createStrayWatch(1_000);
    const stray = { id: ID, name: PENDING, kind: 'pending' } as const;
    const told = (strays: readonly (typeof stray)[], nowMs: number) => {
      const { lasting, fresh } = watch(strays, nowMs);
      return [lasting.length, fresh.length];
    };
    assert.deepEqual(
      [told([stray], 0), told([stray], 999), told([stray], 1_000), told([stray], 2_000), told([], 3_000)],
      [
        [0, 0],
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 0],
      ],
    );
    assert.deepEqual(
      [told([stray], 4_000), told([stray], 5_000)],
      [
        [0, 0],
        [1, 1],
      ],
    );
  });
});
