/**
 * A small world to try the controller runtime in: widgets in an API, a press outside of it that makes one piece per
 * widget, and managers that may be killed, frozen and cut off. It stands for what the provider does with Macs: intent
 * stored first, effect outside, status after, finalizer until the piece is scrapped.
 */
import assert from 'node:assert/strict';
import { neverAborted } from '../src/base/abort.ts';
import { toTimestamp } from '../src/base/clock.ts';
import { createCache } from '../src/kube/cache/cache.ts';
import { createKubeClient } from '../src/kube/client/create-client.ts';
import { createController, watchPrimary } from '../src/kube/controller/controller.ts';
import { createEventRecorder } from '../src/kube/controller/events.ts';
import { type Lifecycle, reconcileLifecycle, type Step } from '../src/kube/controller/lifecycle.ts';
import { done, wait } from '../src/kube/controller/outcome.ts';
import { createLeaderLease, type LeaderLease } from '../src/kube/manager/leader-lease.ts';
import { createManager } from '../src/kube/manager/manager.ts';
import { WIDGET_COLLECTION, WIDGETS, type Widget } from '../src/kube/testing/harness.ts';
import { MemoryApi } from '../src/kube/testing/memory-api.ts';
import type { Actor } from '../src/sim/kernel/actor.ts';
import { createKernel, type KernelOptions } from '../src/sim/kernel/kernel.ts';
import { createSimTransport } from '../src/sim/kernel/sim-transport.ts';

const FINALIZER = 'example.com/press';
const LEASE = { namespace: 'kube-system', name: 'widgets' };
const WIDGET_PATH = '/apis/example.com/v1/namespaces/ns/widgets';

export interface WorldOptions extends KernelOptions {
  readonly managers: readonly string[];
  /** A controller with a known bug, to see that the checks find it. */
  readonly mutant?: 'acts-before-intent' | 'forgets-to-scrap' | 'acts-without-permit';
}

export type World = ReturnType<typeof createWorld>;

export const createWorld = (options: WorldOptions) => {
  const kernel = createKernel(options);
  const api = new MemoryApi(() => toTimestamp(1_767_225_600_000 + kernel.nowMs()));
  const press = createPress(api);
  const leases = new Map<string, LeaderLease>();

  const keepBookmarks = (): void => {
    api.bookmarkAll();
    kernel.schedule(20_000, 'bookmarks', keepBookmarks);
  };
  keepBookmarks();

  for (const name of options.managers) {
    kernel.boot(name, (actor) => runWidgetManager({ actor, api, press, leases, mutant: options.mutant }));
  }

  const widgets = (): readonly Widget[] => api.objects(WIDGET_COLLECTION);
  return {
    kernel,
    api,
    press,
    widgets,
    leader: (): string | undefined => [...leases].find(([, lease]) => lease.isHeld())?.[0],
    create: (name: string, size: number) =>
      api.handle({ method: 'POST', path: WIDGET_PATH, body: JSON.stringify({ metadata: { name }, spec: { size } }) }),
    remove: (name: string) => api.handle({ method: 'DELETE', path: `${WIDGET_PATH}/${name}` }),
    /** What must hold after every single event. */
    check: () => {
      if (press.violation !== undefined) assert.fail(press.violation);
      const serials = new Set(widgets().map(({ spec }) => spec?.serial));
      for (const serial of press.pieces.keys()) {
        assert.ok(serials.has(serial), `piece ${serial} is left behind: no widget knows of it`);
      }
    },
    isConverged: () =>
      widgets().every(
        ({ metadata, spec, status }) => metadata.deletionTimestamp === undefined && status?.built === spec?.size,
      ) && press.pieces.size === widgets().length,
  };
};

interface Press {
  readonly pieces: Map<string, string>;
  violation: string | undefined;
  make(serial: string, widget: string): void;
  scrap(serial: string): void;
}

/** Makes pieces, and remembers the first promise that was broken. A serial that was scrapped is never made again. */
const createPress = (api: MemoryApi): Press => {
  const scrapped = new Set<string>();
  const press: Press = {
    pieces: new Map(),
    violation: undefined,
    make: (serial, widget) => {
      if (scrapped.has(serial)) return;
      const stored: Widget | undefined = api
        .objects(WIDGET_COLLECTION)
        .find(({ metadata }) => metadata.name === widget);
      if (stored?.spec?.serial !== serial) press.violation ??= `piece ${serial} made before its intent was stored`;
      if (!stored?.metadata.finalizers?.includes(FINALIZER))
        press.violation ??= `piece ${serial} made before the finalizer`;
      press.pieces.set(serial, widget);
    },
    scrap: (serial) => {
      scrapped.add(serial);
      press.pieces.delete(serial);
    },
  };
  return press;
};

interface ManagerParts {
  readonly actor: Actor;
  readonly api: MemoryApi;
  readonly press: Press;
  readonly leases: Map<string, LeaderLease>;
  readonly mutant: WorldOptions['mutant'];
}

/** One life of a manager: it runs until it loses the lease, then starts over as a new process would. */
const runWidgetManager = async (parts: ManagerParts): Promise<void> => {
  const { actor, api, leases } = parts;
  const { clock, random, logger, ids } = actor;
  const transport = createSimTransport({ actor, server: (request) => api.handle(request) });
  const client = createKubeClient({ transport, clock, random, logger });
  for (let term = 0; ; term += 1) {
    const identity = `${actor.name}-${actor.epoch}-${term}`;
    const lease = createLeaderLease({ client, clock, random, logger, lease: LEASE, identity });
    leases.set(actor.name, lease);
    const cache = createCache<Widget>({ client, clock, random, logger, resource: WIDGETS });
    const events = createEventRecorder({ client, clock, ids, logger, component: 'press', signal: neverAborted() });
    const steps = widgetSteps(parts, lease);
    const reconcile = reconcileLifecycle({ cache, events, finalizer: FINALIZER, ...steps });
    const controller = createController({ name: 'widgets', watches: [watchPrimary(cache)], reconcile });
    const manager = createManager({
      name: 'widgets',
      client,
      clock,
      random,
      logger,
      caches: [cache],
      controllers: [controller],
      events,
      lease,
    });
    await manager.run(neverAborted()).catch((error: unknown) => logger.info('Term ended', { error: String(error) }));
  }
};

const widgetSteps = (
  { actor, press, leases, mutant }: ManagerParts,
  lease: LeaderLease,
): Pick<Lifecycle<Widget>, 'up' | 'down'> => {
  const call = (site: string, effect: () => void, signal: AbortSignal): Promise<void> => {
    if (mutant !== 'acts-without-permit') lease.permit();
    const other = [...leases].find(([name, held]) => name !== actor.name && held.isHeld());
    if (other !== undefined) press.violation ??= `${actor.name} acts while ${other[0]} leads`;
    return actor.call({ site, signal, effect: async () => effect() });
  };
  const intend: Step<Widget>['run'] = async ({ spec }) =>
    spec?.serial === undefined && mutant !== 'acts-before-intent'
      ? wait<Widget>(0, { spec: { serial: actor.ids.uuid() } })
      : done();
  const make: Step<Widget>['run'] = async ({ metadata, spec }, { signal }) => {
    const serial = spec?.serial ?? actor.ids.uuid();
    await call('press:make', () => press.make(serial, metadata.name), signal);
    return done<Widget>({ spec: { serial }, status: { built: spec?.size } });
  };
  const scrap: Step<Widget>['run'] = async ({ spec }, { signal }) => {
    const { serial } = spec ?? {};
    if (serial !== undefined && mutant !== 'forgets-to-scrap')
      await call('press:scrap', () => press.scrap(serial), signal);
    return done();
  };
  return {
    up: [
      { name: 'intend', condition: 'Ordered', run: intend },
      { name: 'make', condition: 'Made', run: make },
    ],
    down: [{ name: 'scrap', condition: 'Made', run: scrap }],
  };
};
