/** The guest on the virtual clock, against the simulated dispatcher: by the table of the original's dispatch loop. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKernel, type KernelOptions } from '../../kernel/kernel.ts';
import { createNoCluster } from '../no-cluster.ts';
import { DISPATCH_PATH } from '../routes.ts';
import { createSimDispatch, type SimDispatchOptions } from '../sim-dispatch.ts';
import { CONTROLLER, POOL } from '../testing/dispatch-stage.ts';
import { createKernelDispatchTransport } from '../transports.ts';
import { decidePoll } from './decide-poll.ts';
import { readGuestSettings } from './guest-ports.ts';
import { runGuest } from './run-guest.ts';

const play = (
  options: Partial<KernelOptions & SimDispatchOptions & { readonly env: object; readonly token: string }> = {},
) => {
  const kernel = createKernel({ seed: 1, ...options });
  const world = kernel.actor('world');
  const dispatch = createSimDispatch({
    ...{
      clock: world.clock,
      random: world.random,
      view: createNoCluster(CONTROLLER),
      controller: CONTROLLER,
      ...options,
    },
  });
  const guest = kernel.actor('guest');
  const stopping = new AbortController();
  const env = {
    TUIST_RUNNER_DISPATCH_URL: `http://dispatch.test${DISPATCH_PATH}`,
    TUIST_RUNNER_POD_NAME: 'r1',
    ...options.env,
  };
  let [log, code]: [string, number | undefined] = ['', undefined];
  guest.daemon('guest', async () => {
    code = await runGuest({
      ...{ clock: guest.clock, signal: stopping.signal, settings: readGuestSettings(env) },
      transport: createKernelDispatchTransport(dispatch, guest, 'r1'),
      token: () => options.token ?? `runner:${POOL}/r1`,
      print: (text) => {
        log += text;
      },
    });
  });
  const run = (maxVirtualMs: number, until: () => boolean = () => code !== undefined) =>
    kernel.run({ maxEvents: 100_000, maxVirtualMs, until });
  return { kernel, dispatch, run, shutDown: () => stopping.abort(), code: () => code, log: () => log };
};

describe('the guest of a runner', () => {
  it('asks every two seconds, runs the job that comes for as long as it lasts, and ends well', async () => {
    const world = play();
    await world.run(60_000);
    const asked = world.dispatch.calls().entries.length;
    assert.ok(asked >= 29 && asked <= 30, `${asked} polls in a minute`);
    world.dispatch.queue({ pool: POOL, durationMs: 300_000 });
    const queuedMs = world.kernel.nowMs();
    await world.run(600_000);
    assert.equal(world.code(), 0);
    const [job] = world.dispatch.jobs();
    assert.deepEqual([job?.state, job?.conclusion], ['finishing', 'success']);
    assert.ok(world.kernel.nowMs() - queuedMs < 307_000, `${world.kernel.nowMs() - queuedMs} ms`);
    assert.match(world.log(), /waiting for a job \(204\)\n(.*\n)*the job has begun\nthe job has ended\n$/);
    const verbs = world.dispatch.calls().entries.map(({ verb }) => verb);
    assert.deepEqual(verbs.slice(-7), ['start', 'renew', 'renew', 'renew', 'renew', 'end', 'metrics']);
  });

  it('L12: a job finds an idle runner within one poll', async () => {
    const world = play();
    await world.run(11_000);
    const { queuedAtMs } = world.dispatch.queue({ pool: POOL });
    await world.run(30_000, () => world.dispatch.jobs()[0]?.startedAtMs !== undefined);
    const waitedMs = (world.dispatch.jobs()[0]?.startedAtMs ?? 0) - queuedAtMs;
    assert.ok(waitedMs <= 2_100, `${waitedMs} ms`);
  });

  it('tells GitHub of a job that went wrong, and ends well itself: so does an actions runner', async () => {
    const world = play();
    world.dispatch.queue({ pool: POOL, durationMs: 1_000, exitCode: 3 });
    await world.run(60_000);
    assert.deepEqual([world.code(), world.dispatch.jobs()[0]?.conclusion], [0, 'failure']);
  });

  const ends: readonly {
    readonly story: string;
    readonly fault: string;
    readonly code: number;
    readonly env?: object;
  }[] = [
    { story: 'is sent home', fault: 'gone', code: 0 },
    { story: 'is refused', fault: 'denied', code: 1 },
    { story: 'is forbidden', fault: 'forbidden', code: 1 },
    { story: 'has a job that was cancelled at its start', fault: 'F98e', code: 0 },
    { story: 'has a JIT config that has expired', fault: 'F98h', code: 1 },
    { story: 'loses communication', fault: 'F98d', code: 1 },
    {
      story: 'waits in vain for a job that GitHub gave to another',
      fault: 'taken',
      code: 143,
      env: { TUIST_RUNNER_IDLE_TIMEOUT_SECONDS: '300' },
    },
  ];
  for (const { story, fault, code, env = {} } of ends) {
    it(`ends with ${code} when it ${story}`, async () => {
      const world = play({ env });
      world.dispatch.switchOn(fault);
      world.dispatch.queue({ pool: POOL, durationMs: 1_200_000 });
      await world.run(2_000_000);
      assert.equal(world.code(), code, world.log());
    });
  }

  it('waits for ever for a job that GitHub gave to another, where no watchdog is set', async () => {
    const world = play();
    world.dispatch.switchOn('taken');
    world.dispatch.queue({ pool: POOL });
    await world.run(7_200_000);
    assert.equal(world.code(), undefined);
  });

  it('does not mind trouble that passes: no answer, 5xx, an empty JIT config, answers that come too late', async () => {
    const world = play({
      network: { sites: { dispatch: { faults: { 'fail-before': 0.2, 'fail-after': 0.1, 'late-answer': 0.05 } } } },
    });
    for (const fault of ['F98', 'no-jit', 'F98b', 'no-account', 'no-cluster', 'github-down', 'lost']) {
      world.dispatch.switchOn(fault, { count: 2 });
    }
    world.dispatch.queue({ pool: POOL, durationMs: 30_000 });
    await world.run(900_000);
    world.kernel.setFaults('off');
    await world.run(900_000);
    const [job] = world.dispatch.jobs();
    // An answer that was lost cannot be told from none: then it is sent home, and the job waits for its end to be told.
    const isSentHome = job?.state === 'claimed' && /drained/.test(world.log());
    assert.ok(isSentHome || job?.conclusion === 'success', `${job?.state} ${world.log()}`);
    assert.equal(world.code(), 0);
  });

  it('is terminated in the middle of its job, and GitHub hears nothing of it any more', async () => {
    const world = play();
    world.dispatch.queue({ pool: POOL, durationMs: 600_000 });
    await world.run(60_000);
    world.shutDown();
    await world.run(1_000);
    assert.equal(world.code(), 143);
    await world.run(700_000, () => world.dispatch.jobs()[0]?.conclusion === 'lost');
    assert.equal(world.dispatch.jobs()[0]?.conclusion, 'lost');
  });

  it('says what it lacks', async () => {
    const world = play({ env: { TUIST_RUNNER_DISPATCH_URL: '' } });
    await world.run(1_000);
    assert.deepEqual([world.code(), world.log()], [1, 'TUIST_RUNNER_DISPATCH_URL is not set\n']);
  });
});

describe('what a guest does with an answer', () => {
  const rows: readonly (readonly [status: number, body: string, is: string])[] = [
    [200, '{"encoded_jit_config":"abc","owner":"acme"}', 'run'],
    [200, '{"encoded_jit_config":""}', 'ask-again'],
    [200, '{}', 'ask-again'],
    [200, '<html>', 'ask-again'],
    [204, '', 'ask-again'],
    [401, '', 'end 1'],
    [403, '', 'end 1'],
    [410, '', 'end 0'],
    ...[404, 429, 500, 502, 503].map((status) => [status, '', 'ask-again'] as const),
  ];
  for (const [status, body, is] of rows) {
    it(`${status} ${body}: ${is}`, () => {
      const step = decidePoll({ status, body });
      assert.equal(step.do === 'end' ? `end ${step.code}` : step.do, is);
    });
  }
});
