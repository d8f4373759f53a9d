/** For tests: requests about MacHosts, and whether the guard lets them through. */
import { FINALIZERS } from '../labels.ts';
import { MAC_HOST_VERBS } from '../policies/mac-host-guard.ts';
import type { PolicyRequest } from './cel-rules.ts';
import { CLAIM, hostWith, RELEASE, SERVER_ID } from './hosts.ts';

export interface GuardedRequest extends PolicyRequest {
  readonly story: string;
  /** Part of the message that refuses it; absent: it is let through. */
  readonly refusal?: RegExp;
}

type Spec = Readonly<Record<string, unknown>>;

const can = (...verbs: readonly (keyof typeof MAC_HOST_VERBS)[]) =>
  verbs.map((verb) => `${SERVER_ID}:${MAC_HOST_VERBS[verb]}`);

const update = (story: string, [old, next]: readonly [Spec, Spec], more: Partial<GuardedRequest>): GuardedRequest => ({
  story,
  operation: 'UPDATE',
  object: hostWith(next),
  oldObject: hostWith(old),
  ...more,
});

const AT = '2026-11-15T10:00:00Z';
const hold = { reason: 'Investigating' };
const rebootRequest = { id: 'r-1' };

const guarded = { ...hostWith(), metadata: { name: SERVER_ID, finalizers: [FINALIZERS.macHost, 'other'] } };
const unguarded = { ...hostWith(), metadata: { name: SERVER_ID, finalizers: ['other'] } };
const bare = { ...guarded, metadata: { name: SERVER_ID, finalizers: [FINALIZERS.macHost] } };

export const GUARDED_REQUESTS: readonly GuardedRequest[] = [
  { story: 'the manager creates a host', operation: 'CREATE', object: hostWith(), verbs: can('manage') },
  { story: 'a restore creates a host', operation: 'CREATE', object: hostWith(), verbs: can('restore') },
  { story: 'a person creates a host', operation: 'CREATE', object: hostWith(), refusal: /"restore"/ },
  {
    story: 'a person with every right but restore creates a host',
    operation: 'CREATE',
    object: hostWith(),
    verbs: can('release', 'reboot'),
    refusal: /"restore"/,
  },
  update('the manager claims a host', [{}, { claimRef: CLAIM }], { verbs: can('manage') }),
  update('the manager drops a release', [{ release: RELEASE }, {}], { verbs: can('manage') }),
  update('a person without rights labels a host', [{}, {}], {}),
  update(
    'a person without rights touches nothing of a busy host',
    [
      { claimRef: CLAIM, hold },
      { claimRef: CLAIM, hold },
    ],
    {},
  ),
  update('a person claims a host', [{}, { claimRef: CLAIM }], {
    verbs: can('release', 'reboot', 'restore'),
    refusal: /Only the manager writes/,
  }),
  update('a person drops a claim', [{ claimRef: CLAIM }, {}], {
    verbs: can('release'),
    refusal: /Only the manager writes/,
  }),
  update('a person forges a wipe', [{}, { reinstall: { intentID: 'x', requestedAt: AT, acceptedAt: AT } }], {
    verbs: can('release'),
    refusal: /Only the manager writes/,
  }),
  update('a person raises the count of wipes', [{ wipes: 3 }, { wipes: 4 }], { refusal: /Only the manager writes/ }),
  update('a person with the right asks for a release', [{}, { release: RELEASE }], { verbs: can('release') }),
  update('a person without the right asks for a release', [{}, { release: RELEASE }], {
    verbs: can('reboot'),
    refusal: /"release"/,
  }),
  update('a person with the right on another host asks for a release', [{}, { release: RELEASE }], {
    verbs: ['other:release'],
    refusal: /"release"/,
  }),
  update('a person takes a release back', [{ release: RELEASE }, {}], {
    verbs: can('release'),
    refusal: /cannot be changed/,
  }),
  update('a person changes a release', [{ release: RELEASE }, { release: { ...RELEASE, policy: 'terminate' } }], {
    verbs: can('release'),
    refusal: /cannot be changed/,
  }),
  update('a person asks for a release and writes the record too', [{}, { release: RELEASE, ordered: true }], {
    verbs: can('release'),
    refusal: /Only the manager writes/,
  }),
  update('a person with the right holds a host', [{}, { hold }], { verbs: can('release') }),
  update('a person with the right lifts a hold', [{ hold }, {}], { verbs: can('release') }),
  update('a person without the right lifts a hold', [{ hold }, {}], { verbs: can('reboot'), refusal: /lift a hold/ }),
  update('a person with the right asks for a reboot', [{}, { rebootRequest }], { verbs: can('reboot') }),
  update('a person without the right asks for a reboot', [{}, { rebootRequest }], {
    verbs: can('release'),
    refusal: /"reboot"/,
  }),
  {
    story: 'the manager takes its finalizer off a host',
    operation: 'UPDATE',
    object: unguarded,
    oldObject: guarded,
    verbs: can('manage'),
  },
  {
    story: 'a person takes the finalizer of the manager off a host',
    operation: 'UPDATE',
    object: unguarded,
    oldObject: guarded,
    verbs: can('release', 'reboot', 'restore'),
    refusal: /Only the manager takes the finalizer/,
  },
  { story: 'a person takes another finalizer off a host', operation: 'UPDATE', object: bare, oldObject: guarded },
];
