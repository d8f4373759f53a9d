import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../kube/types/pod.ts';
import { isPodUp } from './kube-view.ts';

describe('whether a Pod may get a job', () => {
  const pod = (phase: 'Pending' | 'Running' | 'Succeeded', deletionTimestamp?: string): Pod => ({
    metadata: { name: 'a', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { containers: [] },
    status: { phase },
  });
  const rows = [
    ['runs', pod('Running'), true],
    ['is not known to run', pod('Pending'), false],
    ['is over', pod('Succeeded'), false],
    ['runs, and is being deleted', pod('Running', '2026-08-01T10:00:00Z'), false],
  ] as const;
  for (const [story, of, is] of rows) it(`${story}: ${is}`, () => assert.equal(isPodUp(of), is));
});
