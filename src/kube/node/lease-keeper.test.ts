import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createHarness } from '../testing/harness.ts';
import { keepLease } from './lease-keeper.ts';

const rows = [
  { story: 'soon, as often as it may at the pace of a kubelet', renewEveryMs: 10_000, least: 20, most: 26 },
  {
    story: 'ever more rarely at a slow pace, and more often than it would renew',
    renewEveryMs: 600_000,
    least: 5,
    most: 6,
  },
];

for (const { story, renewEveryMs, least, most } of rows) {
  test(`a heartbeat that failed is tried again ${story}`, async () => {
    const { client, clock, advance } = createHarness();
    const stop = new AbortController();
    let tries = 0;
    const refusing = {
      ...client,
      patch: () => {
        tries += 1;
        return Promise.reject(new FleetError('denied', { code: 'Unauthorized', message: 'no' }));
      },
    };
    const options = { client: refusing, clock, logger: silentLogger, nodeName: 'mac-1', renewEveryMs };
    const kept = keepLease(options, stop.signal);
    for (let second = 0; second < 60; second += 1) await advance(1_000);
    assert.ok(tries >= least && tries <= most, `${tries} tries in a minute`);
    stop.abort();
    await kept;
  });
}
