import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FaultWish, planFault } from './plan-fault.ts';

const MAC = '5b804c04-6f12-42b7-95f0-2c0e82883c5e';
const wish = (fault: string, more: Partial<FaultWish> = {}): FaultWish => ({
  ...{ fault, off: false, dispatcher: false },
  ...more,
});

describe('a fault', () => {
  const rows = [
    {
      story: 'of a Mac happens to that Mac',
      wish: wish('reboot', { serverId: MAC }),
      asks: ['cloud', 'POST', '/mac-faults', { fault: 'reboot', serverId: MAC }],
      says: /^reboot happens to 5b80.*: it restarts/,
    },
    {
      story: 'of the cloud stays on, for all servers, unless told otherwise',
      wish: wish('F05'),
      asks: ['cloud', 'POST', '/faults', { fault: 'F05' }],
      says: /^F05 is on: 429/,
    },
    {
      story: 'of the cloud meets one server, so often, in one verb',
      wish: wish('F05', { serverId: MAC, count: 3, verb: 'get' }),
      asks: ['cloud', 'POST', '/faults', { fault: 'F05', serverId: MAC, verb: 'get', count: 3 }],
      says: /^F05 is on/,
    },
    {
      story: 'of the cloud is switched off, however often it was to come',
      wish: wish('F05', { off: true, count: 3 }),
      asks: ['cloud', 'DELETE', '/faults', { fault: 'F05' }],
      says: /^F05 is off\. What it has done stays done\.$/,
    },
    {
      story: 'that only the dispatcher has is asked there',
      wish: wish('F98b', { count: 2 }),
      asks: ['dispatcher', 'POST', '/faults', { fault: 'F98b', count: 2 }],
      says: /^F98b is on/,
    },
    {
      story: 'that both have is the cloud’s',
      wish: wish('slow'),
      asks: ['cloud', 'POST', '/faults', { fault: 'slow' }],
      says: /five seconds/,
    },
    {
      story: 'that both have is the dispatcher’s where that is said',
      wish: wish('slow', { dispatcher: true }),
      asks: ['dispatcher', 'POST', '/faults', { fault: 'slow' }],
      says: /fifteen seconds/,
    },
  ];
  for (const { story, wish: wanted, asks, says } of rows) {
    it(story, () => {
      const { at, question, says: said } = planFault(wanted);
      assert.deepEqual([at, question.method, question.path, question.body], asks);
      assert.match(said, says);
    });
  }

  const refused = [
    { story: 'that nobody has', wish: wish('F999'), code: 'NoSuchFault' },
    { story: 'that the dispatcher has not', wish: wish('F05', { dispatcher: true }), code: 'NoSuchFault' },
    { story: 'named like a member of every object', wish: wish('constructor'), code: 'NoSuchFault' },
    { story: 'of a Mac without a Mac', wish: wish('reboot'), code: 'NoMacNamed' },
    { story: 'of a Mac that is to be undone', wish: wish('reboot', { serverId: MAC, off: true }), code: 'BadFault' },
    { story: 'of a Mac in one verb', wish: wish('reboot', { serverId: MAC, verb: 'get' }), code: 'BadFault' },
    { story: 'of the dispatcher on one Mac', wish: wish('F98b', { serverId: MAC }), code: 'BadFault' },
  ];
  for (const { story, wish: wanted, code } of refused) {
    it(`${story} is refused`, () => assert.throws(() => planFault(wanted), { code }));
  }
});
