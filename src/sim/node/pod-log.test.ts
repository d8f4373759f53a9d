import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../kube/types/pod.ts';
import { type LogLine, readLogOf, readLogOptions, renderLines, selectLines } from './pod-log.ts';

const START_MS = Date.UTC(2026, 0, 1);
const START = '2026-01-01T00:00:00Z';

type State = NonNullable<NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state']>;

const podIn = (state: State | undefined): Pod => ({
  metadata: { namespace: 'ns', name: 'p' },
  spec: { containers: [{ name: 'c', image: 'an-image', command: ['sw_vers'], args: ['-x'] }] },
  ...(state !== undefined && {
    status: { containerStatuses: [{ name: 'c', image: '', imageID: '', ready: true, restartCount: 0, state }] },
  }),
});
const textsOf = (lines: readonly LogLine[]): readonly string[] => lines.map(({ text }) => text);
const RUNNING: State = { running: { startedAt: START } };
const ENDED: State = { terminated: { exitCode: 3, startedAt: START, finishedAt: '2026-01-01T00:00:02Z' } };

describe('what a scripted container has printed', () => {
  const rows: readonly (readonly [string, State, number, readonly string[], number | undefined])[] = [
    ['its command at the start', RUNNING, 400, ['$ sw_vers -x'], 1_000],
    ['a line for every second', RUNNING, 2_100, ['$ sw_vers -x', 'running for 1 s', 'running for 2 s'], 3_000],
    [
      'its end, and nothing after that',
      ENDED,
      60_000,
      ['$ sw_vers -x', 'running for 1 s', 'running for 2 s', 'ended with code 3'],
      undefined,
    ],
  ];
  for (const [story, state, afterMs, expected, moreAfterMs] of rows) {
    it(`is ${story}`, () => {
      const { lines, moreAtMs } = readLogOf(podIn(state), 'c', START_MS + afterMs);
      assert.deepEqual(textsOf(lines), expected);
      assert.equal(moreAtMs, moreAfterMs === undefined ? undefined : START_MS + moreAfterMs);
    });
  }

  it('is bounded, however long it runs', () => {
    const { lines } = readLogOf(podIn(RUNNING), 'c', START_MS + 86_400_000);
    assert.equal(lines.length, 1_001);
    assert.equal(lines.at(-1)?.text, 'running for 86400 s');
  });

  it('is refused before it starts, as a kubelet words it', () => {
    const waiting = podIn({ waiting: { reason: 'ErrImagePull' } });
    assert.throws(() => readLogOf(waiting, 'c', START_MS), /"c" in pod "p" is waiting to start: ErrImagePull/);
    assert.throws(() => readLogOf(podIn(undefined), 'c', START_MS), /waiting to start: ContainerCreating/);
    assert.throws(() => readLogOf(podIn(RUNNING), 'z', START_MS), /container z is not in Pod p/);
  });
});

describe('what is read of a log', () => {
  const lines = [0, 1, 2, 3].map((second) => ({ atMs: START_MS + second * 1_000, text: `line ${second}` }));
  const rows: readonly (readonly [string, string, string])[] = [
    ['all of it', '', 'line 0\nline 1\nline 2\nline 3\n'],
    ['its last lines', 'tailLines=2', 'line 2\nline 3\n'],
    ['none of them', 'tailLines=0', ''],
    ['what was said in the last seconds', 'sinceSeconds=2', 'line 2\nline 3\n'],
    ['what was said since a time', 'sinceTime=2026-01-01T00:00:03Z', 'line 3\n'],
    ['times too', 'timestamps=true&tailLines=1', '2026-01-01T00:00:03Z line 3\n'],
  ];
  for (const [story, query, expected] of rows) {
    it(`is ${story}`, () => {
      const options = readLogOptions(new URLSearchParams(query), START_MS + 4_000);
      assert.equal(renderLines(selectLines(lines, options), options), expected);
    });
  }

  it('is never that of an earlier container: there is none', () => {
    assert.throws(() => readLogOptions(new URLSearchParams('previous=true'), 0), /previous terminated container/);
  });
});
