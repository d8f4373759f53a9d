import assert from 'node:assert/strict';
import test from 'node:test';
import { orderSteps } from './order-steps.ts';
import { groupWaves, planWaves, type WaveInputs } from './plan-waves.ts';
import type { StepAnswer } from './port.ts';
import { BOOTSTRAP_STEPS } from './step.ts';
import { stepOf } from './testing/steps.ts';

/** `<exit of the check> <recorded digest>`, by step. */
type Found = Readonly<Record<string, string>>;

const answerOf = (step: string, found: string): StepAnswer => {
  const [exitCode, recorded] = found.split(' ');
  return { step, phases: [{ phase: 'check', exitCode: Number(exitCode) }], recorded, output: '' };
};

const planOf = (
  steps: WaveInputs['steps'],
  found: Found,
  more: Partial<WaveInputs> & { artefacts?: string[] } = {},
) => {
  const { waves, uploads } = planWaves({
    steps: orderSteps(steps),
    survey: {
      facts: { epoch: 1, lockOwner: undefined, artefacts: more.artefacts ?? [] },
      steps: Object.entries(found).map(([step, text]) => answerOf(step, text)),
    },
    digests: Object.fromEntries(steps.map(({ id }) => [id, 'new'])),
    secrets: ['password'],
    artefactSums: { tart: 'sum-of-tart', node: 'sum-of-node' },
    ...more,
  });
  const shown = waves.map((wave) => wave.map((one) => (one.do === 'verify' ? `${one.step.id}?` : one.step.id)));
  return [...shown.map((wave) => wave.join(' ')), ...uploads.map((name) => `upload ${name}`)].join(' | ');
};

const look = stepOf('first-look');
const sudo = stepOf('sudo', { needs: ['first-look'], secretInputs: ['password'] });
const tart = stepOf('tart', { needs: ['sudo'], artefacts: ['tart'] });
const sleep = stepOf('sleep', { needs: ['sudo'] });
const agent = stepOf('agent', { needs: ['tart', 'sleep'] });
const ALL = [look, sudo, tart, sleep, agent];
const DONE: Found = { 'first-look': '0 new', sudo: '0 new', tart: '0 new', sleep: '0 new', agent: '0 new' };

const rows: readonly { readonly story: string; readonly found: Found; readonly plan: string }[] = [
  { story: 'a Mac as wanted is sent nothing', found: DONE, plan: '' },
  {
    story: 'a fresh Mac gets all, in as few batches as the needs allow',
    found: {},
    plan: 'first-look sudo | tart sleep | agent | upload tart',
  },
  { story: 'one step alone', found: { ...DONE, sleep: '1 new' }, plan: 'sleep' },
  {
    story: 'a step in place that is recorded under another digest',
    found: { ...DONE, sleep: '0 old' },
    plan: 'sleep',
  },
  { story: 'a step in place that nobody recorded', found: { ...DONE, sleep: '0' }, plan: 'sleep' },
  { story: 'a check that could not tell counts as not done', found: { ...DONE, sleep: '70 new' }, plan: 'sleep' },
  {
    story: 'steps that depend on each other come one after the other, past what is done',
    found: { ...DONE, 'first-look': '1', agent: '1' },
    plan: 'first-look agent',
  },
  {
    story: 'two waves when only the ends of a chain are left',
    found: { ...DONE, tart: '1', agent: '1' },
    plan: 'tart | agent | upload tart',
  },
];

for (const { story, found, plan } of rows) {
  test(`waves: ${story}`, () => assert.equal(planOf(ALL, found), plan));
}

test('a step is looked at again after one whose work it runs from', () => {
  const follower = { ...agent, follows: ['tart'] };
  const steps = [look, sudo, tart, sleep, follower];
  assert.equal(planOf(steps, { ...DONE, tart: '1 new' }, { artefacts: ['sum-of-tart'] }), 'tart | agent');
  assert.equal(planOf(steps, { ...DONE, sleep: '1 new' }), 'sleep');
});

test('an artefact that the Mac has is not sent again', () => {
  assert.equal(planOf(ALL, { ...DONE, tart: '1' }, { artefacts: ['sum-of-tart'] }), 'tart');
});

test('an artefact that several steps use is sent once', () => {
  const other = stepOf('other', { artefacts: ['tart'] });
  assert.equal(planOf([...ALL, other], { ...DONE, tart: '1', other: '1' }), 'tart other | upload tart');
});

test('without its secret a step in place is recorded as it is, and one that is not is refused by name', () => {
  assert.equal(planOf(ALL, { ...DONE, sudo: '0 old' }, { secrets: [] }), 'sudo?');
  assert.throws(() => planOf(ALL, { ...DONE, sudo: '1' }, { secrets: [] }), {
    kind: 'unavailable',
    code: 'StepSecretUnknown',
    message: 'step sudo has to be applied and needs password, which is not known',
  });
});

for (const { story, has, batches } of [
  {
    story: 'a batch waits for an upload, what comes before does not',
    has: [],
    batches: 'first-look sudo / tart sleep | agent',
  },
  {
    story: 'all is one batch where no upload is needed',
    has: ['sum-of-tart'],
    batches: 'first-look sudo | tart sleep | agent',
  },
]) {
  test(`batches: ${story}`, () => {
    const plan = planWaves({
      steps: ALL,
      survey: { facts: { epoch: 1, lockOwner: undefined, artefacts: has }, steps: [] },
      ...{ digests: {}, secrets: ['password'], artefactSums: { tart: 'sum-of-tart' } },
    });
    const shown = groupWaves(plan).map((waves) =>
      waves.map((wave) => wave.map(({ step }) => step.id).join(' ')).join(' | '),
    );
    assert.equal(shown.join(' / '), batches);
  });
}

test('nothing to do is no batch', () => {
  assert.deepEqual(groupWaves({ waves: [], uploads: [] }), []);
});

test('a cold bootstrap is two batches after the survey, and an upload: four executions', () => {
  const plan = planWaves({
    steps: orderSteps(BOOTSTRAP_STEPS),
    survey: { facts: { epoch: undefined, lockOwner: undefined, artefacts: [] }, steps: [] },
    ...{ digests: {}, secrets: ['sudoPassword', 'kubeconfig'], artefactSums: { tart: 'a', node: 'b', agent: 'c' } },
  });
  assert.deepEqual(
    [plan.waves[0], plan.waves.at(-1)].map((wave) => wave?.map(({ step }) => step.id)),
    [['first-look', 'sudo'], ['agent']],
  );
  assert.deepEqual([groupWaves(plan).length, plan.uploads], [2, ['tart', 'node', 'agent']]);
});
