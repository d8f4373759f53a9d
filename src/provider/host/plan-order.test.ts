import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MacHostSpec, parseMacHost } from '../../kinds/mac-host.ts';
import { NO_ORDERS, type OrderPlan, type OrderView, planOrder, refuseOrder, tallyOrders } from './plan-order.ts';
import { at, CLAIM, fresh, ID, NOW, ORDERED, RELEASE, serverOf, TIMES, UUID, wrote } from './testing/views.ts';

const ORDER = { intentID: ID, name: ORDERED, requestedAt: at(600_000) };
const SOME = { maxHosts: 2, maxPerDay: 2, namespaces: new Map<string, number>() };
const NONE_YET = { hosts: 0, lastDay: 0, namespace: 0 };

const intent = (fields: object = {}, name = 'order-uid-1') =>
  parseMacHost({
    metadata: { name },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1' } },
      ...{ type: 'M2-L', osFamily: 'Tahoe', claimRef: CLAIM, order: ORDER, ...fields },
    },
  });

const record = (fields: object = {}) =>
  parseMacHost({
    metadata: { name: ID },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: ID } },
      ...{ ordered: true, order: ORDER, claimRef: CLAIM, ...fields },
    },
  });

interface Row extends Partial<Omit<OrderView, 'spec'>> {
  readonly story: string;
  readonly fields?: object;
  readonly plan: OrderPlan['do'];
  readonly stores?: Partial<MacHostSpec>;
  readonly reason?: string;
}

const server = serverOf(ORDERED, 'starting', { isDelivered: false });
const sent = (agoMs: number) => ({ lastWrite: wrote('order', agoMs) });

const ROWS: readonly Row[] = [
  {
    story: 'R25 is put on record before it is sent, with the time that counts for the day',
    plan: 'store',
    stores: { order: { ...ORDER, requestedAt: at(0) }, lastWrite: fresh('order') },
  },
  { story: 'R25 is sent by the process that put it on record', fields: sent(1_000), isUnsent: true, plan: 'send' },
  {
    story: 'R13 is not sent on an old record: it is decided anew',
    fields: sent(31_000),
    isUnsent: true,
    plan: 'store',
    stores: { lastWrite: undefined },
  },
  { story: 'R25 is not sent by any other process: its server is looked for', fields: sent(1_000), plan: 'wait' },
  { story: 'R25 becomes a record of its own once its server is seen', fields: sent(1_000), server, plan: 'adopt' },
  { story: 'is waited for as long as a request may be on its way', fields: sent(599_000), plan: 'wait' },
  { story: 'R25 is given up after that, and never sent again', fields: sent(600_000), plan: 'forget' },
  { story: 'goes when its Mac has its record', fields: sent(1_000), twin: record(), plan: 'forget' },
  {
    story: 'tells its Mac that it is to go, when that came late',
    fields: { ...sent(1_000), release: RELEASE },
    twin: record(),
    plan: 'hand-over',
  },
  { story: 'goes unsent when its machine is gone', wish: 'gone', plan: 'forget' },
  { story: 'goes unsent when its machine wants something else', wish: 'changed', plan: 'forget' },
  { story: 'goes unsent when its machine was deleted', fields: { release: RELEASE }, plan: 'forget' },
  { story: 'is looked for on, though its machine is gone', fields: sent(1_000), wish: 'gone', plan: 'wait' },
  {
    story: 'waits where the limits do not allow it',
    tally: { ...NONE_YET, hosts: 2 },
    plan: 'wait',
    reason: 'OrderLimitReached',
  },
  {
    story: 'waits after a refusal',
    fields: { order: { ...ORDER, refusals: 1, nextAttemptAt: at(-5_000) } },
    plan: 'wait',
    reason: 'Ordering',
  },
];

describe('an intent to rent a Mac', () => {
  for (const { story, fields, plan: wanted, stores, reason, ...given } of ROWS) {
    it(story, () => {
      const plan = planOrder({
        ...{ nowMs: NOW, wish: 'wanted', isUnsent: false, twin: undefined, server: undefined, times: TIMES },
        ...{ limits: SOME, tally: NONE_YET, uuid: () => UUID, ...given },
        spec: intent(fields).spec,
      });
      assert.equal(plan.do, wanted);
      if (stores !== undefined) assert.deepEqual(plan.do === 'store' && plan.spec, stores);
      if (reason !== undefined) assert.equal(plan.do === 'wait' && plan.reason, reason);
    });
  }

  it('R15 gives up only a Mac whose machine says so: one that is merely gone says nothing', () => {
    const releaseWhen = (wish: OrderView['wish']) => {
      const plan = planOrder({
        ...{ nowMs: NOW, wish, isUnsent: false, twin: undefined, server, times: TIMES },
        ...{ limits: SOME, tally: NONE_YET, uuid: () => UUID, spec: intent(sent(1_000)).spec },
      });
      return plan.do === 'adopt' ? plan.release?.reason : plan.do;
    };
    assert.deepEqual(
      [releaseWhen('changed'), releaseWhen('gone'), releaseWhen('wanted')],
      ['NotWanted', undefined, undefined],
    );
  });
});

describe('the spend guard (R25)', () => {
  const limits = { maxHosts: 3, maxPerDay: 2, namespaces: new Map([['ci', 1]]) };
  const rows = [
    { story: 'allows what is within all limits', tally: NONE_YET, says: undefined },
    { story: 'orders nothing unless it is told to', limits: NO_ORDERS, tally: NONE_YET, says: /orders no servers/ },
    {
      story: 'orders nothing without a limit per day',
      limits: { ...limits, maxPerDay: 0 },
      tally: NONE_YET,
      says: /no servers/,
    },
    { story: 'counts Macs', tally: { ...NONE_YET, hosts: 3 }, says: /3 Macs are rented/ },
    { story: 'counts orders of a day', tally: { ...NONE_YET, lastDay: 2 }, says: /2 Macs were ordered within a day/ },
    { story: 'counts those of the namespace', tally: { ...NONE_YET, namespace: 1 }, says: /namespace ci has 1/ },
    { story: 'knows who may order at all', namespace: 'web', tally: NONE_YET, says: /namespace web has 0/ },
  ];
  for (const { story, tally, says, ...given } of rows) {
    it(story, () => {
      const refusal = refuseOrder(given.limits ?? limits, tally, given.namespace ?? 'ci');
      if (says === undefined) assert.equal(refusal, undefined);
      else assert.match(refusal ?? '', says);
    });
  }

  it('counts rented Macs in any state, and intents that may have been sent', () => {
    const hosts = [
      record({ release: RELEASE }),
      record({ order: { ...ORDER, requestedAt: at(86_400_000) }, claimRef: { ...CLAIM, namespace: 'web' } }),
      intent(sent(1_000)),
      intent(),
      parseMacHost({ metadata: { name: 'x' }, spec: { source: record().spec.source, pool: { prefix: 'p' } } }),
    ];
    const counts = ({ lastWrite }: MacHostSpec) => lastWrite !== undefined;
    assert.deepEqual(tallyOrders(hosts, { namespace: 'ci', nowMs: NOW, counts }), {
      hosts: 3,
      lastDay: 2,
      namespace: 2,
    });
  });
});
