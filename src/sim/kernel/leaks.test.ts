/** Real clocks, timers, randomness and I/O inside a simulation are found, named, and fail the run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import nodeCrypto, {
  createHash,
  generateKeyPairSync,
  pbkdf2,
  pbkdf2Sync,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import test from 'node:test';
import { setTimeout as sleepReally } from 'node:timers/promises';
import { gzip, gzipSync } from 'node:zlib';
import { FleetError } from '../../base/errors.ts';
import { createKernel, type KernelOptions } from './kernel.ts';
import type { RunOptions } from './run.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 3_600_000 };

/** Runs `work` in an actor and returns what failed the run, if anything did. */
const causeOf = async (
  work: () => unknown,
  options: Partial<KernelOptions> & Partial<RunOptions> = {},
): Promise<FleetError | undefined> => {
  const kernel = createKernel({ seed: 1, ...options });
  kernel.actor('suspect').task('work', async () => {
    await work();
  });
  const failure: unknown = await kernel.run({ ...BOUNDS, ...options }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) return undefined;
  assert.ok(failure instanceof FleetError && failure.cause instanceof FleetError, String(failure));
  return failure.cause;
};

const leaks: readonly { readonly story: string; readonly work: () => unknown; readonly type: string }[] = [
  { story: 'reading a file', work: () => readFile(import.meta.filename), type: 'FSREQ' },
  { story: 'looking at a file', work: () => stat(import.meta.filename), type: 'FSREQPROMISE' },
  {
    story: 'a real timer',
    work: () =>
      new Promise((resolve) => {
        setTimeout(resolve, 1);
      }),
    type: 'Timeout',
  },
  { story: 'a real timer from a module', work: () => sleepReally(1), type: 'Timeout' },
  {
    story: 'a real immediate',
    work: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
    type: 'Immediate',
  },
  { story: 'a signal with a real timeout', work: () => AbortSignal.timeout(1), type: 'Timeout' },
  {
    story: 'a socket',
    work: () => connect({ port: 1, host: '127.0.0.1' }).on('error', () => undefined),
    type: 'TCPWRAP',
  },
  { story: 'a name lookup', work: () => lookup('localhost'), type: 'GETADDRINFOREQWRAP' },
  {
    story: 'a child process',
    work: () => {
      execFile(process.execPath, ['--version']);
    },
    type: 'PROCESSWRAP',
  },
  {
    story: 'a crypto job on another thread',
    work: () => {
      pbkdf2('a', 'b', 1, 8, 'sha256', () => undefined);
    },
    type: 'PBKDF2REQUEST',
  },
  { story: 'web crypto', work: () => crypto.subtle.digest('SHA-256', new Uint8Array(4)), type: 'HASHREQUEST' },
  { story: 'random bytes', work: () => randomBytes(8), type: 'RANDOMBYTESREQUEST' },
  {
    story: 'compression on another thread',
    work: () => {
      gzip('abc', () => undefined);
    },
    type: 'ZLIB',
  },
];
for (const { story, work, type } of leaks) {
  test(`${story} is found and its place is named`, async () => {
    const cause = await causeOf(work);
    assert.equal(cause?.code, 'SimulationLeak');
    assert.ok(String(cause.details['type']).startsWith(type), String(cause.details['type']));
    assert.match(cause.message, /leaks\.test\.ts/);
    assert.match(String(cause.details['stack']), /leaks\.test\.ts/);
  });
}

test('a leak is found although the code that leaks goes on and finishes', async () => {
  const cause = await causeOf(() => {
    setTimeout(() => undefined, 0).unref();
  });
  assert.equal(cause?.code, 'SimulationLeak');
});

test('synchronous crypto and compression, promises, ticks and microtasks are no leaks', async () => {
  const work = async (): Promise<void> => {
    createHash('sha256').update('a').digest();
    pbkdf2Sync('a', 'b', 1, 8, 'sha256');
    sign(null, Buffer.from('a'), generateKeyPairSync('ed25519').privateKey);
    gzipSync('abc');
    await new Promise<void>((resolve) => process.nextTick(resolve));
    await new Promise<void>((resolve) => queueMicrotask(resolve));
    for await (const _ of new ReadableStream({ start: (controller) => controller.close() }));
  };
  assert.equal(await causeOf(work), undefined);
});

test('a resource type can be allowed for a run', async () => {
  assert.equal(await causeOf(() => AbortSignal.timeout(1), { allowedResources: ['Timeout'] }), undefined);
});

test('a promise that nobody settles stops the run, with the name of the task and where it was started', async () => {
  const cause = await causeOf(() => new Promise(() => undefined));
  assert.equal(cause?.code, 'SimulationStalled');
  assert.match(cause.message, /suspect\/work/);
  assert.match(String(cause.details['startedAt']), /leaks\.test\.ts/);
});

test('a daemon may wait for ever, and so may whatever was killed', async () => {
  const kernel = createKernel({ seed: 1 });
  kernel.actor('server').daemon('serve', () => new Promise(() => undefined));
  kernel.actor('victim').task('work', () => new Promise(() => undefined));
  kernel.schedule(1, 'kill', () => kernel.kill('victim'));
  assert.equal((await kernel.run(BOUNDS)).outcome, 'idle');
});

const globals: readonly { readonly name: string; readonly work: () => unknown }[] = [
  { name: 'Date.now', work: () => Date.now() },
  { name: 'new Date()', work: () => new Date() },
  { name: 'Date()', work: () => Date() },
  { name: 'Math.random', work: () => Math.random() },
  { name: 'performance.now', work: () => performance.now() },
  { name: 'process.hrtime', work: () => process.hrtime() },
  { name: 'process.hrtime.bigint', work: () => process.hrtime.bigint() },
  { name: 'setTimeout', work: () => setTimeout(() => undefined, 0) },
  { name: 'setInterval', work: () => clearInterval(setInterval(() => undefined, 1)) },
  { name: 'setImmediate', work: () => setImmediate(() => undefined) },
  { name: 'fetch', work: () => fetch('http://127.0.0.1:9/') },
  { name: 'AbortSignal.timeout', work: () => AbortSignal.timeout(1) },
  { name: 'crypto.randomUUID', work: () => crypto.randomUUID() },
  { name: 'crypto.getRandomValues', work: () => crypto.getRandomValues(new Uint8Array(1)) },
  { name: 'crypto.randomUUID', work: () => randomUUID() },
  { name: 'crypto.randomBytes', work: () => randomBytes(1) },
  { name: 'crypto.randomInt', work: () => nodeCrypto.randomInt(5) },
];
for (const { name, work } of globals) {
  test(`with guarded globals, ${name} fails the run even when the error is swallowed`, async () => {
    const swallow = async (): Promise<void> => {
      try {
        await work();
      } catch {
        return;
      }
    };
    const cause = await causeOf(swallow, { guardGlobals: {} });
    assert.equal(cause?.code, 'SimulationLeak');
    assert.equal(cause.message, `${name} was called inside the simulation`);
    assert.match(String(cause.details['stack']), /leaks\.test\.ts/);
  });
}

test('with guarded globals, a date from a number stays, and everything is put back after a failure', async () => {
  const before = [Date, Date.now, Math.random, setTimeout, fetch, process.hrtime, randomUUID, crypto.randomUUID];
  const convert = (): void => assert.equal(new Date(0).toISOString(), '1970-01-01T00:00:00.000Z');
  assert.equal(await causeOf(convert, { guardGlobals: {} }), undefined);
  assert.equal((await causeOf(() => Date.now(), { guardGlobals: {} }))?.code, 'SimulationLeak');
  const after = [Date, Date.now, Math.random, setTimeout, fetch, process.hrtime, randomUUID, crypto.randomUUID];
  for (const [at, value] of before.entries()) assert.equal(after[at], value);
  assert.ok(new Date() instanceof Date);
  assert.equal(Object.hasOwn(crypto, 'randomUUID'), false, 'what was inherited is inherited again');
});

test('with guarded globals, a caller that is allowed gets the real thing', async () => {
  const readClock = (): number => Date.now();
  assert.equal(await causeOf(readClock, { guardGlobals: { allow: /readClock/ } }), undefined);
  assert.equal((await causeOf(readClock, { guardGlobals: { allow: /readAnother/ } }))?.code, 'SimulationLeak');
});
