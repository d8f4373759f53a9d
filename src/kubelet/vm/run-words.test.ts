import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guestErrorIn } from './run-words.ts';

const ENDED = 'guest has stopped the virtual machine\n';
const BROKE = 'guest has stopped the virtual machine due to error: Internal Virtualization error.\n';

describe('the last words of a run', () => {
  const rows: readonly [story: string, log: string, error: string | undefined][] = [
    ['an end that the guest meant', ENDED, undefined],
    ['a guest that broke down', `booting\n${BROKE}`, 'Internal Virtualization error.'],
    ['an earlier run that broke down', `${BROKE}${ENDED}`, undefined],
    ['no words at all', '', undefined],
  ];
  for (const [story, log, error] of rows) it(story, () => assert.equal(guestErrorIn(log), error));
});
