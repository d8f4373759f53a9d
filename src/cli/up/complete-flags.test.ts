import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCli } from '../run-cli.ts';
import { completeFlags } from './complete-flags.ts';
import type { GivenFlags } from './up-flags.ts';

const given = (more: Partial<GivenFlags> = {}): GivenFlags => ({
  ...{ timeout: 1, clean: false, json: false, port: 0, provider: 'here', log: false },
  ...{ chaos: false, compare: false, for: 1, ...more },
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
