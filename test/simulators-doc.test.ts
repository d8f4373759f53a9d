/** docs/simulators.md: its example does what the page says, on the command that the page names; its lists are whole. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DISPATCH_FAULTS } from '../src/sim/dispatch/fault-list.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'simulators.md'), 'utf8');

const exampleOf = (page: string): string => /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';

/** Runs Node in the repository; resolves with what it wrote once it has ended, or once `until` is in it. */
const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'pipe' });
  let written = '';
  const heard = Promise.withResolvers<void>();
  const listen = (chunk: Buffer): void => {
    written += chunk.toString('utf8');
    if (written.includes('Ctrl-C stops it.')) heard.resolve();
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  return { child, ended, welcomed: Promise.race([heard.promise, ended]), text: () => written };
};

const variablesOf = (welcome: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...welcome.matchAll(/export (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

test('the example orders, renames, reinstalls and deletes a Mac; Ctrl-C ends the simulator with success', {
  timeout: 60_000,
}, async () => {
  const speed = /sim cloud (--speed \w+)`/.exec(PAGE)?.[1]?.split(' ') ?? [];
  assert.equal(speed.length, 2, 'the page names the speed');
  const simulator = start(['bin/macfleet.ts', 'sim', 'cloud', ...speed]);
  try {
    await simulator.welcomed;
    const example = start(['--input-type=module-typescript', '--eval', exampleOf(PAGE)], variablesOf(simulator.text()));
    assert.equal(await example.ended, 0, example.text());
    const outcome = ['ordered: ready', 'renamed: renamed', 'reinstalled: ready', 'deleted: 403'];
    assert.deepEqual(example.text().trim().split('\n'), outcome);
    for (const line of outcome) assert.ok(PAGE.includes(`\`${line}\``), `the page tells of "${line}"`);
  } finally {
    simulator.child.kill('SIGINT');
  }
  assert.equal(await simulator.ended, 0, simulator.text());
  assert.match(simulator.text(), /rename .* → "renamed" accepted by scaleway-sdk-js/);
});

test('the page tells of every fault of the dispatcher, in its own words', () => {
  const told = [...PAGE.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, id, story]) => [id, story]);
  const faults = Object.entries(DISPATCH_FAULTS).map(([id, { story }]) => [id, story]);
  assert.deepEqual(told.slice(-faults.length), faults);
});
