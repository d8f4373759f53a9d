import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runExhaustive } from './exhaustive.ts';
import { type Deviation, runTiny } from './exhaustive-run.ts';

interface Walk {
  readonly states: readonly string[];
  readonly others: readonly Deviation[];
  readonly outcome: unknown;
  readonly events: number;
}

const walk = async (deviations: readonly Deviation[]): Promise<Walk> => {
  const states: string[] = [];
  const others: Deviation[] = [];
  const { outcome, events } = await runTiny({
    deviations,
    onPoint: (point) => {
      states.push(point.state.all);
      others.push(...point.others);
      return 'go on';
    },
  });
  return { states, others, outcome, events };
};

describe('the exhaustive search', () => {
  it('follows the dullest schedule to its end, through the same states each time', async () => {
    const [first, second] = [await walk([]), await walk([])];
    assert.equal(first.outcome, 'reached');
    assert.deepEqual(second.states, first.states);
    const kinds = new Set(first.others.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), ['crash', 'delete', 'fault', 'order']);
  });

  it('comes to other states by a deviation, and to the same end', async () => {
    const { states, others } = await walk([]);
    const crash = others.filter(({ kind }) => kind === 'crash')[40];
    assert.ok(crash !== undefined);
    const deviating = await walk([crash]);
    assert.equal(deviating.outcome, 'reached');
    assert.ok(deviating.states.some((state) => !states.includes(state)));
  });

  it('does not explore again what it has met before', async () => {
    const share = { at: 0, of: 30 };
    const search = await runExhaustive({ stepsMax: 1, share, isTimeUp: () => false });
    const [dullest = 0, deviating = 0] = search.schedules;
    assert.deepEqual(search.violations, []);
    assert.equal(dullest, 1);
    assert.ok(deviating > 1 && search.left === 0);
    const { events } = await walk([]);
    const whole = (dullest + deviating) * events;
    assert.ok(search.events < whole, `${search.events} events, and ${whole} without what was met before`);
  });

  it('says how much it had no time for', async () => {
    let asked = 0;
    const search = await runExhaustive({ stepsMax: 1, share: { at: 0, of: 10 }, isTimeUp: () => asked++ > 0 });
    assert.deepEqual(search.schedules, [1, 0]);
    assert.ok(search.left > 10, `${search.left} left`);
  });
});
