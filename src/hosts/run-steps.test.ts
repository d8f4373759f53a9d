import assert from 'node:assert/strict';
import test from 'node:test';
import { abortable, neverAborted } from '../base/abort.ts';
import { FleetError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { connectionLost } from './port/session-errors.ts';
import type { StepProgress } from './port.ts';
import { runSteps } from './run-steps.ts';
import type { Step } from './step.ts';
import type { StepsRun } from './steps-run.ts';
import { errorOf } from './testing/one-mac.ts';
import { createScriptedSession, type Script, type ScriptedSession } from './testing/scripted-session.ts';
import { artefactOf, stepOf } from './testing/steps.ts';

interface Stage {
  readonly session: ScriptedSession;
  readonly clock: ReturnType<typeof createManualClock>;
  /** Every progress that was told, as `id:state …`. */
  readonly told: readonly string[];
  readonly last: () => readonly StepProgress[];
  run(steps: readonly Step[], more?: Partial<StepsRun>, signal?: AbortSignal): Promise<void>;
}

const stage = (script?: Script): Stage => {
  const session = createScriptedSession(script);
  const clock = createManualClock();
  const told: string[] = [];
  let last: readonly StepProgress[] = [];
  const onProgress = (steps: readonly StepProgress[]): void => {
    last = steps;
    told.push(steps.map(({ id, state }) => `${id}:${state}`).join(' '));
  };
  return {
    ...{ session, clock, told, last: () => last },
    run: (steps, more = {}, signal = neverAborted()) => {
      const digests = Object.fromEntries(steps.map(({ id }) => [id, `digest of ${id}`]));
      const nothing = { inputs: {}, secrets: {}, artefacts: {}, digests };
      return runSteps({ session, steps, epoch: 7, clock, onProgress, ...nothing, ...more }, signal);
    },
  };
};

const AS_WANTED: Script = { answers: () => ({ exitCode: 0 }) };

test('all steps are looked at in one batch, and those that are not as wanted follow in one of several stages', async () => {
  const { session, told, last, run } = stage();
  await run([stepOf('second', { needs: ['first'] }), stepOf('first'), stepOf('beside')]);
  assert.deepEqual(session.asked, [
    'first check, second check, beside check',
    'first converge, beside converge | second converge',
  ]);
  assert.deepEqual(told, [
    'first:pending second:pending beside:pending',
    'first:running second:pending beside:running',
    'first:done second:pending beside:running',
    'first:done second:pending beside:done',
    'first:done second:running beside:done',
    'first:done second:done beside:done',
  ]);
  assert.deepEqual(last()[0], {
    ...{ id: 'first', state: 'done' },
    ...{ startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:00Z' },
  });
});

test('on a Mac as wanted nothing is sent but the survey', async () => {
  const { session, last, run } = stage(AS_WANTED);
  const steps = [stepOf('tart', { artefacts: ['tart'] }), stepOf('agent', { needs: ['tart'] })];
  await run(steps, { artefacts: { tart: artefactOf('tart') }, digests: {} });
  assert.deepEqual(session.asked, ['tart check, agent check']);
  assert.deepEqual(
    last().map(({ state }) => state),
    ['skipped', 'skipped'],
  );
});

test('a step gets the epoch, its digest and only those values that it names', async () => {
  const { session, run } = stage();
  const secrets = { password: new Secret('one'), token: new Secret('two') };
  const hostname = stepOf('hostname', {
    inputs: { name: { scope: 'host' }, domain: { scope: 'fleet', fallback: 'local' } },
    ...{ secretInputs: ['token'], artefacts: ['file'] },
  });
  const artefacts = { file: artefactOf('file') };
  await run([hostname], { inputs: { name: 'mac-1', other: 'x' }, secrets, artefacts });
  assert.equal(session.batches.length, 2);
  for (const { epoch, calls } of session.batches) {
    assert.equal(epoch, 7);
    const sum = artefactOf('file').sha256;
    assert.deepEqual(calls[0]?.inputs, { name: 'mac-1', domain: 'local', artefact_file: sum });
    assert.deepEqual(calls[0]?.secrets, { token: secrets.token });
  }
  assert.deepEqual(
    session.batches.map(({ calls }) => calls[0]?.digest),
    ['', 'digest of hostname'],
  );
});

test('the lock is held from the first change to the last, and not for a look', async () => {
  const { session, run } = stage();
  const artefacts = { file: artefactOf('file') };
  await run([stepOf('a'), stepOf('b', { needs: ['a'], artefacts: ['file'] })], { lockOwner: 'us', artefacts });
  assert.deepEqual(
    session.batches.map(({ lock }) => lock),
    [undefined, { owner: 'us', afterwards: 'keep' }, { owner: 'us', afterwards: 'release' }],
  );
});

test('uploads begin with the first wave, and only the wave that needs them waits', async () => {
  const uploaded = Promise.withResolvers<void>();
  const { session, run } = stage({ onUpload: () => uploaded.promise });
  const steps = [stepOf('sudo'), stepOf('tart', { needs: ['sudo'], artefacts: ['tart'] })];
  const running = run(steps, { artefacts: { tart: artefactOf('tart') } });
  await settled();
  assert.deepEqual(session.asked, ['sudo check, tart check', 'upload tart', 'sudo converge']);
  uploaded.resolve();
  await running;
  assert.deepEqual(session.asked.at(-1), 'tart converge');
});

test('an upload that fails is told with its step, and nothing that needs it is sent', async () => {
  const damaged = new FleetError('unavailable', { code: 'UploadDamaged', message: 'tart did not arrive' });
  const { session, last, run } = stage({ onUpload: () => Promise.reject(damaged) });
  const steps = [stepOf('sudo'), stepOf('tart', { needs: ['sudo'], artefacts: ['tart'] })];
  const thrown = await errorOf(run(steps, { artefacts: { tart: artefactOf('tart') } }));
  assert.equal(thrown.code, 'UploadDamaged');
  assert.ok(!session.asked.includes('tart converge'));
  assert.deepEqual(
    last().map(({ id, state, message }) => [id, state, message]),
    [
      ['sudo', 'done', undefined],
      ['tart', 'failed', 'tart did not arrive'],
    ],
  );
});

test('when a wave fails the uploads beside it are ended before the run is', async () => {
  let isUploading = false;
  const { run } = stage({
    answers: (_call, phase) => (phase === 'apply' ? { exitCode: 3 } : undefined),
    onUpload: async (_name, signal) => {
      isUploading = true;
      await abortable(new Promise<void>(() => undefined), signal).finally(async () => {
        await settled();
        isUploading = false;
      });
    },
  });
  const steps = [stepOf('sudo'), stepOf('tart', { needs: ['sudo'], artefacts: ['tart'] })];
  const thrown = await errorOf(run(steps, { artefacts: { tart: artefactOf('tart') } }));
  assert.deepEqual([thrown.code, isUploading], ['StepFailed', false]);
});

const failures: readonly {
  readonly phase: string;
  readonly output?: string;
  readonly exitCode?: number;
  readonly error: string;
}[] = [
  { phase: 'apply', error: 'unavailable StepFailed: step tart exited with 3: gone wrong' },
  { phase: 'verify', error: 'contract StepNotVerified: step tart was applied, but did not last: gone wrong' },
  { phase: 'check', error: 'unavailable StepNotLookedAt: step tart could not be looked at (exit 3): gone wrong' },
  {
    ...{ phase: 'apply', output: 'tar: No space left on device\n' },
    error: 'unavailable HostDiskFull: step tart exited with 3: tar: No space left on device',
  },
  {
    ...{ phase: 'apply', output: 'cp: /etc/pf.conf: Read-only file system\n' },
    error: 'unavailable HostReadOnly: step tart exited with 3: cp: /etc/pf.conf: Read-only file system',
  },
  {
    ...{ phase: 'apply', output: 'sudo: the account is locked\n' },
    error: 'denied HostAccountLocked: step tart exited with 3: sudo: the account is locked',
  },
  { phase: 'apply', output: '', error: 'unavailable StepFailed: step tart exited with 3: it printed nothing' },
];

for (const { phase, output = 'unpacking\ngone wrong\n', error } of failures) {
  test(`a step whose ${phase} fails is told as ${error}`, async () => {
    const { last, run } = stage({
      answers: (call, now) =>
        call.do !== 'check' && now === phase && call.step === 'tart' ? { exitCode: 3, output } : undefined,
    });
    const thrown = await errorOf(run([stepOf('tart'), stepOf('beside'), stepOf('after', { needs: ['tart'] })]));
    assert.equal(`${thrown.kind} ${thrown.code}: ${thrown.message}`, error);
    assert.equal(thrown.details['step'], 'tart');
    assert.ok(thrown.hint !== undefined);
    assert.deepEqual(
      last().map(({ id, state }) => `${id}:${state}`),
      ['tart:failed', 'beside:done', 'after:pending'],
    );
    assert.equal(last()[0]?.message, thrown.message);
  });
}

test('a password that the Mac refused is told as that, with what to do', async () => {
  const { run } = stage({
    answers: (_call, phase) => (phase === 'apply' ? { exitCode: 77, output: 'sudo did not take it\n' } : undefined),
  });
  const thrown = await errorOf(run([stepOf('sudo')]));
  assert.deepEqual([thrown.kind, thrown.code], ['denied', 'SudoPasswordRefused']);
  assert.match(thrown.hint ?? '', /prepare-fleet-host/);
});

test('of several failures in a wave the first in order is thrown, and all are in the progress', async () => {
  const { last, run } = stage({ answers: (_call, phase) => (phase === 'apply' ? { exitCode: 3 } : undefined) });
  const thrown = await errorOf(run([stepOf('b'), stepOf('a')]));
  assert.equal(thrown.details['step'], 'b');
  assert.deepEqual(
    last().map(({ state }) => state),
    ['failed', 'failed'],
  );
});

test('a last line too long for the API is cut in the progress', async () => {
  const { last, run } = stage({
    answers: (_call, phase) => (phase === 'apply' ? { exitCode: 1, output: 'x'.repeat(10_000) } : undefined),
  });
  await errorOf(run([stepOf('tart')]));
  assert.equal(last()[0]?.message?.length, 4_096);
});

test('a refusal of the Mac keeps its kind and code, and names the steps', async () => {
  const refusal = new FleetError('conflict', { code: 'StaleEpoch', message: 'seen 9', details: { seen: 9 } });
  const { last, run } = stage({
    onBatch: ({ calls }) => (calls[0]?.do === 'check' ? undefined : Promise.reject(refusal)),
  });
  const thrown = await errorOf(run([stepOf('tart')]));
  assert.deepEqual(
    [thrown.kind, thrown.code, thrown.message, thrown.details],
    ['conflict', 'StaleEpoch', 'step tart: seen 9', { seen: 9, step: 'tart' }],
  );
  assert.equal(last()[0]?.state, 'failed');
});

test('a step that hangs is given up at the deadline of its wave, and what answered counts', async () => {
  const { clock, last, run } = stage({
    onBatch: async ({ calls, onAnswer }, signal) => {
      if (calls[0]?.do === 'check') return;
      onAnswer?.({ step: 'quick', phases: [{ phase: 'verify', exitCode: 0 }], recorded: 'd', output: '' });
      await abortable(new Promise<void>(() => undefined), signal);
    },
  });
  const running = errorOf(run([stepOf('tart', { timeoutMs: 5_000 }), stepOf('quick', { timeoutMs: 1_000 })]));
  await settled();
  clock.advance(4_999);
  assert.equal(last()[0]?.state, 'running');
  clock.advance(1);
  const thrown = await running;
  assert.deepEqual([thrown.kind, thrown.code], ['unavailable', 'DeadlineExceeded']);
  assert.equal(thrown.message, 'step tart: the Mac took longer than 5000 ms');
  assert.deepEqual(
    last().map(({ state }) => state),
    ['failed', 'done'],
  );
});

test('a survey that hangs is given up after a minute, and the step that hangs is named', async () => {
  const { clock, run } = stage({
    onBatch: async ({ onAnswer }, signal) => {
      onAnswer?.({ step: 'quick', phases: [{ phase: 'check', exitCode: 0 }], recorded: 'd', output: '' });
      await abortable(new Promise<void>(() => undefined), signal);
    },
  });
  const running = errorOf(run([stepOf('tart'), stepOf('quick')]));
  await settled();
  clock.advance(60_000);
  const thrown = await running;
  assert.deepEqual([thrown.kind, thrown.code], ['unavailable', 'DeadlineExceeded']);
  assert.equal(thrown.message, 'step tart: a look at the Mac took longer than 60000 ms');
});

test('a stage that fails is the last, and the steps of further ones are as if not begun', async () => {
  const { told, last, run } = stage({ answers: ({ step }) => (step === 'tart' ? { exitCode: 70 } : undefined) });
  const steps = [stepOf('tart'), stepOf('beside'), stepOf('after', { needs: ['tart', 'beside'] })];
  const thrown = await errorOf(run(steps));
  assert.deepEqual([thrown.code, thrown.details['step']], ['StepNotLookedAt', 'tart']);
  assert.deepEqual(
    last().map(({ state }) => state),
    ['failed', 'done', 'pending'],
  );
  assert.ok(!told.some((progress) => progress.includes('after:running')));
});

test('a connection that breaks is told of the steps that had begun, not of those after them', async () => {
  const { last, run } = stage({
    onBatch: ({ calls }) => {
      if (calls.some((call) => call.do === 'converge')) throw connectionLost();
    },
  });
  const thrown = await errorOf(run([stepOf('tart'), stepOf('after', { needs: ['tart'] })]));
  assert.match(thrown.message, /^step tart: /);
  assert.deepEqual(
    last().map(({ state }) => state),
    ['failed', 'pending'],
  );
});

test('a batch may take as long as its stages one after the other', async () => {
  const { session, run } = stage();
  const slow = { ...stepOf('slow'), timeoutMs: 5_000 };
  const after = { ...stepOf('after', { needs: ['slow'] }), timeoutMs: 3_000 };
  await run([slow, { ...stepOf('beside'), timeoutMs: 1_000 }, after]);
  assert.equal(session.batches[1]?.timeoutMs, 8_000);
});

test('an abort takes effect before the next batch, and its steps are as if not begun', async () => {
  const controller = new AbortController();
  const { session, last, run } = stage({
    answers: (_call, phase) => {
      if (phase === 'apply') controller.abort();
      return undefined;
    },
  });
  const steps = [stepOf('tart'), stepOf('after', { needs: ['tart'], artefacts: ['file'] })];
  const thrown = await errorOf(run(steps, { artefacts: { file: artefactOf('file') } }, controller.signal));
  assert.equal(thrown.kind, 'cancelled');
  assert.deepEqual(session.asked, ['tart check, after check', 'upload file', 'tart converge']);
  assert.equal(last()[1]?.state, 'pending');
});

const ungiven: readonly { readonly story: string; readonly step: Step }[] = [
  { story: 'an input', step: stepOf('hostname', { inputs: { name: { scope: 'host' } } }) },
  { story: 'an artefact', step: stepOf('hostname', { artefacts: ['tart'] }) },
];
for (const { story, step } of ungiven) {
  test(`${story} that is missing is found before anything is run`, async () => {
    const { session, run } = stage();
    const thrown = await errorOf(run([stepOf('tart'), step]));
    assert.deepEqual([thrown.kind, thrown.code], ['bug', 'StepInputMissing']);
    assert.deepEqual(session.asked, []);
  });
}

test('a step whose secret is not known may be found done, but is never applied', async () => {
  const sudo = stepOf('sudo', { secretInputs: ['password'] });
  const found = stage(AS_WANTED);
  await found.run([sudo]);
  assert.deepEqual(found.session.asked, ['sudo check', 'sudo verify']);
  const { session, last, run } = stage();
  const thrown = await errorOf(run([sudo]));
  assert.deepEqual([thrown.kind, thrown.code, last()[0]?.state], ['unavailable', 'StepSecretUnknown', 'failed']);
  assert.deepEqual(session.asked, ['sudo check']);
});

test('a secret that a script prints appears neither in the error nor in the progress', async () => {
  const kubeconfig = new Secret('users:\n  - token: canary-token-1234\n');
  const prints = ['token: canary-token-1234', kubeconfig.reveal()];
  for (const print of prints) {
    const { last, run } = stage({
      answers: (_call, phase) => (phase === 'apply' ? { exitCode: 1, output: `apply of ${print} failed` } : undefined),
    });
    const thrown = await errorOf(
      run([stepOf('kubeconfig', { secretInputs: ['kubeconfig'] })], { secrets: { kubeconfig } }),
    );
    assert.equal(thrown.code, 'StepFailed');
    assert.match(thrown.message, /\[redacted\]/);
    assert.ok(!JSON.stringify([thrown, thrown.message, last()]).includes('canary'));
  }
});

for (const during of ['check', 'converge']) {
  test(`a secret in the error of a session during ${during} does not go further either`, async () => {
    const password = new Secret('canary');
    const lost = new FleetError('unavailable', { code: 'Lost', message: 'lost while sending canary' });
    const { last, run } = stage({
      onBatch: ({ calls }) => (calls[0]?.do === during ? Promise.reject(lost) : undefined),
    });
    const thrown = await errorOf(run([stepOf('sudo', { secretInputs: ['password'] })], { secrets: { password } }));
    assert.match(thrown.message, /lost while sending \[redacted\]$/);
    assert.ok(!JSON.stringify(last()).includes('canary'));
  });
}

/** Lets every promise that can settle do so. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};
