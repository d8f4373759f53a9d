/**
 * The faults F34–F58 of SSH and hosts: each has a switch on a simulated Mac, a test of its name, a line in the docs, and a test that
 * runs what the Go original ran, or the reason why there is none. What the provider does about them is proven in src/world.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { BashMac } from '../src/sim/mac/bash/bash-mac.ts';
import { MAC_SCENARIOS } from '../src/sim/mac/bash/scenarios.ts';
import { openUplink } from '../src/sim/mac/bash/uplink.ts';

interface Fault {
  readonly id: string;
  /** A scenario, or what code does to the Mac. */
  readonly switch: string | ((mac: BashMac) => unknown);
  /** How the title begins of the test that runs the original's commands. */
  readonly original: string | { readonly none: string };
}

const FAULTS: readonly Fault[] = [
  {
    ...{ id: 'F34', switch: (mac) => mac.trouble.refuseConnections(1) },
    original: { none: 'it waited for a watchdog of its own, which is ours too; nothing that it ran fails here' },
  },
  {
    ...{ id: 'F35', switch: (mac) => mac.trouble.breakNext('steps', 'lost-after') },
    original: 'F35: the old Tart was removed before the new one was there',
  },
  {
    ...{ id: 'F36', switch: (mac) => mac.trouble.breakNext('steps', 'hang') },
    original: { none: 'it set no limit and waited: a test that waits for ever shows nothing' },
  },
  {
    ...{ id: 'F37', switch: (mac) => mac.trouble.breakNext('upload', 'lost-midway') },
    original: 'F37: an upload that was cut off was the live program already',
  },
  {
    ...{ id: 'F38', switch: (mac) => mac.changeHostKey() },
    original: { none: 'it refused another key as we do' },
  },
  { id: 'F39', switch: 'account-locked', original: 'F39: the marker of a sealed password' },
  {
    ...{ id: 'F40', switch: (mac) => mac.trouble.ban() },
    original: { none: 'it dialled on every minute: not a command on the Mac; src/provider/host/plan-recovery.test.ts' },
  },
  {
    ...{ id: 'F41', switch: 'keys-forgotten' },
    original: { none: 'it read a refused login as a reason to reboot: src/provider/host/plan-recovery.test.ts' },
  },
  { id: 'F42', switch: 'sealed', original: 'F42: a wrong password was written and never read back' },
  { id: 'F43', switch: 'loginwindow-dead', original: 'F43: a hang-up for loginwindow ended it for good' },
  { id: 'F44', switch: 'keychain-closed', original: 'F44: with a keychain of a former password all went well' },
  { id: 'F45', switch: 'local-network-blocked', original: 'F45: a builder is let through to its machines' },
  { id: 'F46', switch: 'pf-wedged', original: 'F46: tables were killed in ' },
  { id: 'F47', switch: 'pf-wedged', original: 'F47: the block was appended ' },
  { id: 'F48', switch: 'btm-throttled', original: 'F48: ending and registering an identical job on every push' },
  {
    ...{ id: 'F49', switch: (mac) => mac.files.write('/usr/local/bin/tart-kubelet', 'in place') },
    original: 'F49: a program that was written over in place is killed',
  },
  {
    ...{ id: 'F50', switch: (mac) => mac.files.replace('/usr/local/lib/tart-kubelet/tart-kubelet.mjs', 'exit') },
    original: 'F50: the original took any process that it saw for a running one',
  },
  { id: 'F51', switch: 'disk-full', original: 'F51: writing over a program on a disk without room' },
  { id: 'F52', switch: 'cache-volume-read-only', original: 'F52: the original gave the volume to m1 at every push' },
  {
    ...{ id: 'F53', switch: 'clock-behind' },
    original: { none: 'its deadlines were those of its own process; it compared no clock with that of a Mac' },
  },
  {
    ...{ id: 'F54', switch: (mac) => mac.power.reboot() },
    original: { none: 'until May 2026 it ran nothing against sleep, then what we run' },
  },
  {
    ...{ id: 'F55', switch: (mac) => mac.exec({ line: 'tart --version', shell: 'zsh' }) },
    original: 'F55: a command of /usr/local/bin is not found by its name over SSH',
  },
  {
    ...{ id: 'F56', switch: () => openUplink(6443).then((uplink) => uplink.cut()) },
    original: { none: 'its agent on the Mac met it, not what was run over SSH: comes with the kubelet' },
  },
  { id: 'F57', switch: 'addresses-gone', original: 'F57: after ' },
  {
    ...{ id: 'F58', switch: (mac) => mac.exec({ line: 'ln -s "9999999999 anna" .macfleet/lock' }) },
    original: 'F58: a push and a person who looked at the same time',
  },
];

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const textOfTests = (patterns: readonly string[]): string => globSync(patterns, { cwd: ROOT }).map(read).join('\n');

const ON_MACS = ['test/hosts/**/*.test.ts'];
const TESTS = textOfTests(['src/hosts/**/*.test.ts', 'src/sim/mac/**/*.test.ts', ...ON_MACS]);
const TESTS_ON_MACS = textOfTests(ON_MACS);

/** Ids at the beginning of titles and stories: `F34, T-71: …`. */
const TOLD = new Set(
  [...TESTS.matchAll(/['"`]((?:[A-Z0-9-]+, )*F\d\d(?:, [A-Z0-9-]+)*): /g)].flatMap(([, ids = '']) => ids.split(', ')),
);

/** Ids in the last column of a table, ranges written out. */
const documented = (page: string): ReadonlySet<string> => {
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').at(-2) ?? '');
  const ranges = cells.flatMap((cell) => [...cell.matchAll(/F(\d\d)(?:–F(\d\d))?/g)]);
  return new Set(
    ranges.flatMap(([, first = '', last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `F${Number(first) + at}`),
    ),
  );
};

const DOCUMENTED = documented(read('docs/simulators.md'));

test('the list is whole', () => {
  const all = Array.from({ length: 25 }, (_, at) => `F${34 + at}`);
  assert.deepEqual(
    FAULTS.map(({ id }) => id),
    all,
  );
});

for (const { id, switch: how, original } of FAULTS) {
  test(`${id} has a switch, a test of its name, a line in the docs, and what the original did`, () => {
    if (typeof how === 'string') {
      const scenario = MAC_SCENARIOS.find(({ name }) => name === how);
      assert.ok(scenario?.replays.includes(id), `the scenario ${how} replays it`);
    }
    assert.ok(TOLD.has(id), 'a test of its name');
    assert.ok(DOCUMENTED.has(id), 'a line in docs/simulators.md');
    if (typeof original !== 'string') assert.ok(original.none.length > 0);
    else assert.match(TESTS_ON_MACS, new RegExp(`['"\`]${original}`), 'the test that runs what the original ran');
  });
}

test('what scenarios replay is in the list, or an incident', () => {
  const known = new Set(FAULTS.map(({ id }) => id));
  const strange = MAC_SCENARIOS.flatMap(({ replays }) => replays).filter(
    (id) => !known.has(id) && !/^I-\d\d$/.test(id),
  );
  assert.deepEqual(strange, []);
});
