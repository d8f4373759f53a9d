import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { isKind } from '../../base/errors.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createRequestBudget } from './request-budget.ts';

const start = (options = { burst: 2, perSecond: 1 }) => {
  const clock = createManualClock();
  const budget = createRequestBudget(clock, options);
  const sent: string[] = [];
  const ask = (name: string, use: 'read' | 'write' = 'read', signal = neverAborted()): void => {
    budget.take(use, signal).then(
      () => sent.push(name),
      () => sent.push(`${name} gave up`),
    );
  };
  const pass = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return [...sent];
  };
  return { budget, ask, pass };
};

test('a burst goes at once, the rest at the rate', async () => {
  const { ask, pass } = start();
  for (const name of ['a', 'b', 'c', 'd']) ask(name);
  assert.deepEqual(await pass(0), ['a', 'b']);
  assert.deepEqual(await pass(999), ['a', 'b']);
  assert.deepEqual(await pass(1), ['a', 'b', 'c']);
  assert.deepEqual(await pass(1_000), ['a', 'b', 'c', 'd']);
});

test('a quiet time fills the bucket up to the burst and no further', async () => {
  const { ask, pass } = start();
  ask('a');
  ask('b');
  await pass(3_600_000);
  for (const name of ['c', 'd', 'e']) ask(name);
  assert.deepEqual(await pass(0), ['a', 'b', 'c', 'd']);
});

test('F05: those who change something go before those who look', async () => {
  const { ask, pass } = start({ burst: 1, perSecond: 1 });
  ask('first');
  ask('look', 'read');
  ask('rename', 'write');
  ask('reboot', 'write');
  await pass(0);
  await pass(1_000);
  await pass(1_000);
  assert.deepEqual(await pass(1_000), ['first', 'rename', 'reboot', 'look']);
});

test('R13 a write after a look goes at once, into debt as deep as a burst; the looks after it wait until that is paid', async () => {
  const { ask, pass } = start({ burst: 2, perSecond: 1 });
  for (const name of ['look 1', 'look 2']) ask(name);
  for (const name of ['write 1', 'write 2', 'write 3']) ask(name, 'write');
  ask('look 3');
  const paid = ['look 1', 'look 2', 'write 1', 'write 2'];
  assert.deepEqual(await pass(999), paid);
  assert.deepEqual(await pass(1), [...paid, 'write 3']);
  assert.deepEqual(await pass(2_999), [...paid, 'write 3']);
  assert.deepEqual(await pass(1), [...paid, 'write 3', 'look 3']);
});

test('F05: closed for the stated time, it sends nothing, and then goes on', async () => {
  const { budget, ask, pass } = start();
  budget.closeFor(5_000);
  budget.closeFor(1_000);
  ask('a');
  assert.deepEqual(await pass(4_999), []);
  assert.deepEqual(await pass(1), ['a']);
});

test('whoever gives up leaves the line', async () => {
  const { budget, ask, pass } = start({ burst: 1, perSecond: 1 });
  const controller = new AbortController();
  ask('a');
  ask('b', 'read', controller.signal);
  ask('c');
  controller.abort();
  assert.deepEqual(await pass(1_000), ['a', 'b gave up', 'c']);
  assert.equal(budget.waiting, 0);
  await assert.rejects(budget.take('read', AbortSignal.abort()), (error) => isKind(error, 'cancelled'));
});
