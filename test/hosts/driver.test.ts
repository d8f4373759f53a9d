/** What steps/driver.sh promises, in real bash. The same stories on simulated Macs are in src/hosts/testing/hosts-contract.ts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Secret } from '../../src/base/secret.ts';
import type { BatchAnswer, StepCall } from '../../src/hosts/port.ts';
import { callOf, type DriverHome, FIRST_LOOK, fileStep, openHome } from './driver-stage.ts';
import { until } from './sshd-stage.ts';

const CANARY = 'canary-secret-4711';

const phasesOf = ({ steps }: BatchAnswer): string =>
  steps
    .map(({ step, phases }) => `${step}: ${phases.map(({ phase, exitCode }) => `${phase} ${exitCode}`).join(', ')}`)
    .join('; ');

const look = callOf('first-look', { inputs: { claim: 'ours' } });
const a = callOf('a', { inputs: { value: '1' } });
const b = callOf('b-c', { inputs: { value: '2' } });
const STEPS = { 'first-look': FIRST_LOOK, a: fileStep('a'), 'b-c': fileStep('b-c') };

test('a survey of a fresh home changes nothing', async (t) => {
  const { home, run } = openHome(t, STEPS);
  const { answer, exitCode } = await run({ calls: [look, a, b].map((call): StepCall => ({ ...call, do: 'check' })) });
  assert.equal(exitCode, 0);
  assert.equal(phasesOf(answer), 'first-look: check 1; a: check 1; b-c: check 1');
  assert.deepEqual(answer.facts, { epoch: undefined, lockOwner: undefined, artefacts: [] });
  assert.deepEqual(readdirSync(home), []);
});

test('a batch with first-look builds the fence, applies, verifies and records; again it only looks', async (t) => {
  const { home, run, appliesOf } = openHome(t, STEPS);
  const first = await run({ epoch: 3, calls: [a, look, b] });
  assert.equal(
    phasesOf(first.answer),
    'a: check 1, apply 0, verify 0; first-look: check 1, apply 0, verify 0; b-c: check 1, apply 0, verify 0',
  );
  assert.equal(statSync(join(home, '.macfleet')).mode & 0o777, 0o700);
  const again = await run({ epoch: 3, calls: [look, a, b] });
  assert.equal(phasesOf(again.answer), 'first-look: check 0; a: check 0; b-c: check 0');
  assert.equal(again.answer.facts.epoch, 3);
  assert.deepEqual(
    again.answer.steps.map(({ recorded }) => recorded),
    ['digest of first-look', 'digest of a', 'digest of b-c'],
  );
  assert.deepEqual([appliesOf('a'), appliesOf('b-c')], [1, 1]);
});

test('another digest applies a step again; a verify records what it finds', async (t) => {
  const { run, appliesOf } = openHome(t, STEPS);
  await run({ calls: [look, a] });
  const applied = await run({ calls: [{ ...a, digest: 'second' }] });
  assert.equal(phasesOf(applied.answer), 'a: check 0, apply 0, verify 0');
  const verified = await run({ calls: [{ ...a, do: 'verify', digest: 'third' }] });
  assert.equal(phasesOf(verified.answer), 'a: verify 0');
  assert.equal(verified.answer.steps[0]?.recorded, 'third');
  assert.equal(appliesOf('a'), 2);
});

test('a step that fails is recorded no more', async (t) => {
  const failing = 'check() { [ ! -e "$HOME/broken" ] && [ -e "$HOME/x" ]; }\napply() { : >"$HOME/x"; }';
  const { run } = openHome(t, {
    'first-look': FIRST_LOOK,
    x: failing,
    spoil: 'check() { false; }\napply() { : >"$HOME/broken"; }',
  });
  await run({ calls: [look, callOf('x')] });
  await run({ calls: [callOf('spoil')] });
  const { answer } = await run({ calls: [callOf('x')] });
  assert.equal(phasesOf(answer), 'x: check 1, apply 0, verify 1');
  assert.equal(answer.steps[0]?.recorded, undefined);
});

interface Refusal {
  readonly story: string;
  readonly before: (home: DriverHome) => Promise<unknown>;
  readonly batch: Parameters<DriverHome['run']>[0];
  readonly seen: string;
}

const nothing = async (): Promise<void> => undefined;
const refusals: readonly Refusal[] = [
  { story: 'a change without a fence', before: nothing, batch: { calls: [a] }, seen: 'conflict NotFenced' },
  {
    story: 'a lower epoch, for a change',
    before: ({ run }) => run({ epoch: 5, calls: [look] }),
    ...{ batch: { epoch: 4, calls: [a] }, seen: 'conflict StaleEpoch' },
  },
  {
    story: 'a lower epoch, for a look',
    before: ({ run }) => run({ epoch: 10, calls: [look] }),
    ...{ batch: { epoch: 9, calls: [{ ...a, do: 'check' }] }, seen: 'conflict StaleEpoch' },
  },
  {
    story: 'another claim, whatever its epoch',
    before: ({ run }) => run({ epoch: 5, calls: [look] }),
    batch: { epoch: 1, calls: [{ ...look, inputs: { claim: 'theirs' } }, a] },
    seen: 'conflict NotWiped',
  },
  {
    story: 'a lock of somebody else',
    before: ({ run }) => run({ calls: [look], lock: { owner: 'anna', afterwards: 'keep' } }),
    batch: { calls: [a], lock: { owner: 'ben', afterwards: 'release' } },
    seen: 'conflict HostBusy',
  },
];

for (const { story, before, batch, seen } of refusals) {
  test(`refused, and nothing is done: ${story}`, async (t) => {
    const home = openHome(t, STEPS);
    await before(home);
    const { exitCode, refusal } = await home.run(batch);
    assert.deepEqual([exitCode, refusal], [97, seen]);
    assert.equal(home.appliesOf('a'), 0);
  });
}

test('stop-agent needs no fence: it leaves nothing behind', async (t) => {
  const { home, run } = openHome(t, { 'stop-agent': 'check() { true; }' });
  const { answer } = await run({ calls: [callOf('stop-agent', { digest: '' })] });
  assert.equal(phasesOf(answer), 'stop-agent: check 0');
  assert.deepEqual(readdirSync(home), []);
});

test('a first-look that fails without refusing ends the batch, and is what is told', async (t) => {
  const { run, appliesOf } = openHome(t, {
    ...STEPS,
    'first-look': 'check() { false; }\napply() { echo no; exit 70; }',
  });
  const { answer, exitCode } = await run({ calls: [look, a] });
  assert.deepEqual([exitCode, phasesOf(answer)], [0, 'first-look: check 1, apply 70; a: ']);
  assert.equal(appliesOf('a'), 0);
});

test('a step that is looking when a newer epoch is written applies nothing any more', async (t) => {
  const slow =
    'check() { : >"$HOME/looking"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; false; }\napply() { echo x >>"$HOME/slow.applied"; }';
  const newer = 'check() { : >"$HOME/go"; }';
  const { run, appliesOf, read } = openHome(t, { ...STEPS, slow, newer });
  await run({ epoch: 1, calls: [look] });
  const old = run({ epoch: 1, calls: [callOf('slow')] });
  await until('the old one is at work', () => read('looking') !== undefined);
  await run({ epoch: 2, calls: [callOf('newer', { do: 'check' })] });
  assert.equal((await old).refusal, 'conflict StaleEpoch');
  assert.equal(appliesOf('slow'), 0);
});

test('an apply that is at work when a newer operation begins is ended before that begins', async (t) => {
  const slow =
    'check() { false; }\napply() { trap "" TERM; : >"$HOME/applying"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; echo x >>"$HOME/slow.applied"; }';
  const newer = 'check() { false; }\napply() { : >"$HOME/go"; sleep 0.5; }\nverify() { true; }';
  const { home, run, appliesOf, read } = openHome(t, { ...STEPS, slow, newer });
  await run({ epoch: 1, calls: [look] });
  const old = run({ epoch: 1, calls: [callOf('slow')] });
  await until('the old one is at work', () => read('applying') !== undefined);
  const { answer } = await run({ epoch: 2, calls: [callOf('newer')] });
  assert.equal(phasesOf(answer), 'newer: check 1, apply 0, verify 0');
  assert.notEqual((await old).exitCode, 0);
  assert.equal(appliesOf('slow'), 0);
  assert.deepEqual(readdirSync(join(home, '.macfleet', 'running')), []);
});

test('a process that only has the number of an older batch is left alone', async (t) => {
  const { home, run } = openHome(t, STEPS);
  await run({ epoch: 1, calls: [look] });
  const stranger = spawn('/bin/sleep', ['60'], { detached: true });
  t.after(() => stranger.kill('SIGKILL'));
  writeFileSync(join(home, '.macfleet', 'running', `1.${stranger.pid}`), '');
  await run({ epoch: 2, calls: [a] });
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  assert.deepEqual(readdirSync(join(home, '.macfleet', 'running')), []);
});

test('a higher epoch that is written between our look at the fence and our own stays, and refuses us', async (t) => {
  const raced = `${FIRST_LOOK}\napply() { mkdir -p "$macfleet_home/epoch" && printf ours >"$macfleet_home/claim" && : >"$macfleet_home/epoch/9"; }`;
  const { run, appliesOf } = openHome(t, { ...STEPS, 'first-look': raced });
  assert.equal((await run({ epoch: 5, calls: [look, a] })).refusal, 'conflict StaleEpoch');
  assert.equal(appliesOf('a'), 0);
});

test('an epoch is never lowered, however many come at once', async (t) => {
  const { run } = openHome(t, STEPS);
  await run({ epoch: 1, calls: [look] });
  const epochs = [2, 9, 3, 8, 4, 7, 5, 6, 10, 1];
  await Promise.all(epochs.map((epoch) => run({ epoch, calls: [{ ...a, do: 'check' }] })));
  const { answer } = await run({ epoch: 10, calls: [{ ...a, do: 'check' }] });
  assert.equal(answer.facts.epoch, 10);
});

test('a lock is kept between batches, released by the last, and worth nothing once it expired', async (t) => {
  const { home, run } = openHome(t, STEPS);
  const anna = { owner: 'anna', afterwards: 'keep' } as const;
  await run({ calls: [look], lock: anna });
  assert.equal((await run({ calls: [a], lock: anna })).exitCode, 0);
  assert.equal((await run({ calls: [{ ...a, do: 'check' }] })).answer.facts.lockOwner, 'anna');
  await run({ calls: [a], lock: { ...anna, afterwards: 'release' } });
  assert.equal((await run({ calls: [{ ...a, do: 'check' }] })).answer.facts.lockOwner, undefined);
  for (const text of [
    '1000 somebody long ago',
    `${2 ** 40} somebody before the clock was set back`,
    'no lock at all',
  ]) {
    symlinkSync(text, join(home, '.macfleet', 'lock'));
    assert.equal((await run({ calls: [a], lock: { ...anna, afterwards: 'release' } })).exitCode, 0, text);
  }
});

test('a step gets its own values, as they are, and no others', async (t) => {
  const tell = `check() { false; }
apply() { printf '%s' "$in_value" >"$HOME/value"; printf '%s' "$secret_key" >"$HOME/key"; set >"$HOME/shell"; env >"$HOME/env"; }
verify() { true; }`;
  const { run, read } = openHome(t, { ...STEPS, tell });
  const value = "it's $(id) `id` \\ \n *= /x.y@z \u00fc";
  const key = new Secret(`${CANARY} "$x"\n\n`);
  const other = callOf('a', {
    inputs: { value: '1', other: 'not for tell' },
    secrets: { theirs: new Secret('hidden-one') },
  });
  const { lines } = await run({ calls: [look, callOf('tell', { inputs: { value }, secrets: { key } }), other] });
  assert.deepEqual([read('value'), read('key')], [value, key.reveal()]);
  const shell = read('shell') ?? '';
  const hidden = ['not for tell', Buffer.from('hidden-one').toString('base64'), 'hidden-one'];
  for (const text of hidden) assert.ok(!shell.includes(text), text);
  assert.ok(!(read('env') ?? '').includes(CANARY));
  assert.ok(!lines.join('\n').includes(CANARY));
});

test('secrets that were cut short end everything before it began', async (t) => {
  const { run, appliesOf } = openHome(t, STEPS);
  const { exitCode, stderr } = await run({ calls: [look, a] }, { stdin: Buffer.from('a.key aGVsbG8=\n') });
  assert.equal(exitCode, 66);
  assert.match(stderr, /ended before all secrets were there/);
  assert.equal(appliesOf('a'), 0);
});

test('lines of steps that run at once never mix, and a flood is cut to its beginning and end', async (t) => {
  const chatter = 'check() { local n; for n in {1..200}; do printf "%0300d\\n" "$n"; done; false; }';
  const flood = 'check() { head -c 20000000 /dev/zero | tr "\\0" "x" | fold -w 1000; echo the end; false; }';
  const binary = 'check() { head -c 4000 /dev/urandom; echo; echo the end; false; }';
  const { run } = openHome(t, { chatter, 'chatter-2': chatter, flood, binary });
  const calls = ['chatter', 'chatter-2', 'flood', 'binary'].map((id) => callOf(id, { do: 'check' }));
  const { answer, lines } = await run({ calls });
  assert.ok(
    lines.every((line) => /^(macfleet-host |[a-z0-9-]+[|=@])/.test(line)),
    'a line of nobody',
  );
  assert.ok(
    lines.filter((line) => line.startsWith('chatter')).every((line) => /^chatter(-2)?([=@]|\|\d{300}$)/.test(line)),
  );
  assert.ok(lines.length < 2_000, `${lines.length} lines`);
  for (const { step, phases, output } of answer.steps) {
    assert.equal(phases.at(-1)?.exitCode, 1, step);
    assert.ok(Buffer.byteLength(output) < 400_000, step);
    if (!step.startsWith('chatter')) assert.match(output, /the end\n$/, step);
  }
});

test('a secret that a step prints across any cut comes back from nowhere', async (t) => {
  const prints =
    'check() { local n; for n in {1..60}; do printf "%0$((370 + n))d%s\\n" 0 "$secret_key"; done; false; }';
  const { run } = openHome(t, { prints });
  const { answer } = await run({ calls: [callOf('prints', { do: 'check', secrets: { key: new Secret(CANARY) } })] });
  assert.ok(!JSON.stringify(answer).includes('canary'));
  assert.match(answer.steps[0]?.output ?? '', /\[redacted\]/);
});

test('killed after every line of its output and run again, it converges and applies nothing twice that it told as verified', async (t) => {
  const whole = await openHome(t, STEPS).run({ calls: [look, a, b] });
  for (let cut = 0; cut <= whole.lines.length; cut += 1) {
    const { run, appliesOf } = openHome(t, STEPS);
    const { answer } = await run({ calls: [look, a, b] }, { killAfterLines: cut });
    const verified = answer.steps.filter(({ recorded }) => recorded !== undefined).map(({ step }) => step);
    const before = new Map(verified.map((step) => [step, appliesOf(step)]));
    const again = await run({ epoch: 2, calls: [look, a, b] });
    assert.ok(
      again.answer.steps.every(({ phases }) => phases.at(-1)?.exitCode === 0),
      `cut ${cut}: ${phasesOf(again.answer)}`,
    );
    for (const [step, count] of before) assert.equal(appliesOf(step), count, `cut ${cut}: ${step} was applied again`);
    const third = await run({ epoch: 2, calls: [look, a, b] });
    assert.equal(phasesOf(third.answer), 'first-look: check 0; a: check 0; b-c: check 0', `cut ${cut}`);
  }
});
