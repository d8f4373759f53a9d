/** What keeps a virtual machine from starting, and from an address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { ADDRESSES_MAX, createHypervisor } from './hypervisor.ts';
import { renderPlist } from './plist.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const SHARING = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default.plist';
const DAY_MS = 86_400_000;

const stage = (mac: { readonly hasSession?: boolean; readonly isKeychainOpen?: boolean } = {}) => {
  const files = createMemoryFiles();
  const clock = createManualClock();
  const hypervisor = createHypervisor({
    ...{ files, clock, hasSession: () => mac.hasSession ?? true, isKeychainOpen: () => mac.isKeychainOpen ?? true },
  });
  const run = commandRunner(hypervisor.commands);
  return { files, clock, hypervisor, tart: (line: string) => run(`m1:tart 2.30.0 ${line}`) };
};

test('without a graphical session nothing starts', async () => {
  assert.match(await stage({ hasSession: false }).tart('run a'), /^1 .*VZErrorDomain Code=-9/);
});

test('F44: with a closed keychain nothing starts', async () => {
  assert.match(await stage({ isKeychainOpen: false }).tart('run a'), /^1 SecKeyCreateRandomKey_ios failed/);
});

test('a machine keeps its address, and another has another', async () => {
  const { tart } = stage();
  assert.deepEqual(
    [await tart('run a'), await tart('run a'), await tart('ip a'), await tart('run b'), await tart('ip b')],
    ['0', '0', '0 192.168.64.2', '0', '0 192.168.64.3'],
  );
  assert.match(await tart('ip c'), /^1 no IP address found/);
});

for (const { story, leaseSeconds, againAfterMs } of [
  { story: 'a day, as macOS has it', leaseSeconds: undefined, againAfterMs: DAY_MS },
  { story: 'ten minutes', leaseSeconds: 600, againAfterMs: 600_000 },
]) {
  test(`F57: with leases of ${story}, ${ADDRESSES_MAX} machines use up all addresses for that long`, async () => {
    const { files, clock, hypervisor, tart } = stage();
    if (leaseSeconds !== undefined) files.write(SHARING, renderPlist({ bootpd: { DHCPLeaseTimeSecs: leaseSeconds } }));
    hypervisor.startMachines(ADDRESSES_MAX - 1);
    await tart('run last');
    assert.match(await tart('ip last'), /^0 /);
    clock.advance(againAfterMs - 1);
    await tart('run late');
    assert.match(await tart('ip late'), /^1 /);
    clock.advance(1);
    await tart('run late');
    assert.match(await tart('ip late'), /^0 /);
  });
}
