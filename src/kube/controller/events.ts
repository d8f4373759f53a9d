/**
 * Kubernetes Events: what just happened, told after it was saved. The same thing said again is counted instead of
 * repeated, and no event ever delays or fails a reconcile.
 */
import { type Clock, toTimestamp } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { KubeClient } from '../client/client.ts';
import { EVENTS } from '../types/core.ts';
import type { KubeObject } from '../types/meta.ts';
import { apiVersionOf, type Resource } from '../types/resource.ts';
import type { EventReport } from './outcome.ts';

export interface EventRecorder {
  publish(resource: Resource<KubeObject>, subject: KubeObject, reports: readonly EventReport[]): void;
  /** Settles when everything published so far was sent or given up. */
  flush(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** `source.component`, which runbooks and alerts select on. */
  readonly component: string;
  readonly signal: AbortSignal;
}

/** The same event within this time is only counted. */
const REPEAT_QUIET_MS = 300_000;
const REMEMBERED_MAX = 2_000;
const WAITING_MAX = 500;

interface Told {
  readonly name: string;
  readonly namespace: string;
  readonly firstMs: number;
  count: number;
  writtenMs: number;
}

export const createEventRecorder = (options: EventRecorderOptions): EventRecorder => {
  const told = new Map<string, Told>();
  let tail = Promise.resolve();
  let waiting = 0;

  const send = (write: () => Promise<unknown>): void => {
    if (waiting >= WAITING_MAX) return;
    waiting += 1;
    tail = tail.then(write).then(
      () => {
        waiting -= 1;
      },
      (error: unknown) => {
        waiting -= 1;
        options.logger.debug('Event was not stored', { error });
      },
    );
  };

  const publishOne = (resource: Resource<KubeObject>, subject: KubeObject, report: EventReport): void => {
    const nowMs = options.clock.now();
    const identity = [subject.metadata.uid, report.type, report.reason, report.message].join('\n');
    const earlier = told.get(identity);
    if (earlier === undefined) {
      const entry = remember(told, identity, firstTelling(subject, nowMs, options.ids));
      send(() => createEvent(options, { resource, subject, report, entry }));
      return;
    }
    earlier.count += 1;
    if (nowMs - earlier.writtenMs < REPEAT_QUIET_MS) return;
    earlier.writtenMs = nowMs;
    send(() => countEvent(options, earlier));
  };

  return {
    publish: (resource, subject, reports) => {
      for (const report of reports) publishOne(resource, subject, report);
    },
    flush: () => tail,
  };
};

const firstTelling = ({ metadata }: KubeObject, nowMs: number, ids: Ids): Told => ({
  name: `${metadata.name.slice(0, 240)}.${ids.suffix(10)}`,
  namespace: metadata.namespace ?? 'default',
  firstMs: nowMs,
  count: 1,
  writtenMs: nowMs,
});

/** The oldest is forgotten first: a Map keeps the order of insertion. */
const remember = (told: Map<string, Told>, identity: string, entry: Told): Told => {
  told.set(identity, entry);
  const [oldest] = told.keys();
  if (told.size > REMEMBERED_MAX && oldest !== undefined) told.delete(oldest);
  return entry;
};

/** The API server's own limit. */
const MESSAGE_CHARS_MAX = 1_024;

const createEvent = (
  { client, component, signal }: EventRecorderOptions,
  event: {
    readonly resource: Resource<KubeObject>;
    readonly subject: KubeObject;
    readonly report: EventReport;
    readonly entry: Told;
  },
): Promise<unknown> => {
  const { metadata } = event.subject;
  const at = toTimestamp(event.entry.firstMs);
  const object = {
    metadata: { name: event.entry.name, namespace: event.entry.namespace },
    involvedObject: {
      apiVersion: apiVersionOf(event.resource),
      kind: event.resource.kind,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
    type: event.report.type,
    reason: event.report.reason,
    message: event.report.message.slice(0, MESSAGE_CHARS_MAX),
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
  return client.create(EVENTS, object, { signal });
};

const countEvent = ({ client, signal }: EventRecorderOptions, { name, namespace, count, writtenMs }: Told) => {
  const body = { count, lastTimestamp: toTimestamp(writtenMs) };
  return client.patch(EVENTS, { namespace, name }, { type: 'merge', body }, { signal });
};
