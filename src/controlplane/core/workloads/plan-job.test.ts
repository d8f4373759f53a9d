import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../kube/types/pod.ts';
import { JOB_TRACKING, type Job } from './job.ts';
import { type JobPlan, planJob } from './plan-job.ts';

const COMING = ['SuccessCriteriaMet', 'FailureTarget'];
const AT_MS = Date.UTC(2026, 0, 1);
const AT = '2026-01-01T00:00:00Z';

/** One letter per Pod: pending, running, succeeded, failed, deleting; in capitals when its end is counted. */
const PHASES = { p: 'Pending', r: 'Running', s: 'Succeeded', f: 'Failed', d: 'Running' } as const;
const podsOf = (letters: string): readonly Pod[] =>
  [...letters].map((letter, at) => ({
    metadata: {
      name: `${letter}${at}`,
      uid: `${letter}${at}`,
      ...(letter === 'd' ? { deletionTimestamp: AT } : {}),
      ...(letter === letter.toLowerCase() ? { finalizers: [JOB_TRACKING] } : {}),
    },
    spec: { containers: [] },
    status: { phase: PHASES[letter.toLowerCase() as keyof typeof PHASES] },
  }));

/** The world after a plan was followed: new Pods wait, removed ones are gone, counted ones are let go. */
const follow = (pods: readonly Pod[], plan: JobPlan): readonly Pod[] => [
  ...pods
    .filter((pod) => !plan.remove.includes(pod) && !plan.drop.includes(pod))
    .map((pod) => (plan.release.includes(pod) ? { ...pod, metadata: { ...pod.metadata, finalizers: [] } } : pod)),
  ...podsOf('p'.repeat(plan.create)),
];

const rows: readonly {
  readonly story: string;
  readonly spec?: Partial<Job['spec']>;
  readonly status?: Job['status'];
  readonly pods: string;
  readonly expected: string;
}[] = [
  { story: 'a new Job makes its one Pod', pods: '', expected: '+1 active 1 ✓0 ✗0' },
  { story: 'a Pod at work is left alone', pods: 'r', expected: '+0 active 1 ✓0 ✗0' },
  { story: 'its success completes the Job', pods: 's', expected: '+0 active 0 ✓1 ✗0 Complete' },
  { story: 'a failure is tried again', pods: 'f', expected: '+1 active 1 ✓0 ✗1' },
  {
    story: 'one failure too many ends the Job',
    spec: { backoffLimit: 1 },
    pods: 'ff',
    expected: '+0 active 0 ✓0 ✗2 Failed',
  },
  {
    story: 'without a retry the first failure ends it',
    spec: { backoffLimit: 0 },
    pods: 'f',
    expected: '+0 active 0 ✓0 ✗1 Failed',
  },
  {
    story: 'a failed Job ends the Pods that still run',
    spec: { parallelism: 2, completions: 2, backoffLimit: 0 },
    pods: 'fr',
    expected: '+0 -r1 active 0 ✓0 ✗1 Failed',
  },
  { story: 'only so many at once', spec: { parallelism: 2, completions: 5 }, pods: 's', expected: '+2 active 2 ✓1 ✗0' },
  {
    story: 'no more than are still needed',
    spec: { parallelism: 3, completions: 4 },
    pods: 'sssr',
    expected: '+0 active 1 ✓3 ✗0',
  },
  {
    story: 'a smaller parallelism ends what is too much',
    spec: { parallelism: 1, completions: 5 },
    pods: 'rr',
    expected: '+0 -r0 active 1 ✓0 ✗0',
  },
  { story: 'a Pod on its way out is replaced, and is a failure', pods: 'd', expected: '+1 active 1 ✓0 ✗1' },
  {
    story: 'a success stays counted although its Pod is gone',
    spec: { completions: 2 },
    status: { succeeded: 1 },
    pods: '',
    expected: '+1 active 1 ✓1 ✗0',
  },
  {
    story: 'a queue of work goes on until the last Pod ends',
    spec: { parallelism: 3 },
    pods: 'srr',
    expected: '+0 active 2 ✓1 ✗0',
  },
  {
    story: 'a queue of work is done then',
    spec: { parallelism: 3 },
    pods: 'sss',
    expected: '+0 active 0 ✓3 ✗0 Complete',
  },
  {
    story: 'a suspended Job ends its Pods',
    spec: { suspend: true },
    pods: 'r',
    expected: '+0 -r0 active 0 ✓0 ✗0 Suspended',
  },
  {
    story: 'no completions wanted is complete at once',
    spec: { completions: 0 },
    pods: '',
    expected: '+0 active 0 ✓0 ✗0 Complete',
  },
  {
    story: 'a Job that ended starts nothing again',
    status: {
      succeeded: 1,
      conditions: [
        { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: '', lastTransitionTime: AT },
      ],
    },
    pods: 'r',
    expected: '+0 -r0 active 0 ✓1 ✗0 Complete',
  },
];

describe('what a Job needs next', () => {
  for (const { story, spec, status, pods, expected } of rows) {
    it(story, () => {
      const job: Job = {
        metadata: { namespace: 'ns', name: 'j' },
        spec: { template: { spec: { containers: [] } }, ...spec },
        ...(status && { status }),
      };
      const found = podsOf(pods);
      const plan = planJob(job, found, AT_MS);
      const removed = [...plan.remove, ...plan.drop].map(({ metadata }) => ` -${metadata.name}`).join('');
      const then = planJob({ ...job, status: plan.status }, follow(found, plan), AT_MS);
      const { active = 0, succeeded = 0, failed = 0, conditions = [] } = then.status;
      const end = conditions.flatMap(({ type }) => (COMING.includes(type) ? [] : [` ${type}`])).join('');
      assert.equal(`+${plan.create}${removed} active ${active} ✓${succeeded} ✗${failed}${end}`, expected);
    });
  }

  it('says when it started and when it was complete, and keeps the start', () => {
    const job: Job = { metadata: { name: 'j' }, spec: { template: { spec: { containers: [] } } } };
    const first = planJob(job, [], AT_MS);
    assert.equal(first.status.startTime, AT);
    const pods = podsOf('s');
    const ending = planJob({ ...job, status: first.status }, pods, AT_MS + 30_000);
    assert.equal(ending.status.completionTime, undefined, 'nothing ends before it is counted');
    const last = planJob({ ...job, status: ending.status }, follow(pods, ending), AT_MS + 60_000);
    assert.equal(last.status.startTime, AT);
    assert.equal(last.status.completionTime, '2026-01-01T00:01:00Z');
  });

  const job = (spec: Partial<Job['spec']>, status?: Job['status']): Job => ({
    metadata: { name: 'j' },
    spec: { template: { spec: { containers: [] } }, ...spec },
    ...(status && { status }),
  });
  const told = ({ status }: JobPlan) => status.conditions?.map(({ type, reason }) => `${type} ${reason}`) ?? [];

  it('fails when its time is over, and looks again just then', () => {
    const running = planJob(job({ activeDeadlineSeconds: 60 }), [], AT_MS);
    assert.equal(running.lookAgainAtMs, AT_MS + 60_000);
    const pods = podsOf('r');
    const intime = planJob(job({ activeDeadlineSeconds: 60 }, running.status), pods, AT_MS + 59_000);
    assert.deepEqual([told(intime), intime.remove], [[], []]);
    const late = planJob(job({ activeDeadlineSeconds: 60 }, running.status), pods, AT_MS + 60_000);
    assert.deepEqual(told(late), ['FailureTarget DeadlineExceeded']);
    assert.deepEqual(late.remove, pods);
    const leaving = podsOf('d');
    const still = planJob(job({}, late.status), leaving, AT_MS + 61_000);
    assert.deepEqual(told(still), ['FailureTarget DeadlineExceeded'], 'a Pod is still on its way out');
    const over = planJob(job({}, still.status), [], AT_MS + 62_000);
    assert.deepEqual(told(over), ['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    assert.equal(over.status.failed, 1, 'the Pod that was ended counts as a failure');
  });

  it('starts anew after it was suspended', () => {
    const asleep = planJob(job({ suspend: true }, { startTime: AT }), [], AT_MS);
    assert.equal(asleep.status.startTime, undefined);
    const awake = planJob(job({ suspend: false }, asleep.status), [], AT_MS + 60_000);
    assert.equal(awake.status.startTime, '2026-01-01T00:01:00Z');
    assert.deepEqual(told(awake), ['Suspended JobResumed']);
  });

  it('waits longer after every failure, until one succeeds', () => {
    const failedAt = (second: number): Pod => ({
      metadata: { name: `f${second}`, uid: `f${second}` },
      spec: { containers: [] },
      status: {
        phase: 'Failed',
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: `2026-01-01T00:00:0${second}Z` }],
      },
    });
    const twice = planJob(job({}, { failed: 2 }), [failedAt(0), failedAt(5)], AT_MS + 6_000);
    assert.equal(twice.create, 0);
    assert.equal(twice.lookAgainAtMs, AT_MS + 25_000);
    assert.equal(planJob(job({}, { failed: 2 }), [failedAt(0), failedAt(5)], AT_MS + 25_000).create, 1);
  });

  const refusals: readonly (readonly [string, Partial<Job['spec']>])[] = [
    ['spec.podFailurePolicy', { podFailurePolicy: {} }],
    ['spec.completionMode: Indexed', { completionMode: 'Indexed' }],
    ['spec.successPolicy', { successPolicy: {} }],
  ];
  for (const [name, spec] of refusals) {
    it(`refuses ${name} by name`, () => {
      const [condition] = planJob(job(spec), [], AT_MS).status.conditions ?? [];
      assert.equal(condition?.message, `the embedded Job controller does not support ${name}`);
    });
  }
});
