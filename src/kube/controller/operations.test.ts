import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createOperations, type OperationRequest } from './operations.ts';

const start = (concurrency = 4) => {
  const clock = createManualClock();
  const woken: string[] = [];
  const operations = createOperations<string, number>({ clock, concurrency, onChange: (key) => void woken.push(key) });
  return { clock, woken, operations };
};

/** Work that runs until it is told to end, or is aborted and takes a moment to notice. */
const controlled = () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let runs = 0;
  let report: (progress: string) => void = () => undefined;
  const request: OperationRequest<string, number> = {
    key: 'ns/a',
    doing: 'bootstrapping',
    timeoutMs: 60_000,
    run: (handle) => {
      runs += 1;
      report = handle.report;
      return Promise.race([
        promise,
        new Promise<number>((_, reject) => handle.signal.addEventListener('abort', () => reject(handle.signal.reason))),
      ]);
    },
  };
  return { request, end: resolve, report: (progress: string) => report(progress), runs: () => runs };
};

describe('operations', () => {
  it('run once per UID however often a reconcile asks', async () => {
    const { operations } = start();
    const work = controlled();
    for (let pass = 0; pass < 5; pass += 1) operations.ensure('uid-1', work.request);
    await nextTurn();
    assert.equal(work.runs(), 1);
    assert.equal(operations.state('uid-1')?.state, 'running');
  });

  it('tell their progress and their result, and wake the key for both', async () => {
    const { operations, woken } = start();
    const work = controlled();
    operations.ensure('uid-1', work.request);
    await nextTurn();
    work.report('step 2 of 9');
    assert.deepEqual(operations.state('uid-1'), {
      state: 'running',
      sinceMs: Date.UTC(2026, 0, 1),
      progress: 'step 2 of 9',
    });
    work.end(42);
    await nextTurn();
    assert.deepEqual(operations.state('uid-1'), { state: 'succeeded', result: 42 });
    assert.deepEqual(woken, ['ns/a', 'ns/a']);
  });

  it('stay ended whatever something that they left behind reports', async () => {
    const { operations, woken } = start();
    const work = controlled();
    operations.ensure('uid-1', work.request);
    await nextTurn();
    work.end(42);
    await nextTurn();
    work.report('late');
    assert.deepEqual(operations.state('uid-1'), { state: 'succeeded', result: 42 });
    assert.deepEqual(woken, ['ns/a']);
  });

  it('fail at their deadline', async () => {
    const { operations, clock } = start();
    operations.ensure('uid-1', controlled().request);
    await nextTurn();
    clock.advance(60_000);
    await nextTurn();
    const state = operations.state('uid-1');
    assert.equal(state?.state === 'failed' && state.error.code, 'DeadlineExceeded');
  });

  it('count as running after a cancel until the work has really ended, and are then forgotten', async () => {
    const { operations } = start();
    const { promise, resolve } = Promise.withResolvers<number>();
    operations.ensure('uid-1', { ...controlled().request, run: () => promise });
    await nextTurn();
    operations.cancel('uid-1');
    await nextTurn();
    assert.equal(operations.state('uid-1')?.state, 'running');
    resolve(1);
    await nextTurn();
    assert.equal(operations.state('uid-1'), undefined);
  });

  it('keep a result until it is forgotten, then may run again', async () => {
    const { operations } = start();
    const work = controlled();
    operations.ensure('uid-1', work.request);
    work.end(1);
    await nextTurn();
    operations.ensure('uid-1', work.request);
    assert.equal(work.runs(), 1);
    operations.forget('uid-1');
    operations.ensure('uid-1', work.request);
    await nextTurn();
    assert.equal(work.runs(), 2);
  });

  it('run at most so many at once', async () => {
    const { operations } = start(1);
    const [first, second] = [controlled(), controlled()];
    operations.ensure('uid-1', first.request);
    operations.ensure('uid-2', second.request);
    await nextTurn();
    assert.equal(second.runs(), 0);
    first.end(1);
    await nextTurn();
    assert.equal(second.runs(), 1);
  });

  it('all end when the controller does', async () => {
    const { operations } = start(1);
    operations.ensure('uid-1', controlled().request);
    operations.ensure('uid-2', controlled().request);
    await nextTurn();
    await operations.stop();
    assert.equal(operations.state('uid-1'), undefined);
    assert.equal(operations.state('uid-2'), undefined);
  });
});
