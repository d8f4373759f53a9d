import assert from 'node:assert/strict';
import test from 'node:test';
import { abortable, neverAborted } from '../base/abort.ts';
import { FleetError, toFleetError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import type { StepProgress } from './port.ts';
import { runSteps, type StepsRun } from './run-steps.ts';
import type { Step } from './step.ts';
import { type Answers, createScriptedSession, type ScriptedSession } from './testing/scripted-session.ts';

const step = (id: string, more: Partial<Step> = {}): Step => ({
  ...{ id, needs: [], inputs: [], secretInputs: [], timeoutMs: 30_000 },
  ...more,
});

interface Stage {
  readonly session: ScriptedSession;
  readonly clock: ReturnType<typeof createManualClock>;
  /** Every progress that was told, as `id:state …`. */
  readonly told: readonly string[];
  readonly last: () => readonly StepProgress[];
  run(steps: readonly Step[], more?: Partial<StepsRun>, signal?: AbortSignal): Promise<void>;
}

const stage = (answers?: Answers): Stage => {
  const session = createScriptedSession(answers);
  const clock = createManualClock();
  const told: string[] = [];
  let last: readonly StepProgress[] = [];
  const onProgress = (steps: readonly StepProgress[]): void => {
    last = steps;
    told.push(steps.map(({ id, state }) => `${id}:${state}`).join(' '));
  };
  return {
    ...{ session, clock, told, last: () => last },
    run: (steps, more = {}, signal = neverAborted()) =>
      runSteps({ session, steps, epoch: 7, inputs: {}, secrets: {}, clock, onProgress, ...more }, signal),
  };
};

const errorOf = async (work: Promise<unknown>): Promise<FleetError> => {
  try {
    await work;
  } catch (error) {
    return toFleetError(error);
  }
  throw new Error('nothing was thrown');
};

test('a step is looked at, applied and looked at again, and progress tells each change', async () => {
  const { session, told, last, run } = stage();
  await run([step('second', { needs: ['first'] }), step('first')]);
  assert.deepEqual(session.asked(), [
    ...['first check', 'first apply', 'first verify'],
    ...['second check', 'second apply', 'second verify'],
  ]);
  assert.deepEqual(told, [
    'first:pending second:pending',
    'first:running second:pending',
    'first:done second:pending',
    'first:done second:running',
    'first:done second:done',
  ]);
  assert.deepEqual(last()[0], {
    ...{ id: 'first', state: 'done' },
    ...{ startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:00Z' },
  });
});

test('a step that is done already is neither applied nor verified', async () => {
  const { session, last, run } = stage(() => ({ exitCode: 0, output: '' }));
  await run([step('tart')]);
  assert.deepEqual(session.asked(), ['tart check']);
  assert.equal(last()[0]?.state, 'skipped');
});

test('a step gets the epoch and only those values that it names', async () => {
  const { session, run } = stage();
  const secrets = { password: new Secret('one'), token: new Secret('two') };
  await run([step('hostname', { inputs: ['name'], secretInputs: ['token'] })], {
    inputs: { name: 'mac-1', other: 'x' },
    secrets,
  });
  for (const call of session.calls) {
    assert.equal(call.epoch, 7);
    assert.deepEqual(call.inputs, { name: 'mac-1' });
    assert.deepEqual(call.secrets, { token: secrets.token });
  }
  assert.equal(session.calls.length, 3);
});

const failures: readonly { readonly phase: string; readonly error: string; readonly asked: number }[] = [
  { phase: 'apply', error: 'unavailable StepFailed: step tart exited with 3: no space left', asked: 2 },
  {
    phase: 'verify',
    error: 'contract StepNotVerified: step tart was applied, but did not last: no space left',
    asked: 3,
  },
];

for (const { phase, error, asked } of failures) {
  test(`a step whose ${phase} fails ends the run with its last line, and what follows stays pending`, async () => {
    const { session, last, run } = stage((call) =>
      call.phase === phase ? { exitCode: 3, output: 'unpacking\nno space left\n' } : undefined,
    );
    const thrown = await errorOf(run([step('tart'), step('after')]));
    assert.equal(`${thrown.kind} ${thrown.code}: ${thrown.message}`, error);
    assert.equal(thrown.details['step'], 'tart');
    assert.equal(session.calls.length, asked);
    assert.deepEqual(
      last().map(({ state }) => state),
      ['failed', 'pending'],
    );
    assert.equal(last()[0]?.message, thrown.message);
  });
}

test('a last line too long for the API is cut in the progress', async () => {
  const { last, run } = stage(() => ({ exitCode: 1, output: 'x'.repeat(10_000) }));
  await errorOf(run([step('tart')]));
  assert.equal(last()[0]?.message?.length, 4_096);
});

test('a refusal of the Mac keeps its kind and code, and names the step', async () => {
  const refusal = new FleetError('conflict', { code: 'StaleEpoch', message: 'seen 9', details: { seen: 9 } });
  const { run } = stage(() => Promise.reject(refusal));
  const thrown = await errorOf(run([step('tart')]));
  assert.deepEqual(
    [thrown.kind, thrown.code, thrown.message, thrown.details],
    ['conflict', 'StaleEpoch', 'step tart: seen 9', { seen: 9, step: 'tart' }],
  );
});

test('a step that hangs is given up at its deadline', async () => {
  const { clock, last, run } = stage((_call, signal) => abortable(new Promise(() => undefined), signal));
  const running = errorOf(run([step('tart', { timeoutMs: 5_000 })]));
  clock.advance(4_999);
  assert.equal(last()[0]?.state, 'running');
  clock.advance(1);
  const thrown = await running;
  assert.deepEqual([thrown.kind, thrown.code], ['unavailable', 'DeadlineExceeded']);
  assert.equal(thrown.message, 'step tart took longer than 5000 ms');
  assert.equal(last()[0]?.state, 'failed');
});

test('an abort takes effect before the next phase, and the step is as if not begun', async () => {
  const controller = new AbortController();
  const { session, last, run } = stage(({ phase }) => {
    if (phase === 'apply') controller.abort();
    return undefined;
  });
  const thrown = await errorOf(run([step('tart'), step('after')], {}, controller.signal));
  assert.equal(thrown.kind, 'cancelled');
  assert.deepEqual(session.asked(), ['tart check', 'tart apply']);
  assert.deepEqual(
    last().map(({ state }) => state),
    ['pending', 'pending'],
  );
});

test('a missing input is found before anything is run', async () => {
  const { session, run } = stage();
  const thrown = await errorOf(run([step('tart'), step('hostname', { inputs: ['name'] })]));
  assert.deepEqual([thrown.kind, thrown.code], ['bug', 'StepInputMissing']);
  assert.deepEqual(session.asked(), []);
});

test('a step whose secret is not known may be found done, but is never applied', async () => {
  const sudo = step('sudo', { secretInputs: ['password'] });
  await stage(() => ({ exitCode: 0, output: '' })).run([sudo]);
  const { session, run } = stage();
  const thrown = await errorOf(run([sudo]));
  assert.deepEqual([thrown.kind, thrown.code], ['unavailable', 'StepSecretUnknown']);
  assert.deepEqual(session.asked(), ['sudo check']);
});

test('a secret that a script prints appears neither in the error nor in the progress', async () => {
  const kubeconfig = new Secret('users:\n  - token: canary-token-1234\n');
  const prints = ['token: canary-token-1234', kubeconfig.reveal()];
  for (const print of prints) {
    const { last, run } = stage(({ phase }) => ({ exitCode: 1, output: `${phase} of ${print} failed` }));
    const thrown = await errorOf(
      run([step('kubeconfig', { secretInputs: ['kubeconfig'] })], { secrets: { kubeconfig } }),
    );
    assert.equal(thrown.code, 'StepFailed');
    assert.match(thrown.message, /\[redacted\]/);
    assert.ok(!JSON.stringify([thrown, thrown.message, last()]).includes('canary'));
  }
});

test('a secret in the error of a session does not go further either', async () => {
  const password = new Secret('canary');
  const { last, run } = stage(() =>
    Promise.reject(new FleetError('unavailable', { code: 'Lost', message: 'lost while sending canary' })),
  );
  const thrown = await errorOf(run([step('sudo', { secretInputs: ['password'] })], { secrets: { password } }));
  assert.equal(thrown.message, 'step sudo: lost while sending [redacted]');
  assert.ok(!JSON.stringify(last()).includes('canary'));
});
