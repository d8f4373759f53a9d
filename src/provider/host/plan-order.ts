/**
 * Renting a Mac (R25): pure. The intent is a MacHost without a server. It is put on record that the order is about to be
 * sent, then it is sent once; whatever becomes of the answer, the server is found again by the name it was ordered under.
 * An intent is never sent twice: one whose server does not appear is given up, and another one takes its place.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost, MacHostSpec } from '../../kinds/mac-host.ts';
import type { Changes } from '../../kube/controller/outcome.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';
import { isOrder } from './host-life.ts';
import type { HostTimes, PlannedEvent } from './host-view.ts';
import { recordWrite } from './recorded-write.ts';

/** The spend guard: a Mac costs a day at least. */
export interface OrderLimits {
  /** Macs rented by order at a time; 0: none. */
  readonly maxHosts: number;
  /** Orders within 24 hours; 0: none. */
  readonly maxPerDay: number;
  /** How many Macs a namespace may have by order; one that is not here any number, unless there are some: then none. */
  readonly namespaces: ReadonlyMap<string, number>;
}

export const NO_ORDERS: OrderLimits = { maxHosts: 0, maxPerDay: 0, namespaces: new Map() };

export interface OrderTally {
  /** Macs that are rented by order, or may be: an order that was put on record counts. */
  readonly hosts: number;
  readonly lastDay: number;
  /** Of those, in the namespace of the machine. */
  readonly namespace: number;
}

const DAY_MS = 86_400_000;

/** `counts` says which intents are as good as rented. */
export const tallyOrders = (hosts: readonly MacHost[], { namespace, nowMs, counts }: TallyOptions): OrderTally => {
  const rented = hosts.filter(({ spec }) => spec.ordered || (isOrder(spec) && counts(spec)));
  const orderedAt = ({ spec }: MacHost): number => parseTimestamp(spec.order?.requestedAt) ?? 0;
  return {
    hosts: rented.length,
    lastDay: rented.filter((host) => nowMs - orderedAt(host) < DAY_MS).length,
    namespace: rented.filter(({ spec }) => spec.claimRef?.namespace === namespace).length,
  };
};

export interface TallyOptions {
  readonly namespace: string;
  readonly nowMs: number;
  readonly counts: (spec: MacHostSpec) => boolean;
}

/** Why one more order is too many, as a sentence; undefined when it is not. */
export const refuseOrder = (limits: OrderLimits, tally: OrderTally, namespace: string): string | undefined => {
  if (limits.maxHosts === 0 || limits.maxPerDay === 0)
    return 'This manager orders no servers: --max-ordered-hosts and --max-orders-per-day say how many it may. Allow some, or say acquire: pool.';
  if (tally.hosts >= limits.maxHosts)
    return `${tally.hosts} Macs are rented by order, and no more than ${limits.maxHosts} may be (--max-ordered-hosts).`;
  if (tally.lastDay >= limits.maxPerDay)
    return `${tally.lastDay} Macs were ordered within a day, and no more than ${limits.maxPerDay} may be (--max-orders-per-day).`;
  const allowed = limits.namespaces.size === 0 ? undefined : (limits.namespaces.get(namespace) ?? 0);
  return allowed === undefined || tally.namespace < allowed
    ? undefined
    : `The namespace ${namespace} has ${tally.namespace} Macs by order, and no more than ${allowed} may it have (--order-namespaces).`;
};

export interface OrderView {
  readonly nowMs: number;
  readonly spec: MacHostSpec;
  /** What the machine says now: it wants this very Mac; it wants another, or none; it is gone or going. */
  readonly wish: 'wanted' | 'changed' | 'gone';
  /** The order on record was put there by this very process, which has not sent it yet. */
  readonly isUnsent: boolean;
  /** The record of the Mac that came of this intent. */
  readonly twin: MacHost | undefined;
  /** The server of that name, in a complete list; undefined also when no list was asked for. */
  readonly server: CloudServer | undefined;
  readonly limits: OrderLimits;
  readonly tally: OrderTally;
  readonly times: HostTimes;
  readonly uuid: () => string;
}

export type OrderPlan =
  | { readonly do: 'wait'; readonly afterMs: number; readonly reason: string; readonly message: string }
  /** Put on record that it is sent. */
  | { readonly do: 'store'; readonly spec: Changes<MacHostSpec>; readonly event?: PlannedEvent }
  | { readonly do: 'send' }
  /** Give the Mac a record of its own; with a release if nobody wants it any more. */
  | { readonly do: 'adopt'; readonly server: CloudServer; readonly release: MacHostSpec['release'] }
  /** The Mac has its record, but does not know yet that it is to go. */
  | { readonly do: 'hand-over'; readonly twin: MacHost; readonly release: NonNullable<MacHostSpec['release']> }
  | { readonly do: 'forget'; readonly event?: PlannedEvent };

export const planOrder = (view: OrderView): OrderPlan => {
  const { spec, twin } = view;
  if (twin !== undefined) {
    const isNews = spec.release !== undefined && twin.spec.release === undefined;
    return isNews ? { do: 'hand-over', twin, release: spec.release } : { do: 'forget' };
  }
  return spec.lastWrite?.verb === 'order' ? planSent(view) : planUnsent(view);
};

/** Longer than any request can still be on its way: a record is sent while it is fresh, and a request has a deadline. */
const doubtMs = ({ quietMs }: HostTimes): number => 10 * quietMs;

const planSent = (view: OrderView): OrderPlan => {
  const { spec, server, isUnsent, nowMs, times } = view;
  const ageMs = nowMs - (parseTimestamp(spec.lastWrite?.at) ?? 0);
  if (isUnsent) return ageMs < times.recordMaxAgeMs ? { do: 'send' } : { do: 'store', spec: { lastWrite: undefined } };
  if (server !== undefined) return { do: 'adopt', server, release: spec.release ?? notWanted(view) };
  if (ageMs < doubtMs(times)) {
    const message = `it was ordered as ${spec.order?.name}, and Scaleway does not list it yet`;
    return { do: 'wait', afterMs: times.pollMs, reason: REASONS.host.ready.ordering, message };
  }
  const message = `no server named ${spec.order?.name} appeared: the order did not reach Scaleway, or came to nothing`;
  return { do: 'forget', event: { type: 'Warning', reason: 'OrderLost', message } };
};

/** The machine is there and says that it wants something else: that is no absence. */
const notWanted = ({ wish, nowMs, uuid }: OrderView): MacHostSpec['release'] =>
  wish !== 'changed'
    ? undefined
    : {
        ...{ intentID: uuid(), policy: 'terminate', reason: 'NotWanted', requestedAt: toTimestamp(nowMs) },
        message: 'its machine wanted another Mac by the time it was there',
        by: 'macfleet',
      };

const planUnsent = (view: OrderView): OrderPlan => {
  const { spec, wish, nowMs, times } = view;
  if (spec.release !== undefined || wish !== 'wanted') return { do: 'forget' };
  const pausedMs = (parseTimestamp(spec.order?.nextAttemptAt) ?? 0) - nowMs;
  if (pausedMs > 0) {
    const message = `the order was refused ${spec.order?.refusals} times; the next is at ${spec.order?.nextAttemptAt}`;
    return { do: 'wait', afterMs: pausedMs, reason: REASONS.host.ready.ordering, message };
  }
  const refusal = refuseOrder(view.limits, view.tally, spec.claimRef?.namespace ?? '');
  if (refusal !== undefined) {
    const reason = REASONS.host.ready.orderLimitReached;
    return { do: 'wait', afterMs: times.quietMs, reason, message: refusal };
  }
  const message = `Ordering a ${spec.type} as ${spec.order?.name} for ${spec.claimRef?.namespace}/${spec.claimRef?.name}`;
  return {
    do: 'store',
    spec: { order: orderAt(view), lastWrite: recordWrite(view, 'order') },
    event: { type: 'Normal', reason: REASONS.host.ready.ordering, message },
  };
};

const orderAt = ({ spec, nowMs }: OrderView): NonNullable<MacHostSpec['order']> => ({
  intentID: spec.order?.intentID ?? '',
  name: spec.order?.name ?? '',
  requestedAt: toTimestamp(nowMs),
  ...(spec.order?.refusals === undefined ? {} : { refusals: spec.order.refusals }),
});
