/**
 * What the runtime counts, under the names controller-runtime gave these things, so that dashboards and alerts of an
 * existing fleet keep working; what it does not know is `macfleet_*`.
 */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { CacheMetrics } from '../cache/cache.ts';
import type { ControllerMetrics } from '../controller/controller.ts';
import type { QueueMetrics } from '../queue/work-queue.ts';

export interface RuntimeMetrics {
  readonly registry: Registry;
  readonly cache: CacheMetrics;
  controller(name: string): ControllerMetrics;
  requested(request: { readonly method: string; readonly host: string; readonly code: string }): void;
  leading(lease: string, state: 'leader' | 'standby'): void;
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120];

export const createRuntimeMetrics = (registry: Registry = new Registry()): RuntimeMetrics => {
  const registers = [registry];
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server by method, host and status code.',
    labelNames: ['code', 'method', 'host'],
    registers,
  });
  const leader = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the lease: 1 it leads, 0 it stands by.',
    labelNames: ['name'],
    registers,
  });
  const relists = new Counter({
    name: 'macfleet_cache_relists_total',
    help: 'Whole lists read by a cache, by resource and by why.',
    labelNames: ['resource', 'cause'],
    registers,
  });
  const handlerErrors = new Counter({
    name: 'macfleet_cache_handler_errors_total',
    help: 'Handlers of cache changes that threw.',
    labelNames: ['resource'],
    registers,
  });
  const queueFor = createQueueMetrics(registry);
  const passesFor = createPassMetrics(registry);
  return {
    registry,
    cache: {
      relisted: (resource, cause) => relists.inc({ resource, cause }),
      handlerFailed: (resource) => handlerErrors.inc({ resource }),
    },
    controller: (name) => ({ queue: queueFor(name), ...passesFor(name) }),
    requested: ({ method, host, code }) => requests.inc({ method, host, code }),
    leading: (name, state) => leader.set({ name }, state === 'leader' ? 1 : 0),
  };
};

const createQueueMetrics = (registry: Registry): ((name: string) => QueueMetrics) => {
  const labelNames = ['name'];
  const registers = [registry];
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys ready to be worked on.', labelNames, registers });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', labelNames, registers });
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Keys that failed.', labelNames, registers });
  const waited = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key was ready before work on it began.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  const worked = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long work on a key took.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  return (name) => ({
    added: () => adds.inc({ name }),
    depth: (keys) => depth.set({ name }, keys),
    started: (seconds) => waited.observe({ name }, seconds),
    finished: (seconds) => worked.observe({ name }, seconds),
    retried: () => retries.inc({ name }),
  });
};

const createPassMetrics = (registry: Registry): ((controller: string) => Omit<ControllerMetrics, 'queue'>) => {
  const labelNames = ['controller'];
  const registers = [registry];
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconcile passes by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconcile passes that failed.',
    labelNames,
    registers,
  });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a reconcile pass took.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconcile passes under way.',
    labelNames,
    registers,
  });
  return (controller) => ({
    reconciled: (result, seconds) => {
      total.inc({ controller, result });
      if (result === 'error') errors.inc({ controller });
      time.observe({ controller }, seconds);
    },
    active: (passes) => active.set({ controller }, passes),
  });
};
