/** Every fault of the simulated dispatcher, shown once, and gone again when it is switched off or used up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DISPATCH_FAULTS, type DispatchFaultId } from './fault-list.ts';
import { DISPATCH_FAULT_IDS } from './faults.ts';
import { createDispatchStage, type DispatchStage, POOL, uidOf } from './testing/dispatch-stage.ts';

type Show = (stage: DispatchStage) => Promise<void>;

const statuses = async (...answers: readonly Promise<{ readonly status: number }>[]): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

/** A queued job, asked for. */
const asked = (stage: DispatchStage, pod = 'r1') => {
  stage.dispatch.queue({ pool: POOL });
  return stage.poll(pod);
};

const jobStates = ({ dispatch }: DispatchStage) => dispatch.jobs().map(({ state }) => state);

/** Minting fails: the job waits on, for somebody else. */
const notMinted =
  (status: number): Show =>
  async (stage) => {
    assert.equal((await asked(stage)).status, status);
    assert.deepEqual(jobStates(stage), ['queued']);
    assert.equal(stage.dispatch.standing(uidOf('r1')).state, 'idle');
    assert.deepEqual(stage.dispatch.sessions(), []);
  };

const SHOWS: Readonly<Record<DispatchFaultId, Show>> = {
  F96: async (stage) => {
    await stage.poll('r1');
    stage.dispatch.queue({ pool: POOL });
    assert.equal((await stage.look('r1')).body['state'], 'idle');
    assert.equal((await stage.look('r1')).body['state'], 'claimed');
    assert.equal((await stage.poll('r1')).status, 200);
  },
  F96b: async (stage) => {
    assert.equal((await asked(stage)).status, 200);
    assert.equal(stage.events().filter((event) => event === 'stamp-lost').length, 2);
  },
  F98: async (stage) =>
    assert.deepEqual(
      await statuses(stage.poll('r1'), stage.signals(), stage.stop('r1'), stage.drain('r1')),
      [503, 503, 503, 503],
    ),
  F98b: notMinted(502),
  F98c: notMinted(502),
  F98d: async (stage) => {
    const given = await asked(stage);
    await stage.github('start', 'r1', given);
    assert.deepEqual(await statuses(stage.github('renew', 'r1', given), stage.github('end', 'r1', given)), [0, 0]);
    stage.clock.advance(600_000);
    assert.equal(stage.dispatch.jobs()[0]?.conclusion, 'lost');
  },
  F98e: async (stage) => {
    assert.equal((await stage.github('start', 'r1', await asked(stage))).status, 410);
    assert.equal(stage.dispatch.jobs()[0]?.conclusion, 'cancelled');
  },
  F98f: async (stage) => {
    await asked(stage);
    assert.equal((await stage.stop('r1')).status, 503);
    assert.equal(stage.dispatch.sessions()[0]?.endedAtMs, undefined);
  },
  F98g: async (stage) => {
    await asked(stage);
    assert.equal((await stage.stop('r1')).status, 0);
    assert.notEqual(stage.dispatch.sessions()[0]?.endedAtMs, undefined);
  },
  F98h: async (stage) => assert.equal((await stage.github('start', 'r1', await asked(stage))).status, 401),
  gone: async (stage) => {
    assert.equal((await asked(stage)).status, 410);
    assert.deepEqual(jobStates(stage), ['queued']);
  },
  denied: async (stage) =>
    assert.deepEqual(await statuses(stage.poll('r1'), stage.signals(), stage.drain('r1')), [401, 401, 401]),
  forbidden: async (stage) => assert.deepEqual(await statuses(stage.poll('r1'), stage.stop('r1')), [403, 403]),
  'no-account': notMinted(404),
  'no-jit': async (stage) => {
    const { status, body } = await asked(stage);
    assert.deepEqual([status, body['encoded_jit_config']], [200, '']);
    assert.deepEqual(jobStates(stage), ['queued']);
  },
  'no-cluster': async (stage) => assert.deepEqual(await statuses(asked(stage), stage.signals()), [503, 503]),
  taken: async (stage) => {
    assert.equal((await stage.github('start', 'r1', await asked(stage))).status, 204);
    assert.deepEqual(jobStates(stage), ['claimed']);
  },
  html: async (stage) => {
    const { status, text, headers } = await stage.signals();
    assert.match(text, /^<!doctype html>/);
    assert.deepEqual([status, headers['tuist-runners-protocol']], [200, undefined]);
  },
  negative: async (stage) => assert.equal((await stage.signals()).body['queued'], -1),
  stale: async (stage) => {
    await stage.signals();
    stage.dispatch.queue({ pool: POOL });
    stage.clock.advance(3_600_000);
    const { body, headers } = await stage.signals();
    assert.deepEqual([body['queued'], headers['age']], [0, '3600']);
  },
  'other-fleet': async (stage) => assert.equal((await stage.signals()).body['fleet'], `not-${POOL}`),
  'github-down': async (stage) => assert.equal((await stage.github('start', 'r1', await asked(stage))).status, 503),
  lost: async (stage) => {
    assert.equal((await asked(stage)).status, 0);
    assert.deepEqual(jobStates(stage), ['queued']);
  },
  'lost-answer': async (stage) => {
    assert.equal((await asked(stage)).status, 0);
    assert.deepEqual(jobStates(stage), ['claimed']);
  },
  slow: async (stage) => {
    const request = { method: 'GET', target: '/api/internal/runners/desired_replicas?fleet=ci', body: '', caller: 'x' };
    const answer = await stage.dispatch.serve({ ...request, headers: { authorization: 'Bearer controller' } });
    assert.equal(answer?.delayMs, 15_000);
  },
};

describe('faults of the dispatcher', () => {
  for (const id of DISPATCH_FAULT_IDS) {
    it(`${id}: ${DISPATCH_FAULTS[id].story}`, async () => {
      const stage = createDispatchStage();
      stage.dispatch.switchOn(id);
      await SHOWS[id](stage);
      stage.dispatch.switchOff(id);
      assert.deepEqual(stage.dispatch.faults(), []);
      assert.equal((await asked(stage, 'another')).status, 200, 'it is over');
    });
  }

  it('strike for so many calls, for one Pod, or for so long', async () => {
    const stage = createDispatchStage();
    stage.dispatch.switchOn('gone', { count: 2 });
    assert.deepEqual(await statuses(stage.poll('r1'), stage.poll('r1'), stage.poll('r1')), [410, 410, 204]);
    stage.dispatch.switchOn('gone', { pod: 'r2' });
    assert.deepEqual(await statuses(stage.poll('r1'), stage.poll('r2')), [204, 410]);
    stage.dispatch.switchOn('denied', { seconds: 3_600, verb: 'signals' });
    assert.deepEqual(await statuses(stage.signals(), stage.drain('r3')), [401, 200]);
    stage.clock.advance(3_600_000);
    assert.equal((await stage.signals()).status, 200);
  });

  it('strike sometimes, and the same seed at the same times', async () => {
    const draw = async (): Promise<readonly number[]> => {
      const stage = createDispatchStage();
      stage.dispatch.switchOn('F98', { probability: 0.5 });
      return statuses(...Array.from({ length: 20 }, () => stage.poll('r1')));
    };
    const first = await draw();
    assert.deepEqual([...new Set(first)].toSorted(), [204, 503]);
    assert.deepEqual(first, await draw());
  });

  it('that nobody knows are refused with all that there are', () => {
    assert.throws(() => createDispatchStage().dispatch.switchOn('F99'), { code: 'NoSuchFault', hint: /F96, F96b/ });
  });
});
