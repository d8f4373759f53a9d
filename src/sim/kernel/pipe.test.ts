import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import type { Actor } from './actor.ts';
import { createKernel, type Kernel, type KernelOptions } from './kernel.ts';
import type { Pipe } from './pipe.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 3_600_000 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads to the end and returns what was seen, chunks as text and the end as a word in brackets. */
const readAll = async ({ body }: Pipe): Promise<readonly string[]> => {
  const seen: string[] = [];
  try {
    for await (const chunk of body) seen.push(new TextDecoder().decode(chunk));
    return [...seen, '[end]'];
  } catch (error) {
    return [...seen, error instanceof FleetError ? `[${error.kind}]` : String(error)];
  }
};

interface Session {
  readonly kernel: Kernel;
  readonly pipe: Pipe;
  readonly hangUps: () => number;
  readonly seen: () => readonly string[] | undefined;
}

const openSession = (options: Partial<KernelOptions>, signal = neverAborted()): Session => {
  const kernel = createKernel({ seed: 1, ...options });
  const reader: Actor = kernel.actor('reader');
  let hangUps = 0;
  let seen: readonly string[] | undefined;
  const pipe = reader.pipe({
    site: 'watch',
    from: 'server',
    signal,
    onHangUp: () => {
      hangUps += 1;
    },
  });
  reader.daemon('read', async () => {
    seen = await readAll(pipe);
  });
  return { kernel, pipe, hangUps: () => hangUps, seen: () => seen };
};

test('chunks arrive in order whatever the latency and the seed, and the end comes last', async () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const { kernel, pipe, seen, hangUps } = openSession({
      seed,
      network: { default: { minLatencyMs: 0, maxLatencyMs: 5 } },
    });
    for (const letter of 'abcdef') pipe.sink.push(bytes(letter));
    kernel.schedule(3, 'more', () => {
      pipe.sink.push(bytes('g'));
      pipe.sink.end();
      pipe.sink.push(bytes('too late'));
    });
    await kernel.run(BOUNDS);
    assert.deepEqual(seen(), ['a', 'b', 'c', 'd', 'e', 'f', 'g', '[end]']);
    assert.equal(hangUps(), 0, 'the server ended the stream itself');
  }
});

test('a cut delivers a part of a chunk, then an error, and the server hears of it', async () => {
  const received = new Set<string>();
  for (let seed = 0; seed < 20; seed += 1) {
    const { kernel, pipe, seen, hangUps } = openSession({ seed, network: { default: { faults: { cut: 1 } } } });
    pipe.sink.push(bytes('line'));
    pipe.sink.push(bytes('never sent'));
    await kernel.run(BOUNDS);
    const [first = '', ...rest] = seen() ?? [];
    assert.deepEqual(first === '[unavailable]' ? [] : rest, first === '[unavailable]' ? [] : ['[unavailable]']);
    assert.equal(hangUps(), 1);
    received.add(first);
  }
  assert.deepEqual([...received].sort(), ['[unavailable]', 'l', 'li', 'lin', 'line'], 'every place to break is tried');
});

test('a split gives the same bytes in pieces', async () => {
  const { kernel, pipe, seen } = openSession({ seed: 3, network: { default: { faults: { split: 1 } } } });
  pipe.sink.push(bytes('half a line'));
  pipe.sink.end();
  await kernel.run(BOUNDS);
  const pieces = seen()?.slice(0, -1) ?? [];
  assert.equal(pieces.length, 2);
  assert.equal(pieces.join(''), 'half a line');
});

test('what arrives at the same time is one packet; what a freeze holds back does not come with it', async () => {
  const rows = [
    { story: 'nothing wrong', replay: {}, events: 2 },
    { story: 'frozen from the second on', replay: { 'fault watch by reader': [-1, 2] }, events: 3 },
  ];
  for (const { story, replay, events } of rows) {
    const { kernel, pipe } = openSession({
      replay,
      network: { default: { minLatencyMs: 5, maxLatencyMs: 5, lateMs: 60_000 } },
    });
    for (const letter of 'abc') pipe.sink.push(bytes(letter));
    assert.equal((await kernel.run(BOUNDS)).events, events, story);
  }
});

test('a freeze is silence: the chunk and all after it come late, in order', async () => {
  const replay = { 'fault watch by reader': [-1, 2] };
  const { kernel, pipe, seen } = openSession({ replay, network: { default: { lateMs: 60_000 } } });
  for (const letter of 'abc') pipe.sink.push(bytes(letter));
  await kernel.run({ ...BOUNDS, maxVirtualMs: 59_000 });
  assert.equal(seen(), undefined);
  pipe.sink.end();
  const { virtualMs } = await kernel.run(BOUNDS);
  assert.deepEqual(seen(), ['a', 'b', 'c', '[end]']);
  assert.ok(virtualMs >= 60_000);
});

const endings: readonly {
  readonly story: string;
  readonly act: (session: Session, controller: AbortController) => void;
  readonly seen: readonly string[] | undefined;
  readonly hangUps: number;
}[] = [
  { story: 'the server fails', act: ({ pipe }) => pipe.sink.fail('gone'), seen: ['a', '[unavailable]'], hangUps: 0 },
  {
    story: 'the server is killed',
    act: ({ kernel }) => kernel.kill('server'),
    seen: ['a', '[unavailable]'],
    hangUps: 0,
  },
  { story: 'the reader aborts', act: (_, controller) => controller.abort(), seen: ['a', '[cancelled]'], hangUps: 1 },
  { story: 'the reader gives up', act: ({ pipe }) => void pipe.body.return?.(), seen: ['a', '[end]'], hangUps: 1 },
  { story: 'the reader is killed', act: ({ kernel }) => kernel.kill('reader'), seen: undefined, hangUps: 1 },
];
for (const { story, act, seen, hangUps } of endings) {
  test(`a stream ends when ${story}`, async () => {
    const controller = new AbortController();
    const session = openSession({}, controller.signal);
    session.pipe.sink.push(bytes('a'));
    session.kernel.schedule(100, story, () => act(session, controller));
    session.kernel.schedule(200, 'push', () => session.pipe.sink.push(bytes('into the void')));
    await session.kernel.run(BOUNDS);
    assert.deepEqual(session.seen(), seen);
    assert.equal(session.hangUps(), hangUps);
  });
}

test('after the end nothing more is read, and giving the stream up is no news to a server that ended it', async () => {
  for (const ending of ['end', 'fail'] as const) {
    const { kernel, pipe, hangUps } = openSession({});
    if (ending === 'end') pipe.sink.end();
    else pipe.sink.fail('gone');
    await kernel.run(BOUNDS);
    assert.deepEqual(await pipe.body.next(), { done: true, value: undefined });
    await pipe.body.return?.();
    await kernel.run(BOUNDS);
    assert.equal(hangUps(), 0);
  }
});

test('an abort forgets what arrived and was not read', async () => {
  const kernel = createKernel({ seed: 1 });
  const controller = new AbortController();
  const pipe = kernel.actor('reader').pipe({ site: 'watch', signal: controller.signal });
  pipe.sink.push(bytes('a'));
  pipe.sink.end();
  await kernel.run(BOUNDS);
  controller.abort();
  assert.deepEqual(await readAll(pipe), ['[cancelled]']);
});

test('nothing reaches a paused reader until its pause is over', async () => {
  const { kernel, pipe, seen } = openSession({});
  kernel.pause('reader', 1_000);
  pipe.sink.push(bytes('a'));
  pipe.sink.end();
  await kernel.run({ ...BOUNDS, maxVirtualMs: 999 });
  assert.equal(seen(), undefined);
  await kernel.run(BOUNDS);
  assert.deepEqual(seen(), ['a', '[end]']);
});
