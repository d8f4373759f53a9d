import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostTimesFor } from './host-times.ts';

describe('how long a manager waits', () => {
  test('R7, R13: a pending name longer than a request may be late, and a Mac a minute after the last one', () => {
    const { claimHoldMs, quietMs } = hostTimesFor('normal', 'https://api.scaleway.com');
    assert.ok(claimHoldMs > 35_000);
    assert.ok(quietMs >= 60_000);
  });

  for (const apiUrl of ['http://127.0.0.1:8080', 'https://localhost/', 'http://[::1]:1']) {
    test(`less on a project that is simulated here: ${apiUrl}`, () => {
      assert.ok(hostTimesFor('fast', apiUrl).quietMs < 1_000);
    });
  }

  for (const apiUrl of [
    'https://api.scaleway.com',
    'https://127.0.0.1.example.com',
    'http://127.0.0.1:80@example.com',
  ]) {
    test(`never less on any other: ${apiUrl}`, () => {
      assert.throws(() => hostTimesFor('fast', apiUrl), { code: 'FastTimesOnRealProject' });
    });
  }
});
