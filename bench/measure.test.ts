import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Benchmark, Sample, SideName } from './benchmark.ts';
import { measure } from './measure.ts';

const never = async (): Promise<Sample> => ({});
const compared: Benchmark = { id: 'b', about: '', figures: [], ours: never, peer: never };

/** Sides that give the number of the run as their figure; `fails` says which runs do not. */
const createSides = (fails: (side: SideName, run: number) => boolean = () => false) => {
  const order: SideName[] = [];
  const lines: string[] = [];
  const runSide = async (side: SideName): Promise<Sample> => {
    order.push(side);
    if (fails(side, order.length)) throw new Error('gone');
    return { x: order.length };
  };
  return { order, lines, deps: { rounds: 3, runSide, report: (line: string) => void lines.push(line) } };
};

describe('measuring', () => {
  test('takes turns between ours and the peer', async () => {
    const { order, deps } = createSides();
    const measurement = await measure(compared, deps);
    assert.deepEqual(order, ['ours', 'peer', 'ours', 'peer', 'ours', 'peer']);
    assert.deepEqual(measurement, { ours: [{ x: 1 }, { x: 3 }, { x: 5 }], peer: [{ x: 2 }, { x: 4 }, { x: 6 }] });
  });

  test('runs ours alone where there is no peer', async () => {
    const { order, deps } = createSides();
    const { peer: _none, ...alone } = compared;
    assert.deepEqual((await measure(alone, deps)).peer, []);
    assert.deepEqual(order, ['ours', 'ours', 'ours']);
  });

  test('gives up a peer that fails, says why, and keeps nothing of it', async () => {
    const { order, lines, deps } = createSides((side, run) => side === 'peer' && run > 2);
    const { ours, peer } = await measure(compared, deps);
    assert.deepEqual(order, ['ours', 'peer', 'ours', 'peer', 'ours']);
    assert.equal(ours.length, 3);
    assert.deepEqual(peer, []);
    assert.deepEqual(
      lines.filter((line) => line.includes('not measured')),
      ['b: the peer is not measured: gone'],
    );
  });

  test('fails when ours fails', async () => {
    const { deps } = createSides((side) => side === 'ours');
    await assert.rejects(measure(compared, deps), /gone/);
  });
});
