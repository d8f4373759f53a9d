import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCli } from '../run-cli.ts';
import { completeFlags } from './complete-flags.ts';
import type { GivenFlags } from './up-flags.ts';

const given = (more: Partial<GivenFlags> = {}): GivenFlags => ({
  ...{ clean: false, json: false, port: 0, provider: 'here', log: false },
  ...{ chaos: false, compare: false, ...more },
});

describe('the flags of up', () => {
  it('ask for more haste where there is chaos', () => {
    const speeds = [given(), given({ chaos: true }), given({ chaos: true, speed: 7 })];
    assert.deepEqual(
      speeds.map((flags) => completeFlags(flags, 'linux').speed),
      [100, 300, 7],
    );
  });

  it('ask for more CI jobs where there is nothing else to see', () => {
    const jobsOf = (more: Partial<GivenFlags>): number => completeFlags(given(more), 'linux').jobs;
    assert.equal(jobsOf({}), 8);
    assert.equal(jobsOf({ fleet: ['runners'] }), 20);
    assert.equal(jobsOf({ fleet: ['runners'], jobs: 3 }), 3);
  });

  const unused: readonly (readonly [flag: string, given: Partial<GivenFlags>, needed: Partial<GivenFlags>])[] = [
    ['--for', { for: 1 }, { chaos: true }],
    ['--seed', { seed: 0 }, { chaos: true }],
    ['--timeout', { timeout: 1 }, { until: 'jobs-done' }],
    ['--timeout', { timeout: 1, chaos: true, until: 'verdict' }, { chaos: false, until: 'ready' }],
    ['--jobs', { jobs: 1, fleet: ['macos', 'builders'] }, { fleet: ['runners'] }],
    ['--jobs', { jobs: 1, chaos: true }, { chaos: false }],
  ];
  for (const [flag, typed, needed] of unused) {
    it(`are not ignored in silence: ${flag} with ${JSON.stringify(typed)}`, () => {
      const error = { code: 'FlagHasNoUse', message: new RegExp(`^${flag} would have no effect`) };
      assert.throws(() => completeFlags(given(typed), 'linux'), error);
      assert.doesNotThrow(() => completeFlags(given({ ...typed, ...needed }), 'linux'));
    });
  }

  it('have a time for what may take long, where none was typed', () => {
    const { timeout, for: chaosMs } = completeFlags(given(), 'linux');
    assert.deepEqual([timeout, chaosMs], [300_000, 60_000]);
  });

  it('are refused at once on macOS where they ask for chaos, which needs more addresses than that has', () => {
    const error = { kind: 'unavailable', code: 'ChaosNeedsLinux', message: /loopback.*darwin/, hint: /Linux/ };
    assert.throws(() => completeFlags(given({ chaos: true }), 'darwin'), error);
    assert.equal(completeFlags(given(), 'darwin').chaos, false);
  });

  it('are looked at with the platform of the process around', async () => {
    let told = '';
    const stderr = (text: string): void => {
      told += text;
    };
    const io = {
      stdout: assert.fail,
      stderr,
      env: {},
      platform: 'darwin',
      signal: new AbortController().signal,
    } as const;
    assert.notEqual(await runCli({ args: ['up', '--chaos'], version: '0', io }), 0);
    assert.match(told, /what to do: Run it on Linux[^\n]*\n {2}code: ChaosNeedsLinux/);
  });
});
