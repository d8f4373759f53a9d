/** S30–S35 on records made by hand: each judge passes a good life and rejects a bad one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRecordChecker, REGISTRATION_REST_MS } from './check-record.ts';
import type { DispatchEntry, DispatchEvent } from './dispatch-record.ts';

const R1 = { pod: 'r1', uid: 'u1' };
const R2 = { pod: 'r2', uid: 'u2' };
const pod = (
  event: 'pod-made' | 'pod-over' | 'pod-deleted' | 'pod-gone',
  runner = R1,
  by = 'controller',
): DispatchEvent => ({
  ...{ event, pool: 'ci', by },
  ...runner,
});

const CLAIMED: readonly DispatchEvent[] = [
  pod('pod-made'),
  { event: 'queued', job: 1, pool: 'ci', account: 'acme' },
  { event: 'claimed', job: 1, ...R1 },
];
const RUNNING: readonly DispatchEvent[] = [
  ...CLAIMED,
  { event: 'registered', runnerId: 7, ...R1 },
  { event: 'handed', job: 1, ...R1 },
  { event: 'session-opened', ...R1 },
  { event: 'started', job: 1, ...R1 },
];
const ENDED: readonly DispatchEvent[] = [
  ...RUNNING,
  { event: 'ended', job: 1, conclusion: 'success', ...R1 },
  { event: 'deregistered', runnerId: 7, ...R1 },
];
const closed = (endedAtMs: number): DispatchEvent => ({ event: 'session-closed', endedAtMs, ...R1 });
const LIFE: readonly DispatchEvent[] = [...ENDED, pod('pod-over'), closed(100), pod('pod-deleted'), pod('pod-gone')];

/** One second apart, from 1,000 on. */
const timed = (events: readonly (DispatchEvent & { readonly atMs?: number })[]): readonly DispatchEntry[] =>
  events.map((event, at) => ({ ...event, number: at + 1, atMs: event.atMs ?? (at + 1) * 1_000 }));

const check = () => createRecordChecker({ isFleet: (by) => by === 'controller', aliveMax: () => 1 });
const judge = (events: readonly (DispatchEvent & { readonly atMs?: number })[]): readonly string[] =>
  check()
    .judge(timed(events))
    .map(({ promise, message }) => `${promise} ${message}`);

describe('the judges of runners', () => {
  it('have nothing against a life as it should be, nor against it told piece by piece', () => {
    assert.deepEqual(judge(LIFE), []);
    const checker = check();
    const record = timed(LIFE);
    for (let at = 0; at <= record.length; at += 1) assert.deepEqual(checker.judge(record.slice(0, at)), []);
    assert.deepEqual(checker.atRest(9e12), []);
  });

  const LONG_AFTER = 3_000 + REGISTRATION_REST_MS + 1;
  const bad: readonly { readonly story: string; readonly record: Parameters<typeof judge>[0]; readonly is: RegExp }[] =
    [
      {
        story: 'a claimed runner is deleted',
        record: [...CLAIMED, pod('pod-deleted')],
        is: /^S30 r1 is deleted while claimed$/,
      },
      { story: 'a running one is', record: [...RUNNING, pod('pod-deleted')], is: /^S30 r1 is deleted while running$/ },
      {
        story: 'a running one is, and was said to have ended',
        record: [...RUNNING, closed(100), pod('pod-deleted')],
        is: /^S30 r1 is deleted while running$/,
      },
      {
        story: 'a finishing one is',
        record: [...ENDED, pod('pod-deleted')],
        is: /^S30 r1 is deleted while finishing$/,
      },
      {
        story: 'a job begins a second time',
        record: [...RUNNING, { event: 'started', job: 1, ...R2 }],
        is: /^S30 job 1 runs twice: r1, r2$/,
      },
      {
        story: 'a job never ends',
        record: [...RUNNING, { event: 'ended', job: 1, conclusion: 'lost', ...R1 }],
        is: /^S30 job 1 .* never came to its end$/,
      },
      {
        story: 'a second job is handed out',
        record: [...ENDED, { event: 'handed', job: 2, ...R1 }],
        is: /^S31 r1 gets a second job/,
      },
      {
        story: 'a refused runner gets a job',
        record: [
          { event: 'refused', state: 'idle', ...R1 },
          { event: 'claimed', job: 1, ...R1 },
        ],
        is: /^S32 .* refused$/,
      },
      {
        story: 'a deleted runner gets a job',
        record: [pod('pod-deleted'), { event: 'claimed', job: 1, ...R1 }],
        is: /^S32 .* deleted$/,
      },
      {
        story: 'there are too many',
        record: [pod('pod-made'), pod('pod-made', R2)],
        is: /^S33 ci has 2 Pods alive, of at most 1$/,
      },
      {
        story: 'a name is registered twice',
        record: [...RUNNING, { event: 'registered', runnerId: 8, pod: 'r1', uid: 'u9' }],
        is: /^S34 r1 is registered twice$/,
      },
      {
        story: 'a registration outlives its VM',
        record: [
          { event: 'registered', runnerId: 7, ...R1 },
          pod('pod-over'),
          { event: 'deregistered', runnerId: 7, ...R1, atMs: LONG_AFTER },
        ],
        is: /^S34 .* outlives its VM$/,
      },
      { story: 'a session is closed twice', record: [...ENDED, closed(5), closed(5)], is: /^S35 .* not open/ },
      {
        story: 'a session is opened twice',
        record: [...ENDED, { event: 'session-opened', ...R1 }],
        is: /^S35 r1 has a second session$/,
      },
      {
        story: 'a session ends after its Pod',
        record: [...ENDED, pod('pod-over'), pod('pod-gone'), closed(99_000)],
        is: /^S35 .* ends after its Pod$/,
      },
      { story: 'a session ends in the future', record: [...ENDED, closed(99_000)], is: /^S35 .* ends after its Pod$/ },
    ];
  for (const { story, record, is } of bad) {
    it(`see that ${story}`, () => {
      const found = judge(record);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', is);
    });
  }

  const fine: readonly { readonly story: string; readonly record: Parameters<typeof judge>[0] }[] = [
    { story: 'a person deletes a busy runner', record: [...RUNNING, pod('pod-deleted', R1, 'kubectl')] },
    {
      story: 'one whose VM is over is deleted before its end was told',
      record: [...RUNNING, pod('pod-over'), pod('pod-deleted')],
    },
    {
      story: 'a job that was given back goes to another',
      record: [
        ...CLAIMED,
        { event: 'released', job: 1, why: '', ...R1 },
        pod('pod-deleted'),
        { event: 'claimed', job: 1, ...R2 },
      ],
    },
    { story: 'a stop is told again', record: [...ENDED, closed(5), { event: 'stop-repeated', endedAtMs: 4, ...R1 }] },
    { story: 'the next Pod comes when one is over', record: [pod('pod-made'), pod('pod-over'), pod('pod-made', R2)] },
    { story: 'a runner is refused while it runs', record: [...RUNNING, { event: 'refused', state: 'running', ...R1 }] },
  ];
  for (const { story, record } of fine) it(`do not mind that ${story}`, () => assert.deepEqual(judge(record), []));

  it('see at the end what was left: an open session, a registration', () => {
    const checker = check();
    checker.judge(timed([...RUNNING, pod('pod-over'), pod('pod-gone')]));
    assert.deepEqual(checker.atRest(9e12), [
      'S35: the session of r1 was never closed',
      'S34: the registration of r1 outlives its VM',
    ]);
  });
});
