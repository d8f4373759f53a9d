import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import type { SeenPod } from './cluster-view.ts';
import { p95 } from './signals.ts';
import { CONTROLLER, createDispatchStage, type DispatchStage, POOL, uidOf } from './testing/dispatch-stage.ts';

const HOUR_MS = 3_600_000;

/** A runner that polled its job and began it. */
const begun = async (stage: DispatchStage, pod = 'r1') => {
  stage.dispatch.queue({ pool: POOL, durationMs: 60_000 });
  const given = await stage.poll(pod);
  assert.equal(given.status, 200);
  assert.equal((await stage.github('start', pod, given)).status, 200);
  return given;
};

const stateOf = async (stage: DispatchStage, pod = 'r1'): Promise<unknown> => (await stage.look(pod)).body['state'];

describe('a job', () => {
  it('goes from the queue through a runner to its end, and every step is on record', async () => {
    const stage = createDispatchStage();
    assert.equal((await stage.poll('r1')).status, 204);
    const job = stage.dispatch.queue({ pool: POOL, account: 'acme', durationMs: 60_000 });
    const given = await stage.poll('r1');
    assert.deepEqual([given.body['owner'], given.body['workflow_job_id']], ['acme', job.id]);
    assert.equal(await stateOf(stage), 'claimed');
    const task = await stage.github('start', 'r1', given);
    assert.deepEqual(task.body, { workflow_job_id: job.id, run_ms: 60_000, renew_ms: 60_000, exit_code: 0 });
    assert.equal(await stateOf(stage), 'running');
    assert.equal((await stage.github('end', 'r1', given)).status, 204);
    assert.equal(await stateOf(stage), 'finishing');
    assert.equal((await stage.stop('r1')).status, 204);
    assert.equal(await stateOf(stage), 'finished');
    assert.equal(stage.dispatch.jobs()[0]?.conclusion, 'success');
    assert.deepEqual(stage.events(), [
      ...['queued', 'claimed', 'stamped', 'registered', 'handed', 'session-opened', 'stamped'],
      ...['started', 'ended', 'deregistered', 'session-closed'],
    ]);
  });

  it('goes to the oldest in the queue of its own pool', async () => {
    const stage = createDispatchStage();
    stage.dispatch.queue({ pool: 'other' });
    const first = stage.dispatch.queue({ pool: POOL });
    stage.dispatch.queue({ pool: POOL });
    assert.equal((await stage.poll('r1')).body['workflow_job_id'], first.id);
  });

  it('is handed to one of many that ask at once, and everyone gets at most one', async () => {
    const stage = createDispatchStage();
    for (let at = 0; at < 5; at += 1) stage.dispatch.queue({ pool: POOL });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => stage.poll(`r${at}`)));
    const ids = answers.filter(({ status }) => status === 200).map(({ body }) => body['workflow_job_id']);
    assert.equal(new Set(ids).size, 5);
    assert.equal(answers.filter(({ status }) => status === 204).length, 3);
  });

  it('is not handed twice to a runner that asks again while its answer is made, nor after it', async () => {
    const stage = createDispatchStage();
    stage.dispatch.queue({ pool: POOL });
    stage.dispatch.queue({ pool: POOL });
    const [first, second] = await Promise.all([stage.poll('r1'), stage.poll('r1')]);
    assert.deepEqual([first.status, second.status, second.body['encoded_jit_config']], [200, 200, '']);
    assert.equal((await stage.poll('r1')).status, 410);
    assert.equal(stage.dispatch.registrations().length, 1);
  });

  it('that never began goes back to the queue when its runner ends; one that did does not', async () => {
    const stage = createDispatchStage();
    await begun(stage, 'r1');
    const waiting = stage.dispatch.queue({ pool: POOL });
    await stage.poll('r2');
    await stage.stop('r1');
    await stage.stop('r2');
    assert.deepEqual(
      stage.dispatch.jobs().map(({ state }) => state),
      ['running', 'queued'],
    );
    assert.equal((await stage.poll('r3')).body['workflow_job_id'], waiting.id);
    assert.equal((await stage.poll('r2')).status, 410);
  });

  it('whose runner falls silent is lost after ten minutes, and not while it is heard of', async () => {
    const stage = createDispatchStage();
    const given = await begun(stage);
    stage.clock.advance(590_000);
    await stage.github('renew', 'r1', given);
    stage.clock.advance(590_000);
    assert.equal(stage.dispatch.jobs()[0]?.conclusion, undefined);
    stage.clock.advance(10_000);
    assert.equal(stage.dispatch.jobs()[0]?.conclusion, 'lost');
    assert.equal((await stage.github('end', 'r1', given)).status, 410);
    assert.equal(stage.clock.timers, 0);
  });

  it('that was cancelled in the queue is given to nobody', async () => {
    const stage = createDispatchStage();
    stage.dispatch.cancel(stage.dispatch.queue({ pool: POOL }).id);
    assert.equal((await stage.poll('r1')).status, 204);
  });

  it('takes its compressed time', async () => {
    const stage = createDispatchStage({ timeScale: 0.01 });
    stage.dispatch.queue({ pool: POOL, durationMs: 60_000 });
    const given = await stage.poll('r1');
    const { body } = await stage.github('start', 'r1', given);
    assert.deepEqual([body['run_ms'], body['renew_ms']], [600, 600]);
  });
});

describe('the drain handshake', () => {
  it('refuses a runner from then on, also one that never asked, and says how it stands', async () => {
    const stage = createDispatchStage();
    const answer = await stage.drain('r1');
    assert.deepEqual(answer.body, { pod_uid: uidOf('r1'), state: 'idle', refused: true });
    assert.equal(answer.headers['tuist-runners-protocol'], '2');
    stage.dispatch.queue({ pool: POOL });
    assert.equal((await stage.poll('r1')).status, 410);
    assert.equal((await stage.poll('r2')).status, 200);
  });

  it('comes too late for a job that is on its way, and says so', async () => {
    const told: unknown[] = [];
    const label = async (): Promise<void> => {
      if (told.length === 0) told.push((await stage.drain('r1')).body);
    };
    const stage = createDispatchStage({}, { label });
    stage.dispatch.queue({ pool: POOL });
    assert.equal((await stage.poll('r1')).status, 200);
    assert.deepEqual(told, [{ pod_uid: uidOf('r1'), state: 'claimed', refused: true }]);
  });

  it('changes nothing when somebody only looks', async () => {
    const stage = createDispatchStage();
    assert.deepEqual((await stage.look('r1')).body, { pod_uid: uidOf('r1'), state: 'idle', refused: false });
    assert.deepEqual(stage.events(), []);
  });

  it('is unknown to a server of the original protocol, which says so in no answer', async () => {
    const stage = createDispatchStage({ protocol: 1 });
    assert.deepEqual([(await stage.drain('r1')).status, (await stage.look('r1')).status], [404, 404]);
    const answers = [await stage.poll('r1'), await stage.signals(), await stage.stop('r1')];
    assert.ok(answers.every(({ headers }) => headers['tuist-runners-protocol'] === undefined));
  });
});

describe('who is sent home, in the order of the original', () => {
  const pod = (labels: SeenPod['labels'], image = 'new'): SeenPod => ({ uid: uidOf('r1'), labels, image, isUp: true });
  const trouble = async (): Promise<never> => {
    throw new FleetError('unavailable', { code: 'Away', message: 'away' });
  };
  const rows: readonly {
    readonly story: string;
    readonly status: number;
    readonly podOf: () => Promise<SeenPod>;
    readonly imageOf?: () => Promise<string>;
  }[] = [
    { story: 'nobody without a reason', status: 200, podOf: async () => pod({}) },
    {
      story: 'not who is not up yet, but it gets no job',
      status: 204,
      podOf: async () => ({ ...pod({}), isUp: false }),
    },
    {
      story: 'whom an operator drains',
      status: 410,
      podOf: async () => pod({ 'tuist.dev/runner-operator-drain': 'true' }),
    },
    { story: 'who was committed before', status: 410, podOf: async () => pod({ 'tuist.dev/runner-account': 'acme' }) },
    {
      story: 'who has an old image and may go',
      status: 410,
      podOf: async () => pod({ 'tuist.dev/drain-eligible': 'true' }, 'old'),
    },
    { story: 'not who has an old image and may not go yet', status: 200, podOf: async () => pod({}, 'old') },
    {
      story: 'not who may go and has the image of the pool',
      status: 200,
      podOf: async () => pod({ 'tuist.dev/drain-eligible': 'true' }),
    },
    { story: 'not whose Pod cannot be looked up', status: 200, podOf: trouble },
    {
      story: 'not whose pool cannot be looked up',
      status: 200,
      podOf: async () => pod({ 'tuist.dev/drain-eligible': 'true' }, 'old'),
      imageOf: trouble,
    },
    {
      story: 'not for the labels of another Pod of that name',
      status: 200,
      podOf: async () => ({ ...pod({ 'tuist.dev/runner-account': 'acme' }), uid: 'other' }),
    },
  ];
  for (const { story, status, podOf, imageOf = async () => 'new' } of rows) {
    it(story, async () => {
      const stage = createDispatchStage({}, { podOf, imageOf });
      stage.dispatch.queue({ pool: POOL });
      assert.equal((await stage.poll('r1')).status, status);
    });
  }
});

describe('who is let in', () => {
  const rows: readonly {
    readonly story: string;
    readonly ask: (stage: DispatchStage) => Promise<{ readonly status: number }>;
    readonly status: number;
  }[] = [
    {
      story: 'no runner without a token',
      status: 401,
      ask: ({ send }) => send('POST', '/api/internal/runners/dispatch', {}),
    },
    {
      story: 'no runner with a token of nobody',
      status: 401,
      ask: ({ send }) => send('POST', '/api/internal/runners/dispatch', { token: 'x' }),
    },
    {
      story: 'no runner to the ends of Pods',
      status: 403,
      ask: ({ send }) => send('POST', '/api/internal/runners/pods/stopped', { token: `runner:${POOL}/r1` }),
    },
    {
      story: 'no runner to the metrics of another',
      status: 403,
      ask: ({ send }) =>
        send('POST', '/api/internal/runners/pods/r2/metrics', { token: `runner:${POOL}/r1`, body: { samples: [] } }),
    },
    {
      story: 'a runner to its own metrics',
      status: 204,
      ask: ({ send }) =>
        send('POST', '/api/internal/runners/pods/r1/metrics', { token: `runner:${POOL}/r1`, body: { samples: [{}] } }),
    },
    {
      story: 'nobody to a path that is not there',
      status: 404,
      ask: ({ send }) => send('GET', '/api/internal/nothing', {}),
    },
    {
      story: 'no stop without a time',
      status: 400,
      ask: ({ send }) =>
        send('POST', '/api/internal/runners/pods/stopped', {
          token: 'controller',
          body: { pod_name: 'r1', ended_at: 'soon' },
        }),
    },
    {
      story: 'no question about no fleet',
      status: 400,
      ask: ({ send }) => send('GET', '/api/internal/runners/desired_replicas', { token: 'controller' }),
    },
  ];
  for (const { story, ask, status } of rows)
    it(story, async () => assert.equal((await ask(createDispatchStage())).status, status));

  it('nobody is turned away for a cluster that cannot be asked: 503', async () => {
    const review = async (): Promise<never> => {
      throw new FleetError('unavailable', { code: 'Away', message: 'away' });
    };
    assert.equal((await createDispatchStage({}, { review }).poll('r1')).status, 503);
  });

  it('no runner whose account has no pool', async () => {
    assert.equal((await createDispatchStage({}, { poolOf: async () => undefined }).poll('r1')).status, 401);
  });
});

describe('sessions', () => {
  it('are closed once, and keep the earliest end', async () => {
    const stage = createDispatchStage();
    await begun(stage);
    const ends = ['2026-01-01T00:00:20Z', '2026-01-01T00:00:10Z', '2026-01-01T00:00:30Z'];
    for (const end of ends) assert.equal((await stage.stop('r1', end)).status, 204);
    assert.equal(stage.dispatch.sessions()[0]?.endedAtMs, Date.parse('2026-01-01T00:00:10Z'));
    assert.equal(stage.events().filter((event) => event === 'session-closed').length, 1);
  });

  it('are none for a Pod that had no job', async () => {
    const stage = createDispatchStage();
    await stage.poll('r1');
    assert.equal((await stage.stop('r1')).status, 204);
    assert.deepEqual(stage.dispatch.sessions(), []);
  });
});

describe('signals', () => {
  it('tell what runs, what is held, what could run and what waits for a limit', async () => {
    const stage = createDispatchStage();
    await begun(stage, 'r1');
    const second = await begun(stage, 'r2');
    await stage.github('end', 'r2', second);
    stage.dispatch.setLimit('small', 1);
    for (let at = 0; at < 3; at += 1) stage.dispatch.queue({ pool: POOL, account: 'small' });
    stage.dispatch.queue({ pool: POOL });
    const expected = { fleet: POOL, claimed: 1, occupied: 2, queued: 2, withheld: 2, p95_concurrent_last_hour: 0 };
    assert.deepEqual((await stage.signals()).body, expected);
    assert.equal((await stage.poll('r3')).body['owner'], 'small');
    assert.equal((await stage.poll('r4')).body['owner'], 'acme');
    assert.equal((await stage.poll('r5')).status, 204, 'the limit holds');
  });

  it('are nothing for a pool that nobody asked for', async () => {
    const expected = { fleet: 'x', claimed: 0, occupied: 0, queued: 0, withheld: 0, p95_concurrent_last_hour: 0 };
    assert.deepEqual((await createDispatchStage().signals('x')).body, expected);
  });

  const loads: readonly { readonly story: string; readonly loads: Parameters<typeof p95>[0]; readonly is: number }[] = [
    { story: 'no load', loads: [], is: 0 },
    { story: 'a load all the time', loads: [{ atMs: 0, busy: 4 }], is: 4 },
    {
      story: 'a peak shorter than a twentieth of the time',
      loads: [
        { atMs: 0, busy: 2 },
        { atMs: 3_500_000, busy: 9 },
      ],
      is: 2,
    },
    {
      story: 'a peak longer than that',
      loads: [
        { atMs: 0, busy: 2 },
        { atMs: 3_300_000, busy: 9 },
      ],
      is: 9,
    },
    {
      story: 'a peak that is long over',
      loads: [
        { atMs: -9 * HOUR_MS, busy: 9 },
        { atMs: -8 * HOUR_MS, busy: 1 },
      ],
      is: 1,
    },
    { story: 'a load that has just begun', loads: [{ atMs: 3_599_000, busy: 5 }], is: 0 },
  ];
  for (const { story, loads: given, is } of loads)
    it(`the 95th percentile of ${story} is ${is}`, () =>
      assert.equal(p95(given, { nowMs: HOUR_MS, windowMs: HOUR_MS }), is));
});

it('knows its controller by namespace and name', async () => {
  const review = async () => ({ namespace: 'elsewhere', name: CONTROLLER.name });
  assert.equal((await createDispatchStage({}, { review }).signals()).status, 403);
});
