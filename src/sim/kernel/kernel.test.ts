import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { createKernel } from './kernel.ts';
import { createCounterWorld, GOAL, STORMY } from './testing/counter-world.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 3_600_000 };

/** The failure of a run and what caused it. */
const failureOf = async (
  run: Promise<unknown>,
): Promise<{ readonly failure: FleetError; readonly cause: FleetError }> => {
  const failure: unknown = await run.then(
    () => assert.fail('the run did not fail'),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof FleetError && failure.cause instanceof FleetError, String(failure));
  assert.equal(failure.code, 'SimulationFailed');
  return { failure, cause: failure.cause };
};

test('virtual time jumps from event to event, in order of time', async () => {
  const kernel = createKernel({ seed: 1 });
  const { clock } = kernel.actor('a');
  const seen: (readonly [string, number])[] = [];
  for (const [name, delayMs] of [
    ['late', 86_400_000],
    ['soon', 5],
    ['now', 0],
    ['fraction', 5.5],
  ] as const) {
    clock.schedule(delayMs, () => seen.push([name, clock.elapsed()]));
  }
  const { outcome, virtualMs } = await kernel.run({ maxEvents: 100, maxVirtualMs: 1e9 });
  assert.deepEqual(seen, [
    ['now', 0],
    ['soon', 5],
    ['fraction', 5.5],
    ['late', 86_400_000],
  ]);
  assert.deepEqual({ outcome, virtualMs }, { outcome: 'idle', virtualMs: 86_400_000 });
});

test('a timer taken back never fires and does not move the clock', async () => {
  const kernel = createKernel({ seed: 1 });
  const { clock } = kernel.actor('a');
  const cancel = clock.schedule(1_000, () => assert.fail('fired'));
  clock.schedule(10, cancel);
  assert.equal((await kernel.run(BOUNDS)).virtualMs, 10);
});

test('ties are broken differently by different seeds, alike by the same seed, and first come first served without choices', async () => {
  const orderWith = async (options: Parameters<typeof createKernel>[0]): Promise<string> => {
    const kernel = createKernel(options);
    let order = '';
    for (const letter of 'abcdefgh')
      kernel.actor(letter).clock.schedule(7, () => {
        order += letter;
      });
    await kernel.run(BOUNDS);
    return order;
  };
  const orders: string[] = [];
  for (let seed = 0; seed < 20; seed += 1) orders.push(await orderWith({ seed }));
  assert.ok(new Set(orders).size > 15, `20 seeds gave ${new Set(orders).size} orders`);
  assert.ok(new Set(orders.map((order) => order[0])).size > 3, 'the first event is always the same');
  assert.equal(await orderWith({ seed: 4 }), orders[4]);
  assert.equal(await orderWith({ seed: 4, replay: {} }), 'abcdefgh');
});

const chains: readonly { readonly story: string; readonly wait: () => Promise<void> }[] = [
  {
    story: '1,000 nested awaits',
    wait: async () => {
      const nest = async (depth: number): Promise<void> => (depth === 0 ? undefined : await nest(depth - 1));
      await nest(1_000);
    },
  },
  {
    story: '1,000 awaits in a row',
    wait: async () => {
      for (let at = 0; at < 1_000; at += 1) await null;
    },
  },
  {
    story: 'an async generator over an async generator',
    wait: async () => {
      async function* inner(): AsyncGenerator<number> {
        for (let at = 0; at < 500; at += 1) yield await Promise.resolve(at);
      }
      async function* outer(): AsyncGenerator<number> {
        for await (const value of inner()) yield value;
      }
      for await (const _ of outer());
    },
  },
  {
    story: 'ticks that queue microtasks that queue ticks',
    wait: async () => {
      for (let at = 0; at < 500; at += 1) {
        await new Promise<void>((resolve) => process.nextTick(() => queueMicrotask(resolve)));
      }
    },
  },
];
for (const { story, wait } of chains) {
  test(`every promise chain comes to rest before the next event: ${story}`, async () => {
    const kernel = createKernel({ seed: 1 });
    const seen: string[] = [];
    for (const at of [1, 2, 3]) {
      kernel.schedule(at, 'begin', () => {
        seen.push(`begin ${at}`);
        wait().then(() => seen.push(`end ${at}`), assert.fail);
      });
    }
    await kernel.run(BOUNDS);
    assert.deepEqual(seen, ['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });
}

test('a run ends at its bounds, at `until`, and goes on from there', async () => {
  const kernel = createKernel({ seed: 1 });
  const { clock } = kernel.actor('a');
  let ticks = 0;
  const tick = (): void => {
    ticks += 1;
    clock.schedule(10, tick);
  };
  clock.schedule(10, tick);
  const first = await kernel.run({ maxEvents: 3, maxVirtualMs: 1_000 });
  assert.deepEqual([first.outcome, first.events, ticks], ['max-events', 3, 3]);
  const second = await kernel.run({ maxEvents: 1_000, maxVirtualMs: 105 });
  assert.deepEqual([second.outcome, second.events, second.virtualMs], ['max-virtual-ms', 10, 135]);
  const third = await kernel.run({ maxEvents: 1_000, maxVirtualMs: 1_000, until: () => ticks === 20 });
  assert.deepEqual([third.outcome, third.virtualMs], ['until', 200]);
});

test('stormy and calm runs of one seed have equal hashes, twice here and once in another process', async () => {
  const run = async (seed: number, network = {}): Promise<string> => {
    const world = createCounterWorld('careful', { seed, network });
    const { traceHash } = await world.run();
    return traceHash;
  };
  for (const network of [{}, STORMY]) {
    for (let seed = 0; seed < 20; seed += 1) assert.equal(await run(seed, network), await run(seed, network));
  }
  assert.notEqual(await run(1), await run(2));
  const support = new URL('./testing/counter-world.ts', import.meta.url).href;
  const script = `import { createCounterWorld, STORMY } from ${JSON.stringify(support)};
    const world = createCounterWorld('careful', { seed: 9, network: STORMY });
    process.stdout.write((await world.run()).traceHash);`;
  const elsewhere = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(elsewhere, await run(9, STORMY));
});

test('a run replays from its choices alone; without them nothing goes wrong', async () => {
  const faults = STORMY;
  const original = createCounterWorld('naive', { seed: 11, network: faults });
  const { traceHash } = await original.run();
  const list = original.kernel.choices();
  const replayed = createCounterWorld('naive', { seed: 'ignored', network: faults, replay: list });
  assert.equal((await replayed.run()).traceHash, traceHash);
  assert.deepEqual(replayed.kernel.choices(), list);
  const calm = createCounterWorld('naive', { seed: 11, network: faults, replay: {} });
  await calm.run();
  assert.equal(calm.server.value, GOAL);
});

test('with the faults switched off, nothing fails any more', async () => {
  const kernel = createKernel({ seed: 1, network: { default: { faults: { 'fail-before': 1 } } } });
  const actor = kernel.actor('client');
  let failures = 0;
  actor.task('calls', async () => {
    while (kernel.nowMs() < 10_000) {
      await sleep(actor.clock, 100, neverAborted());
      await actor.call({ site: 'x', effect: () => undefined }).catch(() => {
        failures += 1;
      });
    }
  });
  await kernel.run({ maxEvents: 1_000, maxVirtualMs: 5_000 });
  const before = failures;
  kernel.setFaults('off');
  assert.ok(before > 10);
  await kernel.run(BOUNDS);
  assert.ok(failures <= before + 1, 'only the call under way may still fail');
});

test('a run prints its seed and every resolved number, and a failure its trace, choices and how to repeat it', async () => {
  const printed: string[] = [];
  const kernel = createKernel({
    seed: 42,
    network: { sites: { kube: { faults: { cut: 0.25 } } } },
    reproduce: 'npm run simulate -- --seed 42',
    print: (text) => printed.push(text),
  });
  kernel.schedule(3, 'boom', () => {
    throw new Error('the handler broke');
  });
  const { failure } = await failureOf(kernel.run(BOUNDS));
  assert.match(failure.message, /seed 42 .* 0\.003 s, .*the handler broke/);
  assert.equal(failure.hint, 'Reproduce: npm run simulate -- --seed 42');
  assert.match(printed[0] ?? '', /seed 42: .*"fail-after":0,.*"cut":0\.25/);
  assert.match(printed[1] ?? '', /world\s+boom\nchoices: \{.*\}\nreproduce: npm run simulate/s);
});

const failures: readonly { readonly story: string; readonly work: () => Promise<void>; readonly message: RegExp }[] = [
  {
    story: 'a task that rejects',
    work: () => Promise.reject(new Error('gave up')),
    message: /a\/work failed: gave up/,
  },
  {
    story: 'a rejection nobody handles',
    work: async () => {
      void Promise.reject(new Error('forgotten'));
    },
    message: /forgotten/,
  },
  {
    story: 'an exception in a microtask',
    work: async () =>
      queueMicrotask(() => {
        throw new Error('in a microtask');
      }),
    message: /in a microtask/,
  },
  {
    story: 'an exception in an abort listener',
    work: async () => {
      const controller = new AbortController();
      controller.signal.addEventListener('abort', () => {
        throw new Error('in a listener');
      });
      controller.abort();
    },
    message: /in a listener/,
  },
];
for (const { story, work, message } of failures) {
  test(`a run fails on ${story}, and the listeners of the process are put back`, async () => {
    const listeners = (): readonly unknown[] => [
      process.rawListeners('unhandledRejection'),
      process.rawListeners('uncaughtException'),
    ];
    const ours = (): void => undefined;
    process.on('unhandledRejection', ours).on('uncaughtException', ours);
    const before = listeners();
    const kernel = createKernel({ seed: 1 });
    const actor = kernel.actor('a');
    actor.daemon('work', work);
    kernel.schedule(1_000, 'later', () => kernel.note('too late'));
    const { failure, cause } = await failureOf(kernel.run(BOUNDS));
    assert.match(cause.message, message);
    assert.equal(failure.details['virtualMs'], 0, 'the run went on after the failure');
    assert.deepEqual(listeners(), before);
    process.off('unhandledRejection', ours).off('uncaughtException', ours);
  });
}

test('a check is tried after every event, when its promises have come to rest', async () => {
  const kernel = createKernel({ seed: 1 });
  const account = { debit: 0, credit: 0 };
  const transfer = (amount: number) => (): void => {
    account.debit += amount;
    Promise.resolve().then(() => {
      account.credit += amount === 13 ? 0 : amount;
    }, assert.fail);
  };
  for (const [delayMs, amount] of [
    [1, 5],
    [2, 13],
    [3, 1],
  ] as const)
    kernel.schedule(delayMs, 'transfer', transfer(amount));
  const check = (): void => assert.equal(account.debit, account.credit, 'money was lost');
  const { failure, cause } = await failureOf(kernel.run({ ...BOUNDS, check }));
  assert.match(cause.message, /money was lost/);
  assert.equal(failure.details['virtualMs'], 2);
});
