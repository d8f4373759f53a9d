/** Samples of code that touches the real world where it must not. */
import { testRule } from '../testing/test-rule.ts';
import { rawEffectsExcept } from './raw-effects.ts';

const rule = rawEffectsExcept({
  'src/base/clock.ts': { may: ['clock', 'timers'], because: 'the real clock' },
  'bin/': { may: ['process'], because: 'entry points' },
});

/** Keeps the entries above from being reported as stale. */
const ADAPTERS = {
  'src/base/clock.ts': 'Date.now(); setTimeout(run, 1);',
  'bin/a.ts': 'process.exit(0);',
};

const breaches = (
  code: string,
): { readonly files: Readonly<Record<string, string>>; readonly finds: readonly string[] } => ({
  files: { ...ADAPTERS, 'src/kube/a.ts': `${code}\n` },
  finds: ['src/kube/a.ts:1'],
});

const fine = (code: string, path = 'src/kube/a.ts'): ReturnType<typeof breaches> => ({
  files: { ...ADAPTERS, [path]: `${code}\n` },
  finds: [],
});

testRule(rule, [
  { story: 'the wall clock', ...breaches('const at = Date.now();') },
  { story: 'a date made of now', ...breaches('const at = new Date();') },
  { story: 'the monotonic clock', ...breaches('const at = performance.now();') },
  { story: 'a timer', ...breaches('setTimeout(run, 5);') },
  { story: 'a timer handed on as a value', ...breaches('const later = setTimeout;') },
  { story: 'a timer reached through globalThis', ...breaches('globalThis.setInterval(run, 5);') },
  { story: 'a timer inside a template', ...breaches('const x = `$' + '{setTimeout(run, 5)}`;') },
  { story: 'a signal with a timer of its own', ...breaches('AbortSignal.timeout(5);') },
  { story: 'turns of the event loop', ...breaches('setImmediate(run);') },
  { story: 'a random number', ...breaches('Math.random();') },
  { story: 'random bytes under their own name', ...breaches('const id = randomUUID();') },
  { story: 'fetch', ...breaches("await fetch('x');") },
  { story: 'a socket module', ...breaches("import { connect } from 'node:net';") },
  { story: 'an HTTP library', ...breaches("import { Pool } from 'undici';") },
  { story: 'a part of an HTTP library', ...breaches("import Pool from 'undici/lib/dispatcher/pool.js';") },
  { story: 'files, also imported late', ...breaches("const fs = await import('node:fs/promises');") },
  { story: 'a child process', ...breaches("import { spawn } from 'node:child_process';") },
  { story: 'the environment', ...breaches("const x = process.env['X'];") },
  { story: 'ending the process', ...breaches('process.exit(1);') },
  { story: 'the operating system', ...breaches("import { hostname } from 'node:os';") },
  { story: 'the console', ...breaches("console.log('x');") },
  { story: 'an object that dies with the garbage', ...breaches('new WeakRef(x);') },
  { story: "sorting by the machine's language", ...breaches('a.localeCompare(b);') },
  { story: 'asynchronous crypto', ...breaches('crypto.subtle.digest(x, y);') },
  { story: 'a conversion of a given time', ...fine('const text = new Date(atMs).toISOString();') },
  { story: 'parsing a time', ...fine('const at = Date.parse(text);') },
  { story: 'a member of the same name', ...fine('clock.now(); sim.process.exit; api.fetch(x); queue.setTimeout(5);') },
  { story: 'a variable called process with members of its own', ...fine('const f = (process: Sim) => process.name;') },
  { story: 'a property called like a global', ...fine('interface A { fetch: F; setTimeout?: T }') },
  { story: 'names in comments and strings', ...fine("// Date.now()\nconst x = 'Date.now() and setTimeout';") },
  { story: 'types of a socket module', ...fine("import type { Socket } from 'node:net';") },
  { story: 'synchronous hashing', ...fine("import { createHash } from 'node:crypto';") },
  { story: 'files in a test', ...fine("import { readFile } from 'node:fs/promises';", 'src/kube/a.test.ts') },
  { story: 'the clock in a tool', ...fine('const at = performance.now();', 'tools/a.ts') },
  {
    story: 'a test that waits for a real timer',
    files: { ...ADAPTERS, 'src/kube/a.test.ts': "import { setTimeout } from 'node:timers/promises';\n" },
    finds: ['src/kube/a.test.ts:1'],
  },
  {
    story: 'an adapter that does more than its entry says',
    files: { ...ADAPTERS, 'src/base/clock.ts': 'Date.now(); setTimeout(run, 1);\nMath.random();\n' },
    finds: ['src/base/clock.ts:2'],
  },
  {
    story: 'an entry for an adapter that no longer needs it',
    files: { ...ADAPTERS, 'src/base/clock.ts': 'Date.now();\n' },
    finds: ['src/base/clock.ts:1'],
  },
]);
