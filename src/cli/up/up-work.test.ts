import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderWork, replicasOf } from './up-work.ts';

describe('the work of up', () => {
  const rows = [
    {
      story: 'two runners for each of a few Macs',
      machines: 6,
      fleet: ['macos', 'runners'],
      fleets: [3, 3],
      runners: 6,
    },
    {
      story: 'a pool for the jobs that are shown, of many Macs',
      machines: 1_000,
      fleet: ['runners'],
      fleets: [1_000],
      runners: 40,
    },
  ] as const;
  for (const { story, machines, fleet, fleets, runners } of rows)
    it(`has ${story}`, () => {
      const work = renderWork({ machines, fleet });
      const sizesOf = (kind: string): readonly unknown[] =>
        work.filter(({ resource }) => resource.kind === kind).map(({ object }) => replicasOf(object));
      assert.deepEqual(sizesOf('MachineDeployment'), fleets);
      assert.deepEqual(sizesOf('RunnerPool'), [runners]);
    });
});
