/** The story of an object: what its records, its conditions, its steps, its events and the cloud tell, in one order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import { renderDescription } from './render-describe.ts';
import { parseLogTarget, parseTarget } from './target.ts';
import { toTimeline } from './timeline.ts';

const at = (minute: number): string => `2026-11-17T11:${String(minute).padStart(2, '0')}:00Z`;
const NOW_MS = Date.parse(at(59));

const HOST = {
  kind: 'MacHost',
  metadata: { name: '5b804c04-6f12-42b7-95f0-2c0e82883c5e', creationTimestamp: at(1) },
  spec: {
    lastWrite: { verb: 'rename', id: 'x', at: at(2) },
    budgets: {
      bootstrap: { failures: 1, nextAttemptAt: '2026-11-17T12:30:00Z' },
      reboots: { sinceClaim: 1, times: [at(9)] },
      sudo: { tries: [{ value: 'x', at: at(4), outcome: 'refused' }] },
    },
  },
  status: {
    ...{ state: 'preparing', stateSince: at(3) },
    conditions: [
      { type: 'Ready', status: 'False', reason: 'BootstrapFailed', message: 'x', lastTransitionTime: at(8) },
    ],
    operation: {
      ...{ kind: 'bootstrap', epoch: 7, startedAt: at(5), finishedAt: at(7) },
      steps: [
        { id: 'sudo', state: 'done', startedAt: at(5), finishedAt: at(6) },
        { id: 'tart', state: 'failed', startedAt: at(6), finishedAt: at(7), message: 'no space' },
        { id: 'agent', state: 'pending' },
      ],
    },
    server: { status: 'ready', name: 'mac-1', seenAt: at(10), deletableAt: '2026-11-17T15:00:00Z' },
  },
} as unknown as KubeObject;

const EVENT = {
  ...{ metadata: { name: 'e' }, involvedObject: {}, type: 'Warning', reason: 'BootstrapFailed', message: 'again' },
  ...{ firstTimestamp: at(7), lastTimestamp: at(11), count: 3 },
} as unknown as Event;

const TIMELINE = toTimeline([{ who: 'machost/m', object: HOST }], [['machost/m', EVENT]]);

describe('a timeline', () => {
  it('has what happened in the order in which it did, whoever tells it', () => {
    assert.deepEqual(
      TIMELINE.map(({ at: time, from, what }) => `${time.slice(11, 16)} ${from} ${what}`),
      [
        '11:01 object made',
        '11:02 cloud last write to Scaleway: rename',
        '11:03 object became preparing',
        '11:04 step a password was tried: refused',
        '11:05 step bootstrap began (epoch 7)',
        '11:06 step step sudo done',
        '11:07 step step tart failed: no space',
        '11:07 step bootstrap ended',
        '11:07 event warning BootstrapFailed: again',
        '11:08 condition Ready became False, BootstrapFailed: x',
        '11:09 cloud rebooted for recovery',
        '11:10 cloud seen at Scaleway: ready, named mac-1',
        '11:11 event warning BootstrapFailed: again (3 times)',
        '12:30 object nothing is tried before',
        '15:00 cloud its lease ends: from then on its rent can end',
      ],
    );
  });
  it('says what is still to come as such, and leaves out facts that nobody knows', () => {
    const description = {
      subject: 'MacHost m',
      facts: [
        ['state', 'preparing'],
        ['pool', undefined],
      ],
      notes: [],
    } as const;
    const text = renderDescription({ ...description, timeline: TIMELINE }, { nowMs: NOW_MS });
    assert.match(text, /^MacHost m\n {2}state {2}preparing\n\nTIME/);
    assert.match(text, /in 31m .*nothing is tried before/);
  });
  it('tells when a container of a Pod began and how it ended', () => {
    const pod = {
      ...{ kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } },
      status: {
        containerStatuses: [
          { name: 'vm', state: { terminated: { exitCode: 3, reason: 'Error', startedAt: at(1), finishedAt: at(2) } } },
        ],
      },
    } as unknown as KubeObject;
    assert.deepEqual(
      toTimeline([{ who: 'pod/p', object: pod }], []).map(({ what }) => what),
      ['vm started', 'vm ended with 3, Error'],
    );
  });
});

describe('a second of a timeline', () => {
  const SECOND = '2026-11-17T11:00:01Z';
  const eventOf = (reason: string, more: object): readonly [string, Event] => [
    'pod/p',
    { metadata: { name: reason }, involvedObject: {}, reason, ...more } as unknown as Event,
  ];
  const podOf = (status: object): KubeObject =>
    ({
      kind: 'Pod',
      metadata: { name: 'p', creationTimestamp: SECOND },
      spec: { containers: [] },
      status,
    }) as KubeObject;

  it('tells of a Pod from cause to effect', () => {
    const since = (type: string) => ({ type, status: 'True', lastTransitionTime: SECOND });
    const pod = podOf({
      ...{ startTime: SECOND, conditions: ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map(since) },
      containerStatuses: [{ name: 'vm', state: { running: { startedAt: SECOND } } }],
    });
    const scheduled = eventOf('Scheduled', { eventTime: '2026-11-17T11:00:01.250000Z', firstTimestamp: null });
    assert.deepEqual(
      toTimeline([{ who: 'pod/p', object: pod }], [scheduled]).map(({ what }) => what),
      [
        ...['made', 'PodScheduled became True', 'Initialized became True', 'taken up by its Node', 'vm started'],
        ...['ContainersReady became True', 'Ready became True', 'Scheduled'],
      ],
    );
  });
  it('has the last telling of an event after those that were stored before it', () => {
    const events = [
      eventOf('Again', {
        ...{ metadata: { name: 'a', resourceVersion: '12' }, eventTime: '2026-11-17T11:00:00.5Z' },
        series: { count: 4, lastObservedTime: SECOND },
      }),
      eventOf('Once', { metadata: { name: 'b', resourceVersion: '9' }, firstTimestamp: SECOND }),
    ];
    const expected = ['Again', 'Once', 'Again (4 times)'];
    for (const heard of [events, events.toReversed()])
      assert.deepEqual(
        toTimeline([], heard).map(({ what }) => what),
        expected,
      );
  });
  it('shows nothing of how it was ordered', () => {
    const [moment] = toTimeline([{ who: 'pod/p', object: podOf({}) }], []);
    assert.deepEqual(moment, { at: SECOND, who: 'pod/p', from: 'object', what: 'made' });
  });
});

describe('what is to be described', () => {
  const rows = [
    { words: ['host', 'a'], is: { kind: 'host', name: 'a' } },
    { words: ['samm/a'], is: { kind: 'machine', name: 'a' } },
    { words: ['pod/ci/a'], is: { kind: 'pod', namespace: 'ci', name: 'a' } },
    { words: ['MacHost', 'a'], is: { kind: 'host', name: 'a' } },
  ];
  for (const { words, is } of rows)
    it(`is read from ${words.join(' ')}`, () => assert.deepEqual(parseTarget(words), is));
  for (const words of [['host'], ['thing', 'a'], ['pod/a/b/c'], ['pod', '']]) {
    it(`is not read from ${words.join(' ')}`, () => assert.throws(() => parseTarget(words), { code: 'BadTarget' }));
  }
  it('is a Pod where a log is wanted and only a name is given', () => {
    assert.deepEqual(parseLogTarget(['a']), { kind: 'pod', name: 'a' });
    assert.deepEqual(parseLogTarget(['job/ci/a']), { kind: 'job', namespace: 'ci', name: 'a' });
    assert.throws(() => parseLogTarget(['host', 'a']), { code: 'NoLog' });
  });
});
