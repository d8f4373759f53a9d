import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import type { PatchBody } from './client.ts';
import {
  DEFAULT_RETRY_POLICY,
  decideRetryMs,
  type Repetition,
  repetitionOfDelete,
  repetitionOfPatch,
  repetitionOfUpdate,
} from './retry.ts';
import { lost, refused } from './testing/scripted-transport.ts';

const signal = new AbortController().signal;
const throttled = (retryAfterMs?: number): FleetError =>
  new FleetError('throttled', {
    code: 'TooManyRequests',
    message: '',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const serverError = new FleetError('unavailable', { code: 'ServerError', message: '' });
const ofKind = (kind: FleetError['kind']): FleetError => new FleetError(kind, { code: 'X', message: '' });

describe('a failed request', () => {
  const rows: readonly (readonly [string, FleetError, Repetition, 'again' | 'given up'])[] = [
    ['a read, connection lost', lost(), 'read', 'again'],
    ['a read, server error', serverError, 'read', 'again'],
    ['a read, throttled', throttled(), 'read', 'again'],
    ['a read, refused', refused(), 'read', 'again'],
    ['a read of nothing', ofKind('not-found'), 'read', 'given up'],
    ['a read without rights', ofKind('denied'), 'read', 'given up'],
    ['a read that answers nonsense', ofKind('contract'), 'read', 'given up'],
    ['a read that was cancelled', ofKind('cancelled'), 'read', 'given up'],
    ['a guarded write, connection lost', lost(), 'guarded', 'again'],
    ['a guarded write, server error', serverError, 'guarded', 'again'],
    ['a guarded write that lost the race', ofKind('conflict'), 'guarded', 'given up'],
    ['a bare write, connection lost', lost(), 'unguarded', 'given up'],
    ['a bare write, server error', serverError, 'unguarded', 'given up'],
    ['a bare write, throttled: the server did nothing', throttled(), 'unguarded', 'again'],
    ['a bare write, refused: nothing was sent', refused(), 'unguarded', 'again'],
    [
      'an eviction that a budget forbids',
      new FleetError('throttled', { code: 'DisruptionBudget', message: '' }),
      'unguarded',
      'given up',
    ],
    ['anything that is to wait for minutes', throttled(60_000), 'read', 'given up'],
  ];
  for (const [story, error, repetition, expected] of rows) {
    it(`${story} is ${expected === 'again' ? 'sent again' : expected}`, () => {
      const waitMs = decideRetryMs({ error, tries: 1, repetition }, DEFAULT_RETRY_POLICY, createSeededRandom(1));
      assert.equal(waitMs === undefined ? 'given up' : 'again', expected);
    });
  }

  it('is sent a bounded number of times', () => {
    const failure = { error: lost(), tries: DEFAULT_RETRY_POLICY.triesMax, repetition: 'read' } as const;
    assert.equal(decideRetryMs(failure, DEFAULT_RETRY_POLICY, createSeededRandom(1)), undefined);
  });

  it('waits as long as the server asked', () => {
    const failure = { error: throttled(3_000), tries: 1, repetition: 'read' } as const;
    assert.equal(decideRetryMs(failure, DEFAULT_RETRY_POLICY, createSeededRandom(1)), 3_000);
  });
});

describe('a write is guarded', () => {
  const patches: readonly (readonly [string, PatchBody, Repetition])[] = [
    ['apply', { type: 'apply', body: {} }, 'guarded'],
    ['merge with a version', { type: 'merge', body: { metadata: { resourceVersion: '1' } } }, 'guarded'],
    ['merge with an identity', { type: 'merge', body: { metadata: { uid: 'u' } } }, 'guarded'],
    ['merge of a status alone', { type: 'merge', body: { status: {} } }, 'unguarded'],
    ['merge with an empty version', { type: 'merge', body: { metadata: { resourceVersion: '' } } }, 'unguarded'],
    ['merge of no object', { type: 'merge', body: null }, 'unguarded'],
    [
      'strategic merge with a version',
      { type: 'strategic-merge', body: { metadata: { resourceVersion: '1' } } },
      'guarded',
    ],
    [
      'JSON patch that names the version',
      { type: 'json', body: [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }] },
      'guarded',
    ],
    [
      'JSON patch that only tests the version, whose failure looks like nonsense',
      { type: 'json', body: [{ op: 'test', path: '/metadata/resourceVersion', value: '1' }] },
      'unguarded',
    ],
    [
      'JSON patch that adds',
      { type: 'json', body: [{ op: 'add', path: '/metadata/finalizers/-', value: 'f' }] },
      'unguarded',
    ],
  ];
  for (const [story, patch, expected] of patches) {
    it(`${story}: ${expected}`, () => assert.equal(repetitionOfPatch(patch), expected));
  }

  it('when an update carries a version', () => {
    assert.equal(repetitionOfUpdate({ metadata: { name: 'x', resourceVersion: '1' } }), 'guarded');
    assert.equal(repetitionOfUpdate({ metadata: { name: 'x', uid: 'u' } }), 'unguarded');
  });

  it('when a delete names what it means', () => {
    assert.equal(repetitionOfDelete({ signal, preconditions: { uid: 'u' } }), 'guarded');
    assert.equal(repetitionOfDelete({ signal, preconditions: { resourceVersion: '1' } }), 'guarded');
    assert.equal(repetitionOfDelete({ signal, preconditions: {} }), 'unguarded');
    assert.equal(repetitionOfDelete({ signal }), 'unguarded');
  });
});
