import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAFETY } from './all.ts';
import {
  agent,
  type BadRow,
  batch,
  changed,
  claimedHost,
  coreMachine,
  disk,
  fakeTruth,
  HOST_ID,
  lease,
  macHost,
  machine,
  member,
  node,
  PROVISIONED,
  pausedCluster,
  RELEASE,
  reopened,
  stored,
  watched,
  write,
} from './testing/hand-made.ts';

const RENAME = { lastWrite: { verb: 'rename', id: 'w-1', at: '2026-01-01T00:00:00Z' } } as const;

const ASKED = { id: 'r-1' };
const rebooting = (id: string) => ({ lastWrite: { verb: 'reboot', id, at: '2026-01-01T00:00:00Z' } }) as const;

/** Each breaks one promise: what its judge is told last must be rejected, and nothing before it. */
const BAD: readonly BadRow[] = [
  {
    property: 'S1',
    story: 'two machines are provisioned on one Mac',
    machines: [machine('a', { status: PROVISIONED }), machine('b', { status: PROVISIONED })],
    happenings: [changed('machines', machine('b', { status: PROVISIONED }))],
  },
  {
    property: 'S1',
    story: 'machines of two clusters are provisioned on one Mac',
    machines: [machine('a', { status: PROVISIONED })],
    other: { machines: [machine('b', { status: PROVISIONED })] },
    happenings: [changed('machines', machine('a', { status: PROVISIONED }))],
  },
  {
    property: 'S1',
    story: 'a machine has claimed anew the Mac that a person took back from it, and another cluster has it',
    ...{ hosts: [claimedHost()], takenBackFrom: ['uid-a'], machines: [machine('a', { status: PROVISIONED })] },
    other: { machines: [machine('b', { status: PROVISIONED })] },
    happenings: [changed('hosts', claimedHost(), macHost())],
  },
  {
    property: 'S1',
    story: 'two other machines have the Mac that a person took back from a third',
    ...{ takenBackFrom: ['uid-a'], machines: ['a', 'b', 'c'].map((name) => machine(name, { status: PROVISIONED })) },
    happenings: [changed('machines', machine('c', { status: PROVISIONED }))],
  },
  {
    property: 'S1',
    story: 'a claim takes the place of another',
    happenings: [
      changed('hosts', claimedHost(), macHost()),
      changed('hosts', claimedHost({ claimRef: { namespace: 'default', name: 'b', uid: 'uid-b' } }), claimedHost()),
    ],
  },
  {
    property: 'S2',
    story: 'a wipe without a release',
    hosts: [claimedHost()],
    happenings: [write('reinstall')],
  },
  {
    property: 'S2',
    story: 'a wipe under a machine that works',
    hosts: [claimedHost({ release: RELEASE })],
    machines: [machine('a', { status: PROVISIONED })],
    happenings: [write('reinstall')],
  },
  {
    property: 'S2',
    story: 'a wipe under a machine that works, because of a pool name',
    hosts: [claimedHost({ release: { ...RELEASE, reason: 'FoundHalfReleased' } })],
    machines: [machine('a', { status: PROVISIONED })],
    mac: { hostname: 'a' },
    happenings: [write('reinstall')],
  },
  {
    property: 'S41',
    story: 'a Mac is released whose machine is not there',
    happenings: [changed('hosts', claimedHost({ release: RELEASE }), claimedHost())],
  },
  {
    property: 'S41',
    story: 'a Mac is released that was taken off its paused machine',
    machines: [machine('a', { paused: true })],
    happenings: [changed('hosts', claimedHost({ release: RELEASE }), claimedHost())],
  },
  {
    property: 'S3',
    story: 'a Mac works for another machine, and was not wiped between',
    happenings: [agent('started', 'a'), agent('stopped', 'a'), agent('started', 'b')],
  },
  {
    property: 'S4',
    story: 'a deletion although the Mac is to go back to its pool',
    hosts: [claimedHost({ release: RELEASE })],
    happenings: [write('terminate')],
  },
  {
    property: 'S5',
    story: 'a second write after the machine was paused',
    hosts: [claimedHost()],
    machines: [machine('a', { paused: true })],
    happenings: [write('reboot'), write('reboot')],
  },
  {
    property: 'S5',
    story: 'a detached machine that gets its Mac back while it is paused',
    machines: [machine('a', { paused: true, status: { serverID: HOST_ID } })],
    happenings: [
      changed(
        'machines',
        machine('a', { paused: true, status: { serverID: HOST_ID } }),
        machine('a', { paused: true }),
      ),
    ],
  },
  {
    property: 'S5',
    story: 'a machine of a paused cluster gets its Mac by what was on the wire, and then an identity too',
    clusters: [pausedCluster()],
    happenings: [
      changed('machines', member(machine('a', { status: { serverID: HOST_ID } })), member(machine('a'))),
      changed('machines', member(machine('a', { providerID: `x://${HOST_ID}` })), member(machine('a'))),
    ],
  },
  {
    property: 'S6',
    story: 'a write for a machine without a finalizer',
    hosts: [claimedHost()],
    machines: [machine('a', { finalizers: [] })],
    happenings: [write('rename', { argument: 'x' })],
  },
  { property: 'S7', story: 'a rename that is not on record', hosts: [claimedHost()], happenings: [write('reboot')] },
  {
    property: 'S7',
    story: 'a rename to another name than the recorded one',
    happenings: [
      changed('hosts', claimedHost({ ...RENAME, assignedName: { current: 'a', next: 'b' } })),
      write('rename', { argument: 'c' }),
    ],
  },
  {
    property: 'S8',
    story: 'a write two minutes after another manager took the lease',
    happenings: [
      changed('leases', lease('manager-0-0')),
      changed('leases', lease('rival-0-0')),
      { afterMs: 120_000 },
      write('reboot', { caller: 'manager#0' }),
    ],
  },
  {
    property: 'S9',
    story: 'a machine that gets another providerID',
    happenings: [changed('machines', machine('a', { providerID: 'x://2' }), machine('a', { providerID: 'x://1' }))],
  },
  {
    property: 'S9',
    story: 'a Machine and its Node that disagree',
    nodes: [node('a', 'x://2')],
    happenings: [changed('coreMachines', coreMachine('a', 'x://1'))],
  },
  {
    property: 'S10',
    story: 'machines of two namespaces with one name both have a Mac',
    hosts: [claimedHost()],
    happenings: [
      changed('hosts', claimedHost({ claimRef: { namespace: 'web', name: 'b', uid: 'uid-b' } })),
      changed('hosts', claimedHost({ claimRef: { namespace: 'web', name: 'a', uid: 'uid-c' } })),
    ],
  },
  {
    property: 'S10',
    story: 'two Macs as one Node',
    happenings: [agent('started', 'a', 'x://1'), agent('started', 'a', 'x://2')],
  },
  { property: 'S11', story: 'a reboot of a stranger', happenings: [write('reboot', { before: { name: 'theirs' } })] },
  {
    property: 'S12',
    story: 'a fifth reboot within a day',
    happenings: Array.from({ length: 5 }, () => write('reboot', { before: { name: 'tuist-pool-1' } })),
  },
  {
    property: 'S12',
    story: 'a second reboot for failing, of one Mac under one machine',
    happenings: [
      changed('hosts', claimedHost(rebooting('w-1')), claimedHost()),
      write('reboot'),
      changed('hosts', claimedHost(rebooting('w-2')), claimedHost({ ...rebooting('w-1'), rebootRequest: ASKED })),
      write('reboot'),
      changed('hosts', claimedHost({ ...rebooting('w-3'), wipes: 1 }), claimedHost(rebooting('w-2'))),
      write('reboot'),
      changed('hosts', claimedHost({ ...rebooting('w-4'), wipes: 1 }), claimedHost(rebooting('w-3'))),
    ],
  },
  {
    property: 'S13',
    story: 'a pool name for a Mac that was not wiped',
    happenings: [
      write('rename', { argument: 'a', before: { name: 'tuist-pool-1' } }),
      write('rename', { argument: 'tuist-pool-2', before: { name: 'a' } }),
    ],
  },
  {
    property: 'S13',
    story: 'a Mac under a pool name is put on record as free, and was worked on since its last wipe',
    happenings: [batch('manager#0', 1), changed('hosts', claimedHost()), changed('hosts', macHost())],
  },
  {
    property: 'S13',
    story: 'a Mac is let go of, and its agent was started since its last wipe',
    happenings: [agent('started', 'a'), changed('hosts', macHost(), claimedHost({ release: RELEASE }))],
  },
  {
    property: 'S14',
    story: 'a Mac that is there is taken for gone',
    happenings: [changed('hosts', macHost({}, { server: { goneAt: '2026-01-01T00:00:00Z' } }))],
  },
  { property: 'S15', story: 'a locked account', mac: { isLocked: true }, happenings: [disk()] },
  { property: 'S16', story: 'a foreign password in kcpassword', mac: { autoLogin: 'wrong' }, happenings: [disk()] },
  { property: 'S16', story: 'sudo is given a sealed password', mac: { nonPasswords: 1 }, happenings: [disk()] },
  {
    property: 'S17',
    story: 'another pin without a wipe',
    happenings: [
      changed(
        'hosts',
        macHost({ hostKey: { fingerprint: 'k2', wipes: 0 } }),
        macHost({ hostKey: { fingerprint: 'k1', wipes: 0 } }),
      ),
    ],
  },
  {
    property: 'S17',
    story: 'the pin of a life before the wipe',
    happenings: [
      changed(
        'hosts',
        macHost({ hostKey: { fingerprint: 'k1', wipes: 0 }, wipes: 1 }),
        macHost({ hostKey: { fingerprint: 'k1', wipes: 0 } }),
      ),
    ],
  },
  { property: 'S18', story: 'a password in an Event', happenings: [stored('/events', 'failed with s3cret-of-mac')] },
  {
    property: 'S19',
    story: 'a Mac has joined and nobody is logged in',
    hosts: [macHost({}, { state: 'joined' })],
    mac: { autoLogin: 'absent' },
    happenings: [changed('hosts', macHost({}, { state: 'joined' }), macHost({}, { state: 'preparing' }))],
  },
  {
    property: 'S21',
    story: 'a configuration on record, and another agent at work',
    mac: { bundle: 'old', epochFile: { claim: 'uid-a', epoch: 1 } },
    happenings: [
      { is: 'configuration', configuration: { digest: 'd-2', bundle: 'new' } },
      changed('hosts', claimedHost({}, { configHash: 'd-2' }), claimedHost({}, { configHash: 'd-1' })),
    ],
  },
  {
    property: 'S21',
    story: 'a configuration on record that is nobody’s',
    mac: { epochFile: { claim: 'uid-a', epoch: 1 } },
    happenings: [changed('hosts', claimedHost({}, { configHash: 'd-3' }))],
  },
  {
    property: 'S36',
    story: 'a watch is told twice',
    happenings: [watched('opened', 3), watched('event', 4), watched('event', 4)],
  },
  {
    property: 'S36',
    story: 'a bookmark of the past',
    happenings: [watched('opened', 3), watched('event', 9), watched('bookmark', 8)],
  },
  {
    property: 'S36',
    story: 'a watch is not told of a change',
    happenings: [
      watched('opened', 3),
      watched('event', 4),
      stored('/pods', '', { revision: 4 }),
      stored('/pods', '', { revision: 5 }),
    ],
  },
  {
    property: 'S37',
    story: 'a write of a version that is over, and it is done',
    happenings: [
      { is: 'stale-write', write: { what: 'PATCH /x', meant: '4', met: '5', code: 409 } },
      { is: 'stale-write', write: { what: 'PATCH /x', meant: '4', met: '5', code: 200 } },
    ],
  },
  {
    property: 'S38',
    story: 'an acknowledged write is not there after a restart',
    happenings: [stored('/pods', '', { revision: 4 }), reopened('restarted', 4), reopened('restarted', 3)],
  },
  {
    property: 'S38',
    story: 'what was removed is back after a restart',
    happenings: [stored('/pods', '', { revision: 5, effect: 'removed' }), reopened('restarted', 4)],
  },
  {
    property: 'S8',
    story: 'a Mac is worked on under the epoch of the process before',
    happenings: [
      changed('leases', lease('manager-0-0')),
      batch('manager#0', 1),
      changed('leases', lease('rival-0-0')),
      batch('rival#0', 2),
      batch('rival#0', 1),
    ],
  },
  {
    property: 'S41',
    story: 'a release for a machine that goes with its namespace',
    machines: [machine('a', { deleted: '2026-01-01T00:00:01Z' })],
    namespaces: [{ metadata: { name: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    happenings: [changed('hosts', claimedHost({ release: RELEASE }), claimedHost())],
  },
  {
    property: 'S42',
    story: 'a machine is provisioned before its Node was ever there',
    happenings: [
      changed('nodes', node('a', 'x://z/another')),
      changed('machines', machine('a', { providerID: 'x://z/1', status: PROVISIONED }), machine('a')),
    ],
  },
];

describe('each promise rejects a world that breaks it', () => {
  for (const { property, story, ...world } of BAD) {
    it(`${property}: ${story}`, () => {
      const { truth, happenings } = fakeTruth(world);
      const judge = SAFETY.find(({ id }) => id === property)?.judge();
      const verdicts = happenings.map((happening) => judge?.(happening(), truth));
      assert.equal(typeof verdicts.at(-1), 'string', 'the last happening is rejected');
      assert.ok(
        verdicts.slice(0, -1).every((verdict) => verdict === undefined),
        `too early: ${verdicts.join('; ')}`,
      );
    });
  }

  it('has such a world for each of them', () => {
    const judged = new Set(BAD.map(({ property }) => property));
    assert.deepEqual(
      SAFETY.map(({ id }) => id).filter((id) => !judged.has(id)),
      [],
    );
  });
});
