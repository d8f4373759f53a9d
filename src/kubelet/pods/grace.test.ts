import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { type Ending, graceLeftMs } from './grace.ts';
import { samplePod } from './testing/pod-samples.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const spec = { terminationGracePeriodSeconds: 600 };

/** Deleted with a grace that ends in so many seconds. */
const deleted = (graceSeconds: number, endsInSeconds: number) =>
  samplePod({
    spec,
    metadata: {
      deletionGracePeriodSeconds: graceSeconds,
      deletionTimestamp: toTimestamp(NOW + endsInSeconds * 1_000),
    },
  });

describe('what is left of the grace', () => {
  const rows: readonly { story: string; ending: Partial<Ending>; leftSeconds: number }[] = [
    { story: 'of an end that begins, all of it', ending: {}, leftSeconds: 600 },
    { story: 'of a Pod that says nothing, half a minute', ending: { pod: samplePod() }, leftSeconds: 30 },
    {
      story: 'of an end that began in an earlier life of the agent, the rest',
      ending: { stopped: { sinceMs: NOW - 100_000 } },
      leftSeconds: 500,
    },
    { story: 'of a probe’s own, that', ending: { stopped: { sinceMs: NOW, graceSeconds: 7 } }, leftSeconds: 7 },
    { story: 'of a deletion, until its time', ending: { wish: 'end', pod: deleted(600, 400) }, leftSeconds: 400 },
    {
      story: 'of a deletion with a grace of its own, that, whatever a probe has',
      ending: { wish: 'end', pod: deleted(20, 20), stopped: { graceSeconds: 700 } },
      leftSeconds: 20,
    },
    {
      story: 'of a deletion whose time is long past, enough to be asked to shut down',
      ending: { wish: 'end', pod: deleted(600, -100) },
      leftSeconds: 2,
    },
    { story: 'and no more than it had', ending: { wish: 'end', pod: deleted(1, -100) }, leftSeconds: 1 },
    {
      story: 'of a deletion by the clock of an API server that is ahead, not more than there is',
      ending: { wish: 'end', pod: deleted(30, 400) },
      leftSeconds: 30,
    },
    { story: 'of a deletion by force, nothing', ending: { wish: 'end', pod: deleted(0, 0) }, leftSeconds: 0 },
    { story: 'of a Mac that shuts down, seconds', ending: { wish: 'leaving' }, leftSeconds: 8 },
    { story: 'of a command that is over, nothing', ending: { wish: 'done' }, leftSeconds: 0 },
    { story: 'of a Pod that is gone, nothing', ending: { wish: 'gone', pod: undefined }, leftSeconds: 0 },
  ];
  for (const { story, ending, leftSeconds } of rows)
    it(story, () => {
      const whole: Ending = { wish: 'unwell', pod: samplePod({ spec }), stopped: {}, nowMs: NOW, ...ending };
      assert.equal(graceLeftMs(whole), leftSeconds * 1_000);
    });
});
