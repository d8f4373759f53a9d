/** `macfleet sim mac` as a person meets it before it runs, and step-level where no sandbox is. Real bash: test/hosts/mac. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAC_SCENARIOS } from '../../sim/mac/bash/scenarios.ts';
import { runRecorded } from '../testing/run-recorded.ts';

const run = (...args: readonly string[]) => runRecorded(['sim', 'mac', ...args], AbortSignal.abort());

test('the help lists every scenario', async () => {
  const { stdout } = await run('--help');
  for (const { name, about } of MAC_SCENARIOS) assert.match(stdout, new RegExp(`${name} +${about}`));
});

test('step-level Macs say what they are, and how to prepare them', async () => {
  const { exitCode, stdout } = await run('--kind', 'step-level', '--count', '2');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^2 simulated Macs\..*run no command of yours: as it was asked for\./s);
  assert.match(stdout, /prepare-fleet-host 127\.0\.0\.1:\d+ 127\.0\.0\.1:\d+ --identity/);
  assert.match(stdout, /Stopping\.\n$/);
});

const refused: readonly { readonly story: string; readonly args: readonly string[]; readonly says: RegExp }[] = [
  { story: 'a scenario that is none', args: ['--scenario', 'on-fire'], says: /no scenario "on-fire".*pf-wedged/s },
  {
    story: 'a scenario on step-level Macs',
    args: ['--kind', 'step-level', '--scenario', 'sealed'],
    says: /"sealed" needs Macs with real bash/,
  },
  { story: 'no Macs', args: ['--count', '0'], says: /"0" is no count of Macs/ },
  { story: 'a port that is none', args: ['--port', '70000'], says: /"70000" is no port/ },
  { story: 'time that stands still', args: ['--speed', '0x'], says: /"0x" is no speed/ },
];
for (const { story, args, says } of refused) {
  test(`${story} is refused with what to do`, async () => {
    const { exitCode, stderr } = await run(...args);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, says);
  });
}
