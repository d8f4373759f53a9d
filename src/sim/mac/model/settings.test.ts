/** The small things that a Mac remembers and tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createSettings } from './settings.ts';
import { commandRunner } from './testing/run-command.ts';

const stage = () => {
  const settings = createSettings(createManualClock());
  return { settings, run: commandRunner(settings.commands) };
};

const rows: readonly { readonly line: string; readonly says: string | RegExp }[] = [
  { line: 'scutil --get HostName', says: '1 HostName: not set' },
  { line: 'hostname', says: '0 Mac-mini.local' },
  { line: 'scutil --set LocalHostName a.b', says: '1 SCPreferencesSetLocalHostName() failed: Invalid argument' },
  { line: 'm1: scutil --set HostName mine', says: /^1 .*Permission denied/ },
  { line: 'pmset -g', says: / sleep +1\n/ },
  { line: 'm1: pmset -a sleep 0', says: /^77 / },
  { line: 'pmset -a slumber 0', says: /^64 / },
  { line: 'sw_vers -productName', says: '0 macOS' },
  { line: 'uname -sm', says: '0 Darwin arm64' },
  { line: 'sysctl -n hw.ncpu', says: '0 8' },
  { line: 'sysctl -n hw.nothing', says: "1 sysctl: unknown oid 'hw.nothing'" },
  { line: 'sysctl -n kern.boottime', says: /^0 \{ sec = \d+, usec = 0 \}/ },
  { line: 'softwareupdate --schedule', says: '0 Automatic checking for updates is turned on' },
];
for (const { line, says } of rows) {
  test(`${line}: ${says}`, async () => {
    const answer = await stage().run(line);
    if (typeof says === 'string') assert.equal(answer, says);
    else assert.match(answer, says);
  });
}

test('what is set is kept until the Mac is wiped', async () => {
  const { settings, run } = stage();
  await run('scutil --set HostName mine');
  await run('pmset -a sleep 0 displaysleep 0');
  await run('softwareupdate --schedule off');
  settings.boot();
  assert.equal(await run('hostname'), '0 mine');
  assert.match(await run('pmset -g'), / sleep +0\n displaysleep +0\n/);
  assert.equal(await run('softwareupdate --schedule'), '0 Automatic checking for updates is turned off');
  settings.wipe();
  assert.equal(await run('hostname'), '0 Mac-mini.local');
  assert.match(await run('pmset -g'), / sleep +1\n/);
});
