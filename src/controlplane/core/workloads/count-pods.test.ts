import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../kube/types/pod.ts';
import { countPods } from './count-pods.ts';
import { JOB_TRACKING, type JobStatus } from './job.ts';

interface Traits {
  readonly phase: 'Running' | 'Succeeded' | 'Failed';
  readonly released?: true;
  readonly deleting?: true;
}

const pod = (uid: string, { phase, released, deleting }: Traits): Pod => ({
  metadata: {
    name: uid,
    uid,
    ...(released ? {} : { finalizers: [JOB_TRACKING, 'somebody/else'] }),
    ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: { containers: [] },
  status: { phase },
});

const listed = (succeeded: readonly string[], failed: readonly string[] = []): JobStatus => ({
  uncountedTerminatedPods: { succeeded, failed },
});

const rows: readonly {
  readonly story: string;
  readonly status: JobStatus;
  readonly pods: readonly Pod[];
  readonly expected: string;
}[] = [
  { story: 'at work', status: {}, pods: [pod('a', { phase: 'Running' })], expected: '0+[] 0+[] keep' },
  {
    story: 'just succeeded: listed, not counted',
    status: {},
    pods: [pod('a', { phase: 'Succeeded' })],
    expected: '0+[a] 0+[] release a',
  },
  {
    story: 'just failed: listed, not counted',
    status: {},
    pods: [pod('a', { phase: 'Failed' })],
    expected: '0+[] 0+[a] release a',
  },
  {
    story: 'listed and still held: listed once',
    status: listed(['a']),
    pods: [pod('a', { phase: 'Succeeded' })],
    expected: '0+[a] 0+[] release a',
  },
  {
    story: 'listed and let go: counted',
    status: listed(['a']),
    pods: [pod('a', { phase: 'Succeeded', released: true })],
    expected: '1+[] 0+[] keep',
  },
  { story: 'listed and gone: counted', status: listed(['a']), pods: [], expected: '1+[] 0+[] keep' },
  {
    story: 'counted and still there: not counted again',
    status: { succeeded: 1 },
    pods: [pod('a', { phase: 'Succeeded', released: true })],
    expected: '1+[] 0+[] keep',
  },
  {
    story: 'counted long ago, its Pod gone',
    status: { succeeded: 4, failed: 2 },
    pods: [pod('z', { phase: 'Succeeded' })],
    expected: '4+[z] 2+[] release z',
  },
  {
    story: 'deleted at work: a failure',
    status: {},
    pods: [pod('a', { phase: 'Running', deleting: true })],
    expected: '0+[] 0+[a] release a',
  },
  {
    story: 'deleted and so failed: a failure',
    status: {},
    pods: [pod('a', { phase: 'Failed', deleting: true })],
    expected: '0+[] 0+[a] release a',
  },
  {
    story: 'deleted after its success: a success',
    status: {},
    pods: [pod('a', { phase: 'Succeeded', deleting: true })],
    expected: '0+[a] 0+[] release a',
  },
  {
    story: 'failed, listed, then deleted: a failure',
    status: listed([], ['a']),
    pods: [pod('a', { phase: 'Failed', deleting: true })],
    expected: '0+[] 0+[a] release a',
  },
];

describe('the end of a Pod is counted exactly once', () => {
  for (const { story, status, pods, expected } of rows) {
    it(`${story}: ${expected}`, () => {
      const counts = countPods(status, pods);
      const { succeeded, failed, uncountedTerminatedPods: open } = counts.status;
      const release = counts.release.map(({ metadata }) => metadata.uid).join(' ');
      const told = `${succeeded}+[${open?.succeeded}] ${failed}+[${open?.failed}] ${release ? `release ${release}` : 'keep'}`;
      assert.equal(told, expected);
      assert.equal(counts.isSettled, expected.includes('+[] ') && expected.match(/\+\[\]/g)?.length === 2);
    });
  }
});
