import { judgePlans } from './testing/plan-rows.ts';
import { at, CLAIM, CLAIMED, PENDING, POOL, RELEASE, renaming, serverOf, store, UUID, wrote } from './testing/views.ts';

judgePlans('whose it is, and what becomes of it when that is nobody', [
  {
    story: 'R5 a claim that its machine does not name is dropped while the server has its pool name',
    spec: { claimRef: CLAIM },
    server: serverOf(POOL),
    owner: 'does-not',
    plan: store({ claimRef: undefined }),
  },
  {
    story: 'R15 a host whose machine vanished is held',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: store({
      hold: {
        reason: 'OwnerVanished',
        message: 'the machine that had this Mac is gone and never asked for its release',
        since: at(0),
        by: 'macfleet',
      },
    }),
  },
  {
    story: 'R8 a host whose server has another name is not touched',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-2'),
    plan: {
      do: 'report',
      message: 'the server is named "mac-2", expected "mac-1": nothing is done to it before it has that name again',
    },
  },
  {
    story: 'R15 one that works is held too, and nothing else happens to it',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'gone',
    node: 'there',
    plan: store({
      hold: {
        reason: 'OwnerVanished',
        message: 'the machine that had this Mac is gone and never asked for its release',
        since: at(0),
        by: 'macfleet',
      },
    }),
  },
  {
    story: 'R15 one that is half-way to its name is held, not dropped: a rename may be under way',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 1_000) },
    server: serverOf(POOL),
    owner: 'detached',
    plan: store({
      hold: {
        reason: 'Detached',
        message: 'the machine was paused and taken off this Mac by hand',
        since: at(0),
        by: 'macfleet',
      },
    }),
  },
  {
    story: 'nothing is begun for a machine that is being deleted',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'leaving',
    plan: { do: 'wait', afterMs: 10_000, message: 'its machine is being deleted' },
  },
  {
    story: 'R18 a machine that is on its way out does not end the hold it has just asked for',
    spec: { ...CLAIMED, hold: { reason: 'NamespaceTerminating' } },
    server: serverOf('mac-1'),
    owner: 'leaving',
    plan: { do: 'rest' },
  },
  {
    story: 'R5 a host that several machines name is not touched',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'does-not',
    plan: { do: 'report', message: 'its machine names another Mac, or others name this one' },
  },
  {
    story: 'R3 a free host whose server got a name of somebody else is nobody’s business of ours',
    spec: {},
    server: serverOf('mac-9'),
    owner: 'gone',
    plan: { do: 'forget' },
  },
  {
    story: 'R19 a server that is gone takes its record along',
    spec: { ...CLAIMED, release: RELEASE },
    isGone: true,
    owner: 'gone',
    plan: { do: 'forget' },
  },
  {
    story: 'R19 as long as a machine has it, the record tells that it is gone',
    spec: CLAIMED,
    isGone: true,
    plan: { do: 'report', reason: 'ServerGone', message: 'the server is gone: deleted at Scaleway' },
  },
  {
    story: 'R19 T-49 T-50 a server that is not seen is not gone yet',
    spec: CLAIMED,
    plan: { do: 'report', message: 'Scaleway does not show the server' },
  },
  {
    story: '004-3 R15 not when its machine is gone',
    spec: { ...CLAIMED, hold: { reason: 'OwnerVanished' } },
    node: 'there',
    server: serverOf('mac-1'),
    owner: 'gone',
    isTurnToRoll: true,
    plan: { do: 'rest' },
  },
  {
    story: 'R16 a held host rests',
    spec: { claimRef: CLAIM, hold: { reason: 'OwnerVanished' }, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: { do: 'rest' },
  },
  {
    story: 'R19 a held host that Scaleway does not show is looked at again (swarm seed 20216)',
    spec: { ...CLAIMED, hold: { reason: 'NamespaceTerminating' } },
    server: undefined,
    owner: 'gone',
    plan: { do: 'report', message: 'Scaleway does not show the server' },
  },
  {
    story: 'R15 a host whose owner is back goes on',
    spec: { ...CLAIMED, hold: { reason: 'OwnerVanished' } },
    server: serverOf('mac-1'),
    plan: store({ hold: undefined }),
  },
  {
    story: 'what a person holds stays held',
    spec: { ...CLAIMED, hold: { reason: 'Investigating' } },
    server: serverOf('mac-1'),
    plan: { do: 'rest' },
  },
  {
    story: 'R15 a person may release what is held',
    spec: { ...CLAIMED, hold: { reason: 'OwnerVanished' }, release: RELEASE },
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: renaming('mac-1', `tuist-releasing-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R17 a Mac that lives on in another cluster is forgotten here',
    spec: { ...CLAIMED, hold: { reason: 'Moved' } },
    server: serverOf('mac-1'),
    owner: 'moved',
    plan: { do: 'forget' },
  },
]);
