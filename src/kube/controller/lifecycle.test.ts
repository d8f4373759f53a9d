import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cancelled, FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createCache } from '../cache/cache.ts';
import { createHarness, type HarnessOptions, WIDGET_COLLECTION, WIDGETS, type Widget } from '../testing/harness.ts';
import { type Controller, createController, watchPrimary } from './controller.ts';
import { createEventRecorder } from './events.ts';
import { type Lifecycle, reconcileLifecycle } from './lifecycle.ts';
import { done, type StepResult, stop, wait } from './outcome.ts';

const FINALIZER = 'example.com/widget';
const WIDGET_PATH = '/apis/example.com/v1/namespaces/ns/widgets';

interface Scene extends HarnessOptions {
  readonly up?: Lifecycle<Widget>['up'][number]['run'];
  readonly down?: Lifecycle<Widget>['down'][number]['run'];
  readonly gate?: Lifecycle<Widget>['gate'];
  readonly read?: Lifecycle<Widget>['read'];
  readonly permit?: () => void;
  readonly passTimeoutMs?: number;
}

const built = (widget: Widget): StepResult<Widget> =>
  done({
    status: { built: widget.spec?.size ?? 0 },
    condition: { type: 'Built', status: 'True', reason: 'Built', message: '' },
    events: [{ type: 'Normal', reason: 'Built', message: `Built size ${widget.spec?.size}` }],
  });

const play = (scene: Scene = {}) => {
  const harness = createHarness(scene);
  const { client, clock, random, ids, stop: stopper } = harness;
  const cache = createCache<Widget>({ client, clock, random, logger: silentLogger, resource: WIDGETS });
  const events = createEventRecorder({
    client,
    clock,
    ids,
    logger: silentLogger,
    component: 'test',
    signal: stopper.signal,
  });
  const lifecycle: Lifecycle<Widget> = {
    cache,
    events,
    finalizer: FINALIZER,
    up: [{ name: 'build', condition: 'Built', run: scene.up ?? (async (widget) => built(widget)) }],
    down: [{ name: 'scrap', condition: 'Built', run: scene.down ?? (async () => done()) }],
    summary: { type: 'Ready', of: ['Built'] },
    ...(scene.gate === undefined ? {} : { gate: scene.gate }),
    ...(scene.read === undefined ? {} : { read: scene.read }),
  };
  const controller: Controller = createController({
    name: 'widgets',
    watches: [watchPrimary(cache)],
    reconcile: reconcileLifecycle(lifecycle),
    ...(scene.passTimeoutMs === undefined ? {} : { passTimeoutMs: scene.passTimeoutMs }),
  });
  const deps = { client, clock, random, logger: silentLogger, permit: scene.permit ?? (() => undefined) };
  const running = [cache.run(stopper.signal), controller.run(deps, stopper.signal)];
  const stored = (): Widget | undefined => harness.api.objects(WIDGET_COLLECTION)[0];
  const writes = () => harness.api.writes.filter(({ path }) => path.includes('/widgets/'));
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await harness.advance(0);
  };
  return { ...harness, cache, stored, writes, settle, running };
};

describe('a reconcile', () => {
  it('stores the finalizer before its first effect', async () => {
    const finalizersAtEffect: unknown[] = [];
    const scene = play({
      up: async (widget) => {
        finalizersAtEffect.push(scene.stored()?.metadata.finalizers);
        return built(widget);
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    assert.deepEqual(finalizersAtEffect[0], [FINALIZER]);
  });

  it('saves its findings once, and a converged object costs no write at all', async () => {
    const scene = play();
    await scene.create('a', { size: 3 });
    await scene.settle();
    assert.deepEqual(
      scene.writes().map(({ method, path }) => `${method} ${path.split('?')[0]?.split('/widgets/')[1]}`),
      ['PATCH a', 'PATCH a/status'],
    );
    assert.equal(scene.stored()?.status?.built, 3);
    for (let hour = 0; hour < 3; hour += 1) await scene.advance(3_600_000);
    assert.equal(scene.writes().length, 2);
  });

  it('computes Ready out of the conditions that the steps own', async () => {
    const scene = play();
    await scene.create('a', { size: 3 });
    await scene.settle();
    assert.deepEqual(
      scene.stored()?.status?.conditions?.map(({ type, status }) => `${type}=${status}`),
      ['Ready=True', 'Built=True'],
    );
  });

  it('never stores what was decided on a stale copy: a conflict makes it look again', async () => {
    let passes = 0;
    const scene = play({
      up: async (widget) => {
        passes += 1;
        if (passes === 1) await scene.resize('a', 9);
        return built(widget);
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    await scene.settle();
    assert.equal(scene.stored()?.status?.built, 9);
    assert.ok(scene.writes().some(({ status }) => status === 409));
  });

  it('reports an error in the condition of the step, as the table of kinds says, and tells it once as an event', async () => {
    const scene = play({
      up: async () => {
        throw new FleetError('unavailable', { code: 'PressAway', message: 'the press does not answer', hint: 'Wait.' });
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    for (let minute = 0; minute < 4; minute += 1) await scene.advance(60_000);
    const condition = scene.stored()?.status?.conditions?.find(({ type }) => type === 'Built');
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['Unknown', 'PressAway', 'the press does not answer. Wait.'],
    );
    const events = scene.api.objects('/api/v1/events');
    assert.equal(events.length, 1);
    assert.equal(events[0]?.['reason'], 'PressAway');
  });

  it('tries again at once when the wish of a failing object changes', async () => {
    let passes = 0;
    const scene = play({
      up: async () => {
        passes += 1;
        throw new FleetError('denied', { code: 'PressLocked', message: 'no key' });
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    const before = passes;
    await scene.settle();
    assert.equal(passes, before);
    await scene.resize('a', 4);
    await scene.settle();
    assert.ok(passes > before);
  });

  it('tells nothing that was not stored', async () => {
    let isRefused = true;
    const scene = play({
      intercept: ({ path }) => {
        if (isRefused && path.includes('/status')) {
          throw new FleetError('denied', { code: 'Forbidden', message: 'no' });
        }
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    assert.equal(scene.api.objects('/api/v1/events').length, 0);
    isRefused = false;
    await scene.advance(60_000);
    await scene.settle();
    assert.equal(scene.api.objects('/api/v1/events').length, 1);
  });

  it('mends what an older writer left in the status, and only there', async () => {
    const scene = play({
      read: (stored) => ({
        ...stored,
        spec: { size: 1, ...stored.spec },
        status: { ...stored.status, conditions: (stored.status?.conditions ?? []).filter(({ reason }) => reason) },
      }),
      up: async () => done(),
    });
    await scene.create('a');
    const old = { conditions: [{ type: 'Built', status: 'True', severity: 'Info' }] };
    scene.api.handle({ method: 'PATCH', path: `${WIDGET_PATH}/a/status`, body: JSON.stringify({ status: old }) });
    await scene.settle();
    const specWrites = scene.writes().filter(({ body }) => JSON.stringify(body).includes('"spec"'));
    assert.deepEqual(specWrites, []);
    assert.ok(scene.stored()?.status?.conditions?.every(({ reason }) => reason !== undefined));
  });

  it('leaves an object alone that its gate holds back, down to the finalizer', async () => {
    const scene = play({ gate: async () => stop() });
    await scene.create('a', { size: 3 });
    await scene.settle();
    assert.deepEqual(scene.writes(), []);
  });

  it('keeps the finalizer until the last step down is done', async () => {
    let isScrapped = false;
    const scene = play({ down: async () => (isScrapped ? done() : wait(10_000)) });
    await scene.create('a', { size: 3 });
    await scene.settle();
    await scene.remove('a');
    await scene.settle();
    assert.deepEqual(scene.stored()?.metadata.finalizers, [FINALIZER]);
    isScrapped = true;
    await scene.advance(10_000);
    await scene.settle();
    assert.equal(scene.stored(), undefined);
  });

  it('does nothing for a deleted object that it never held', async () => {
    const scene = play({ gate: async (widget) => (widget.metadata.deletionTimestamp ? undefined : stop()) });
    const signal = scene.stop.signal;
    await scene.client.create(
      WIDGETS,
      { metadata: { namespace: 'ns', name: 'a', finalizers: ['of/another'] } },
      { signal },
    );
    await scene.remove('a');
    await scene.settle();
    assert.deepEqual(
      scene.writes().map(({ method }) => method),
      ['DELETE'],
    );
  });

  it('writes nothing once leadership is gone, not even in a pass under way', async () => {
    let isLeading = true;
    const scene = play({
      permit: () => {
        if (!isLeading) throw cancelled();
      },
      up: async (widget) => {
        isLeading = false;
        return built(widget);
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    assert.equal(scene.stored()?.status, undefined);
  });

  it('has a deadline, and the same key is not worked on twice meanwhile', async () => {
    let under = 0;
    let most = 0;
    const scene = play({
      passTimeoutMs: 5_000,
      up: async (_, { signal }) => {
        under += 1;
        most = Math.max(most, under);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        under -= 1;
        throw cancelled();
      },
    });
    await scene.create('a', { size: 3 });
    await scene.settle();
    for (let second = 0; second < 30; second += 1) await scene.advance(1_000);
    const condition = scene.stored()?.status?.conditions;
    assert.equal(most, 1);
    assert.equal(condition, undefined);
  });
});
