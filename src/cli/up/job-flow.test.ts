import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDispatchStage, POOL } from '../../sim/dispatch/testing/dispatch-stage.ts';
import { createJobFlow } from './job-flow.ts';

const start = (count: number | 'endless') => {
  const stage = createDispatchStage();
  const { dispatch, clock } = stage;
  return { ...stage, flow: createJobFlow({ dispatch, clock, pool: POOL, count }) };
};

describe('the jobs of up', () => {
  it('are queued one after the other, once they begin, and no more than were asked for', () => {
    const { flow, dispatch, clock } = start(3);
    clock.advance(10_000);
    assert.equal(dispatch.jobs().length, 0);
    flow.begin();
    flow.begin();
    assert.equal(dispatch.jobs().length, 1);
    clock.advance(10_000);
    assert.equal(dispatch.jobs().length, 3);
    assert.equal(clock.timers, 0);
  });

  it('never end where none is asked for, and never pile up', () => {
    const { flow, dispatch, clock } = start('endless');
    flow.begin();
    clock.advance(60_000);
    assert.equal(dispatch.jobs().length, 4);
    dispatch.cancel(1_001);
    clock.advance(1_000);
    assert.equal(dispatch.jobs().length, 5);
    assert.equal(flow.isDone(), false);
    flow.stop();
  });

  it('stop coming when they are stopped', () => {
    const { flow, dispatch, clock } = start(3);
    flow.begin();
    flow.stop();
    clock.advance(10_000);
    assert.equal(dispatch.jobs().length, 1);
  });

  it('are a line each: where they are, who runs them, how long they waited and ran', async () => {
    const { flow, clock, poll, github, stop, dispatch } = start(2);
    flow.begin();
    clock.advance(200);
    clock.advance(1_300);
    const given = await poll('r1');
    await github('start', 'r1', given);
    clock.advance(2_000);
    assert.deepEqual(flow.rows(), [
      { job: '1001', state: 'running', runner: 'r1', waitedMs: 1_500, ranMs: 2_000 },
      { job: '1002', state: 'queued', runner: '-', waitedMs: 3_300, ranMs: undefined },
    ]);
    await github('end', 'r1', given);
    await stop('r1');
    dispatch.cancel(1_002);
    assert.deepEqual(
      flow.rows().map(({ state }) => state),
      ['done', 'done, cancelled'],
    );
    assert.equal(flow.isDone(), true);
    assert.deepEqual([flow.failures(), flow.remains()], [['CI job 1002 did not run to its end: cancelled.'], []]);
    assert.match(
      flow.summary(),
      /^1 of 2 CI jobs ran to their end, each in a VM of its own \(1 VMs\)\.\n.* at most\. No session is left open\.$/,
    );
  });

  it('are not done while the end of a runner was not told', async () => {
    const { flow, poll, github } = start(1);
    flow.begin();
    const given = await poll('r1');
    await github('start', 'r1', given);
    await github('end', 'r1', given);
    assert.equal(flow.isDone(), false);
    assert.deepEqual([flow.failures(), flow.remains()], [[], ['1 sessions of runners are open.']]);
    assert.match(flow.summary(), /1 sessions are left open\.$/);
  });
});
