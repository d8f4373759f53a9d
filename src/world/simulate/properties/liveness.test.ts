import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLUSTER_API_LABELS } from '../../../kube/types/cluster-api.ts';
import { judgeQuiet } from './liveness.ts';
import {
  type BadRow,
  changed,
  claimedHost,
  coreMachine,
  fakeTruth,
  HOST_ID,
  lease,
  macHost,
  machine,
  node,
  PROVISIONED,
  RELEASE,
  server,
  stored,
} from './testing/hand-made.ts';
import { createWitness } from './witness.ts';

const OLD = '2025-12-31T20:00:00Z';
const WAITING = {
  type: 'Provisioned',
  status: 'False',
  reason: 'NoAvailableHost',
  message: 'none is free',
  lastTransitionTime: OLD,
} as const;
const HAS_NONE = { conditions: [WAITING] };
const BUDGETS = macHost().spec.budgets;
const FAILED = { failures: 9, nextAttemptAt: OLD };

const EXHAUSTED = { ...RELEASE, reason: 'BootstrapExhausted' };
const FAILING = macHost({ budgets: { ...BUDGETS, returns: 1 } });
const ON_OFFER = { state: 'free', server: { status: 'ready' } } as const;
const SPARE = { ...macHost({}, ON_OFFER), metadata: { name: 'host-2' } };
const APART = { reason: 'WipeStuck', message: 'its wipe has not ended', since: OLD };
const LEAVING = { status: { serverID: HOST_ID } };

/** As core has it before it has found its Node. */
const unfound = (name: string, providerID: string) => {
  const { status: _found, ...core } = coreMachine(name, providerID);
  return { ...core, metadata: { ...core.metadata, creationTimestamp: OLD } };
};

const triedAt = (seconds: string) =>
  claimedHost({ budgets: { ...BUDGETS, bootstrap: { failures: 1, nextAttemptAt: `2026-01-01T00:00:${seconds}Z` } } });

const rebootsSinceClaim = (sinceClaim: number) =>
  claimedHost({ budgets: { ...BUDGETS, reboots: { sinceClaim, times: [] } } });

const REFUSED = JSON.stringify({
  reason: 'RebootForRecoveryFailed',
  involvedObject: { name: HOST_ID },
  message: `rebooting server ${HOST_ID}: Scaleway answered 403: resource is locked`,
});

const STUCK: readonly BadRow[] = [
  {
    property: 'L1',
    story: 'a machine waits beside a free Mac',
    hosts: [macHost()],
    machines: [machine('a', { created: OLD, status: HAS_NONE })],
    happenings: [],
  },
  {
    property: 'L2',
    story: 'a machine is being deleted for hours',
    hosts: [macHost()],
    machines: [machine('a', { deleted: OLD })],
    happenings: [],
  },
  {
    property: 'L3',
    story: 'a release that nobody carries out',
    hosts: [claimedHost({ release: { ...RELEASE, requestedAt: OLD }, assignedName: { current: 'tuist-pool-1' } })],
    happenings: [],
  },
  { property: 'L3', story: 'a server of the pool that is on no record', happenings: [] },
  {
    property: 'L1',
    story: 'a Node is there, and core does not find it',
    hosts: [claimedHost()],
    coreMachines: [unfound('a', 'x://z/1')],
    nodes: [node('a', 'x://z/1')],
    happenings: [],
  },
  { property: 'L2', story: 'a server is gone, and nobody notices', hosts: [macHost()], isGone: true, happenings: [] },
  {
    property: 'L2',
    story: 'the Node of a Mac that is free',
    hosts: [macHost()],
    nodes: [node('a', `scw-applesilicon://fr-par-1/${HOST_ID}`)],
    happenings: [],
  },
  {
    property: 'L3',
    story: 'a Mac that is to be given up, and is paid for on and on',
    hosts: [
      claimedHost({
        release: { ...RELEASE, policy: 'terminate', requestedAt: OLD },
        assignedName: { current: 'tuist-pool-1' },
      }),
    ],
    happenings: [],
  },
  {
    property: 'L3',
    story: 'a release is taken off the record, and the Mac was not wiped',
    hosts: [macHost()],
    happenings: [changed('hosts', macHost(), claimedHost({ release: RELEASE }))],
  },
  {
    property: 'L3',
    story: 'the release of a Mac in quarantine is taken off the record, and it was not wiped',
    hosts: [macHost({ quarantine: APART })],
    happenings: [changed('hosts', macHost({ quarantine: APART }), macHost({ quarantine: APART, release: RELEASE }))],
  },
  {
    property: 'L3',
    story: 'a machine goes without a word about its Mac',
    hosts: [claimedHost()],
    happenings: [
      changed('machines', machine('a', { ...LEAVING, deleted: OLD }), machine('a', LEAVING)),
      changed(
        'machines',
        machine('a', { ...LEAVING, deleted: OLD, finalizers: [] }),
        machine('a', { ...LEAVING, deleted: OLD }),
      ),
    ],
  },
  {
    property: 'L4',
    story: 'a wipe that does not end, and nobody says so',
    hosts: [claimedHost({ release: RELEASE, reinstall: { intentID: 'i-1', requestedAt: OLD, acceptedAt: OLD } })],
    server: { status: 'reinstalling' },
    happenings: [],
  },
  {
    property: 'L5',
    story: 'a Mac whose password is shown again, and nobody tries',
    hosts: [
      claimedHost(
        {
          budgets: { ...BUDGETS, bootstrap: { failures: 2, nextAttemptAt: OLD } },
          assignedName: { current: 'tuist-pool-1' },
        },
        { state: 'preparing' },
      ),
    ],
    happenings: [],
  },
  {
    property: 'L6',
    story: 'a Mac that failed and failed, and is not given back',
    hosts: [claimedHost({ budgets: { ...BUDGETS, bootstrap: FAILED } }, { state: 'claimed' })],
    happenings: [],
  },
  {
    property: 'L6',
    story: 'a reboot that was refused, and counts as done',
    hosts: [claimedHost()],
    happenings: [changed('hosts', rebootsSinceClaim(1), rebootsSinceClaim(0)), stored('/events', REFUSED)],
  },
  {
    property: 'L6',
    story: 'a Mac that went back three times, and is free',
    hosts: ['1', '2', '3'].map((name) => ({
      ...macHost(name === '1' ? { budgets: { ...BUDGETS, returns: 3 } } : {}),
      metadata: { name: `host-${name}` },
    })),
    happenings: [],
  },
  {
    property: 'L6',
    story: 'a Mac that failed a machine, which takes it again beside one that is free',
    hosts: [FAILING, SPARE],
    machines: [machine('a', { status: { serverID: HOST_ID } })],
    happenings: [
      changed('hosts', claimedHost({ release: EXHAUSTED }), claimedHost()),
      changed('machines', machine('a', { status: { serverID: HOST_ID } }), machine('a')),
    ],
  },
  {
    property: 'L13',
    story: 'a machine that says nothing',
    hosts: [claimedHost()],
    machines: [machine('a', { created: OLD, status: { serverID: HOST_ID } })],
    happenings: [],
  },
  {
    property: 'L16',
    story: 'a lease that nobody renews',
    hosts: [macHost()],
    leases: [lease('x', OLD)],
    happenings: [],
  },
  {
    property: 'L17',
    story: 'a Mac that was left behind',
    hosts: [claimedHost({}, { state: 'joined', configHash: 'd-1' })],
    nodes: [{ ...node('a', 'x://1'), status: { conditions: [{ type: 'Ready', status: 'True' }] } }],
    happenings: [{ is: 'configuration', configuration: { digest: 'd-2', bundle: 'new' } }],
  },
  {
    property: 'L18',
    story: 'a wait of a day',
    hosts: [
      claimedHost({ budgets: { ...BUDGETS, bootstrap: { failures: 1, nextAttemptAt: '2026-01-02T00:00:00Z' } } }),
    ],
    happenings: [],
  },
  {
    property: 'L18',
    story: 'a Mac that fails and is tried again at once',
    hosts: [claimedHost()],
    happenings: ['01', '02', '03', '04'].flatMap((seconds) => [{ afterMs: 1_000 }, changed('hosts', triedAt(seconds))]),
  },
  {
    property: 'L20',
    story: 'a machine that has a Mac, and says that there is none',
    hosts: [claimedHost()],
    machines: [machine('a', { status: { ...PROVISIONED, ...HAS_NONE } })],
    happenings: [],
  },
  {
    property: 'L21',
    story: 'an object that is written all the time',
    hosts: [macHost()],
    happenings: Array.from({ length: 60 }, () => stored('/pods', '')),
  },
];

/** The same happenings with one thing set right: each must be found good. */
const RIGHT: readonly BadRow[] = [
  {
    property: 'L3',
    story: 'a release that ended with a wipe',
    hosts: [macHost({ wipes: 1 })],
    happenings: [changed('hosts', macHost({ wipes: 1 }), claimedHost({ release: RELEASE }))],
  },
  {
    property: 'L3',
    story: 'a wipe that does not end, and a Mac that is kept apart for it',
    hosts: [macHost({ quarantine: APART })],
    happenings: [changed('hosts', macHost({ quarantine: APART }), claimedHost({ release: RELEASE }))],
  },
  {
    property: 'L6',
    story: 'a refused reboot that was given back',
    hosts: [claimedHost()],
    happenings: [changed('hosts', rebootsSinceClaim(0), rebootsSinceClaim(1)), stored('/events', REFUSED)],
  },
  {
    property: 'L18',
    story: 'a Mac that fails and is tried again after a while',
    hosts: [claimedHost()],
    leases: [lease('manager-0-0', '2026-01-01T00:02:00Z')],
    happenings: ['01', '02', '03', '04'].flatMap((seconds) => [
      { afterMs: 31_000 },
      changed('hosts', triedAt(seconds)),
    ]),
  },
];

/** Judged by other means; where, says docs or the text of the swarm. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  L14: 'src/world/isolation.test.ts: two runs are compared',
  L15: 'src/kube/cache/cache.test.ts: in the true pace, which the swarm folds',
  L19: 'with tart-kubelet: disks of Macs are no part of this world',
  L22: 'src/world/simulate/marks.test.ts: over a swarm, not over one run',
};

describe('a world that has come to rest', () => {
  for (const { property, story, ...world } of STUCK) {
    it(`${property}: ${story}`, () => {
      const { truth, happenings } = fakeTruth(world);
      const witness = createWitness();
      for (const happening of happenings) witness.hear(happening(), truth);
      assert.deepEqual(
        judgeQuiet(truth, witness).map((finding) => finding.property),
        [property],
      );
    });
  }

  for (const { property, story, ...world } of RIGHT) {
    it(`${property} is kept by ${story}`, () => {
      const { truth, happenings } = fakeTruth(world);
      const witness = createWitness();
      for (const happening of happenings) witness.hear(happening(), truth);
      assert.deepEqual(judgeQuiet(truth, witness), []);
    });
  }

  it('has such a world for each promise, or says where it is judged', () => {
    const judged = [...STUCK.map(({ property }) => property), ...Object.keys(ELSEWHERE)];
    const promised = [1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22].map((number) => `L${number}`);
    assert.deepEqual(
      promised.filter((id) => !judged.includes(id)),
      [],
    );
  });

  it('is right when who waits was given to a Cluster that does not exist', () => {
    const lost = machine('a', { created: OLD, status: HAS_NONE });
    const labels = { [CLUSTER_API_LABELS.clusterName]: 'another' };
    const world = { hosts: [macHost()], machines: [{ ...lost, metadata: { ...lost.metadata, labels } }] };
    assert.deepEqual(judgeQuiet(fakeTruth({ ...world, happenings: [] }).truth, createWitness()), []);
  });

  const picks = [
    { story: 'which is all there is', hosts: [FAILING] },
    { story: 'and the other failed as often', hosts: [FAILING, { ...SPARE, spec: FAILING.spec }] },
    { story: 'and somebody else waits for the other', hosts: [FAILING, SPARE], others: [machine('b')] },
  ];
  for (const { story, hosts, others = [] } of picks) {
    it(`is right when a machine took a Mac again that failed it, ${story}`, () => {
      const chosen = machine('a', { status: { serverID: HOST_ID } });
      const { truth } = fakeTruth({ hosts, machines: [chosen, ...others], happenings: [] });
      const witness = createWitness();
      witness.hear(changed('hosts', claimedHost({ release: EXHAUSTED }), claimedHost()), truth);
      witness.hear(changed('machines', chosen, machine('a')), truth);
      assert.deepEqual(witness.rePicks.recent(truth.nowMs()), []);
    });
  }

  it('is right when every Mac is free and nobody waits', () => {
    assert.deepEqual(judgeQuiet(fakeTruth({ hosts: [macHost()], happenings: [] }).truth, createWitness()), []);
    assert.equal(server().name, 'tuist-pool-1');
  });
});
