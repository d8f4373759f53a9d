import assert from 'node:assert/strict';
import test from 'node:test';
import { PASSWORD } from '../mac/stage.ts';
import { stageSteps } from './steps-stage.ts';

const RULE = '/etc/sudoers.d/m1-nopasswd';

for (const shell of ['bash', 'zsh', 'sh'] as const) {
  test(`sudo asks for no password any more, and the password is needed once, through ${shell}`, async (t) => {
    const { batch, step, run, readText, mac } = await stageSteps(t, { start: 'fresh' });
    const first = await batch({ 'first-look': { inputs: { claim: 'c' } } }, { shell });
    assert.equal(first.exitCode, 0, first.raw);
    const secrets = { sudoPassword: PASSWORD };
    assert.equal(await step('sudo', { secrets }, { shell }), 'check 1, apply 0, verify 0');
    assert.equal(readText(RULE), 'm1 ALL=(ALL) NOPASSWD: ALL\n');
    assert.equal(mac.files.facts(RULE)?.mode, 0o440);
    const read = mac.model.asked.filter(({ name }) => name === 'visudo').map(({ args }) => args.at(-1));
    assert.deepEqual(read, [`${RULE}.macfleet-new`], 'visudo read it before it counted');
    assert.equal((await run('sudo -n id -u')).stdout, '0\n');
    assert.equal(await step('sudo', { secrets: {} }, { shell }), 'check 0');
  });
}

interface Refused {
  readonly story: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly expected: string;
  readonly failures: number;
}

const REFUSED: readonly Refused[] = [
  {
    story: '000-3: a sealed password is not tried',
    ...{ secrets: { sudoPassword: '<sealed>' }, expected: 'check 1, apply 70', failures: 0 },
  },
  {
    story: '000-3: a sealed password in percent signs is not tried',
    ...{ secrets: { sudoPassword: '%3Csealed%3E' }, expected: 'check 1, apply 70', failures: 0 },
  },
  { story: 'an unknown password is not tried', secrets: {}, expected: 'check 1, apply 70', failures: 0 },
  {
    story: 'F39: a wrong password costs one try and says so',
    ...{ secrets: { sudoPassword: 'wrong' }, expected: 'check 1, apply 77', failures: 1 },
  },
];

for (const { story, secrets, expected, failures } of REFUSED) {
  test(story, async (t) => {
    const { batch, step, said, mac, readText } = await stageSteps(t, { start: 'fresh' });
    await batch({ 'first-look': { inputs: { claim: 'c' } } });
    assert.equal(await step('sudo', { secrets }), expected);
    assert.equal(mac.model.accounts.failures(), failures);
    assert.equal(readText(RULE), '');
    assert.doesNotMatch(said(), /wrong|sealed/);
    assert.match(said(), /password/);
  });
}

test('passwords with every sort of character are passed on as they are', async (t) => {
  for (const password of ["it's", '$(reboot) `x` "y" \\n %s', ' spaces ', 'pässwörd€', '-n', '}~\\0']) {
    const { batch, step } = await stageSteps(t, { start: 'fresh', password });
    await batch({ 'first-look': { inputs: { claim: 'c' } } });
    assert.equal(await step('sudo', { secrets: { sudoPassword: password } }), 'check 1, apply 0, verify 0', password);
  }
});

test('F39: the original asked twice per attempt through zsh, and locked the account in three', async (t) => {
  const { run, mac } = await stageSteps(t, { start: 'fresh' });
  const original = `echo wrong | sudo -S tee ${RULE} <<EOF
m1 ALL=(ALL) NOPASSWD: ALL
EOF`;
  for (let attempt = 0; attempt < 3; attempt += 1) await run(original, { shell: 'zsh' });
  assert.ok(mac.model.accounts.isLocked());
});

test('F55: through bash the original never passed the password on at all', async (t) => {
  const { run, mac, readText } = await stageSteps(t, { start: 'fresh' });
  await run(`echo ${PASSWORD} | sudo -S tee ${RULE} <<EOF\nm1 ALL=(ALL) NOPASSWD: ALL\nEOF`, { shell: 'bash' });
  assert.equal(mac.model.accounts.failures(), 1);
  assert.equal(readText(RULE), '');
});
