import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import type { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { authenticationFailed, hostKeyChanged, unreachableHost } from '../port/session-errors.ts';
import type { Hosts } from '../port.ts';
import { createScriptedSession } from '../testing/scripted-session.ts';
import { waitForHost } from './wait-for-host.ts';

const target = { address: 'mac', user: 'm1', privateKey: new Secret('key'), pinnedHostKey: 'SHA256:scripted' };
const EVERY_MS = 5_000;

/** Refuses with these, one after another, then opens. */
const hostsThat = (...refusals: readonly FleetError[]): Hosts & { opened(): number } => {
  let opened = 0;
  return {
    opened: () => opened,
    open: async () => {
      const refusal = refusals[opened];
      opened += 1;
      if (refusal !== undefined) throw refusal;
      return createScriptedSession();
    },
  };
};

/** Lets every promise settle, then moves on, so often. */
const pass = async (clock: ReturnType<typeof createManualClock>, times: number): Promise<void> => {
  for (let left = times; left > 0; left -= 1) {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    clock.advance(EVERY_MS);
  }
};

test('a host that does not answer is asked again until it does', async () => {
  const clock = createManualClock();
  const hosts = hostsThat(unreachableHost('mac'), unreachableHost('mac'));
  const waiting = waitForHost({ hosts, target, clock, everyMs: EVERY_MS }, neverAborted());
  await pass(clock, 2);
  assert.equal((await waiting).hostKey, 'SHA256:scripted');
  assert.equal(hosts.opened(), 3);
});

for (const refusal of [hostKeyChanged('mac'), authenticationFailed('mac')]) {
  test(`${refusal.code} ends the wait at once`, async () => {
    const clock = createManualClock();
    const hosts = hostsThat(refusal);
    const waiting = waitForHost({ hosts, target, clock, everyMs: EVERY_MS }, neverAborted());
    await assert.rejects(waiting, { code: refusal.code });
    assert.equal(hosts.opened(), 1);
  });
}

test('an abort ends the wait between two attempts', async () => {
  const clock = createManualClock();
  const controller = new AbortController();
  const hosts = hostsThat(unreachableHost('mac'));
  const waiting = waitForHost({ hosts, target, clock, everyMs: EVERY_MS }, controller.signal);
  const refused = assert.rejects(waiting, { kind: 'cancelled' });
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  controller.abort();
  await refused;
  assert.equal(clock.timers, 0);
});
