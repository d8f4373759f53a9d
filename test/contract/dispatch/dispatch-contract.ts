/**
 * What the runners controller may rely on, as cases that run through its own client against the simulated dispatcher, whoever
 * carries the requests.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { createSeededRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import { createDispatcher } from '../../../src/dispatch/adapter/create-dispatcher.ts';
import type { Dispatcher } from '../../../src/dispatch/port/dispatcher.ts';
import type { DispatchTransport } from '../../../src/dispatch/port/transport.ts';
import { CONTROLLER_TOKEN, createNoCluster } from '../../../src/sim/dispatch/no-cluster.ts';
import { DISPATCH_PATH, SCALING_PATH, SESSIONS_PATH } from '../../../src/sim/dispatch/routes.ts';
import { createSimDispatch, type SimDispatch } from '../../../src/sim/dispatch/sim-dispatch.ts';

export interface Carried {
  readonly dispatch: SimDispatch;
  readonly clock: Clock;
  readonly transport: DispatchTransport;
  /** Where it is reached, without a path. */
  readonly origin: string;
}

interface Stage extends Carried {
  readonly dispatcher: Dispatcher;
  poll(pod: string): Promise<number>;
}

/** Hands the body a way to a new dispatcher. */
export type Carry = (protocol: 1 | 2, body: (carried: Carried) => Promise<void>) => Promise<void>;

const CONTROLLER = { namespace: 'tuist', name: 'runners-controller' };
const signal = neverAborted();
const runner = (name: string) => ({ podName: name, podUid: `uid-of-${name}` });

export const createContractDispatch = (clock: Clock, protocol: 1 | 2): SimDispatch =>
  createSimDispatch({
    ...{ clock, protocol, random: createSeededRandom(1), controller: CONTROLLER, view: createNoCluster(CONTROLLER) },
  });

const stageOf = (carried: Carried, token: string): Stage => {
  const { origin, clock, transport } = carried;
  const dispatcher = createDispatcher({
    ...{ transport, clock, token: async () => new Secret(token) },
    ...{ scalingUrl: `${origin}${SCALING_PATH}`, sessionsUrl: `${origin}${SESSIONS_PATH}` },
  });
  const poll = async (pod: string): Promise<number> => {
    const headers = { authorization: `Bearer runner:ci/${pod}` };
    const { status } = await transport({
      method: 'POST',
      url: `${origin}${DISPATCH_PATH}`,
      headers,
      body: '{}',
      signal,
    });
    return status;
  };
  return { ...carried, dispatcher, poll };
};

interface Case {
  readonly story: string;
  readonly protocol?: 1;
  readonly token?: string;
  readonly body: (stage: Stage) => Promise<void>;
}

const CASES: readonly Case[] = [
  {
    story: 'signals tell what there is to do',
    body: async ({ dispatch, dispatcher, poll }) => {
      for (let at = 0; at < 3; at += 1) dispatch.queue({ pool: 'ci' });
      assert.equal(await poll('a'), 200);
      const expected = { claimed: 1, occupied: 1, queued: 2, withheld: 0, p95: 0 };
      assert.deepEqual(await dispatcher.signals('ci', signal), expected);
      assert.equal(dispatcher.protocol, 2);
    },
  },
  {
    story: 'a drained runner that was idle gets no job',
    body: async ({ dispatch, dispatcher, poll }) => {
      assert.equal(await poll('a'), 204);
      assert.deepEqual(await dispatcher.drain(runner('a'), signal), { protocol: 2, state: 'idle', refused: true });
      dispatch.queue({ pool: 'ci' });
      assert.equal(await poll('a'), 410);
      assert.deepEqual(await dispatcher.look(runner('a'), signal), { protocol: 2, state: 'idle', refused: true });
    },
  },
  {
    story: 'a runner with a job says so, whether drained or looked at',
    body: async ({ dispatch, dispatcher, poll }) => {
      dispatch.queue({ pool: 'ci' });
      await poll('a');
      assert.deepEqual(await dispatcher.look(runner('a'), signal), { protocol: 2, state: 'claimed', refused: false });
      assert.deepEqual(await dispatcher.drain(runner('a'), signal), { protocol: 2, state: 'claimed', refused: true });
    },
  },
  {
    story: 'a stop may be told as often as one likes',
    body: async ({ dispatch, dispatcher, poll }) => {
      dispatch.queue({ pool: 'ci' });
      await poll('a');
      for (const endedAt of ['2026-01-01T00:00:20Z', '2026-01-01T00:00:10Z'])
        await dispatcher.reportStop({ podName: 'a', endedAt }, signal);
      assert.equal(dispatch.sessions()[0]?.endedAtMs, Date.UTC(2026, 0, 1, 0, 0, 10));
      assert.equal((await dispatcher.look(runner('a'), signal)).protocol, 2);
    },
  },
  {
    story: 'a server of the original protocol knows no handshake, and all the rest',
    protocol: 1,
    body: async ({ dispatcher }) => {
      assert.deepEqual(await dispatcher.drain(runner('a'), signal), { protocol: 1 });
      assert.equal((await dispatcher.signals('ci', signal)).queued, 0);
      await dispatcher.reportStop({ podName: 'a', endedAt: '2026-01-01T00:00:00Z' }, signal);
      assert.equal(dispatcher.protocol, 1);
    },
  },
  {
    story: 'whoever is not the controller is denied',
    token: 'runner:ci/a',
    body: async ({ dispatcher }) => {
      await assert.rejects(dispatcher.signals('ci', signal), { kind: 'denied' });
      await assert.rejects(dispatcher.drain(runner('a'), signal), { kind: 'denied' });
    },
  },
  ...(
    [
      ['F98', { kind: 'unavailable' }],
      ['lost', { kind: 'unavailable' }],
      ['denied', { kind: 'denied' }],
      ['html', { kind: 'contract' }],
      ['negative', { kind: 'contract' }],
      ['other-fleet', { kind: 'contract' }],
    ] as const
  ).map(([fault, is]) => ({
    story: `${fault} is no answer, and no empty queue`,
    body: async ({ dispatch, dispatcher }: Stage) => {
      dispatch.switchOn(fault);
      await assert.rejects(dispatcher.signals('ci', signal), is);
      dispatch.switchOff(fault);
      assert.equal((await dispatcher.signals('ci', signal)).queued, 0);
    },
  })),
];

export const testDispatchContract = (over: string, carry: Carry): void => {
  for (const { story, protocol = 2, token = CONTROLLER_TOKEN, body } of CASES)
    test(`${over}: ${story}`, () => carry(protocol, (carried) => body(stageOf(carried, token))));
};
