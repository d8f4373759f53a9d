/** For tests: objects and updates of them, and whether the rules of the CRD allow them. */
import { CLAIM, hostWith, RELEASE, SERVER_ID } from './hosts.ts';
import type { Sample } from './parsers.ts';

export interface Update extends Sample {
  readonly old?: Readonly<Record<string, unknown>>;
  /** Part of the message that refuses it; absent: it is allowed. */
  readonly refusal?: RegExp;
}

const machineWith = (spec: object) => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'ScalewayAppleSiliconMachine',
  metadata: { name: 'mac-1', namespace: 'tuist' },
  spec,
});

const machine = (story: string, [old, next]: readonly [object, object], refusal?: RegExp): Update => ({
  story,
  kind: 'ScalewayAppleSiliconMachine',
  old: machineWith(old),
  object: machineWith(next),
  ...(refusal !== undefined && { refusal }),
});

type Spec = Readonly<Record<string, unknown>>;

const host = (story: string, [old, next]: readonly [Spec, Spec], refusal?: RegExp): Update => ({
  story,
  kind: 'MacHost',
  old: hostWith(old),
  object: hostWith(next),
  ...(refusal !== undefined && { refusal }),
});

const newHost = (story: string, object: Spec, refusal?: RegExp): Update => ({
  story,
  kind: 'MacHost',
  object,
  ...(refusal !== undefined && { refusal }),
});

const here = { providerID: 'scw-applesilicon://fr-par-1/a' };
const there = { providerID: 'scw-applesilicon://fr-par-1/b' };
const scaleway = { projectID: '1b2c', zone: 'fr-par-1' };
const order = { intentID: 'o-1', name: 'tuist-order-1', requestedAt: '2026-11-15T10:00:00Z' };
const key = { fingerprint: 'SHA256:aaa', wipes: 3 };

export const UPDATES: readonly Update[] = [
  machine('gets its providerID', [{}, here]),
  machine('keeps its providerID while something else changes', [here, { ...here, hostCPU: 4 }]),
  machine('loses its providerID', [here, {}]),
  machine('has its providerID emptied', [here, { providerID: '' }]),
  machine('gets a providerID after it was emptied', [{ providerID: '' }, there]),
  machine('gets the providerID of another host', [here, there], /set and cleared, not changed/),

  newHost('is named by its server', hostWith()),
  newHost('has another name than its server', hostWith({}, 'mac-7'), /metadata.name must equal/),
  newHost('is static, under any name', hostWith({ source: { static: { address: '10.0.0.7' } } }, 'desk-mac')),
  newHost('comes from nowhere', hostWith({ source: {} }), /exactly one of/),
  newHost(
    'comes from two places',
    hostWith({ source: { scaleway: { ...scaleway, serverID: SERVER_ID }, static: { address: 'x' } } }),
    /exactly one of/,
  ),
  newHost('is being ordered', hostWith({ source: { scaleway }, order }, 'order-o-1')),
  newHost('has no server and is not being ordered', hostWith({ source: { scaleway } }, 'x'), /or order while/),

  host(
    'moves to another zone',
    [{}, { source: { scaleway: { ...scaleway, zone: 'fr-par-3', serverID: SERVER_ID } } }],
    /source is immutable/,
  ),
  host('gets the id of the ordered server', [{ source: { scaleway }, order }, { order }], /source is immutable/),
  host('has its order refused', [{ order }, { order: { ...order, refusals: 1 } }]),
  host(
    'has its order exchanged for another',
    [{ order }, { order: { ...order, intentID: 'o-2' } }],
    /one intent is one order/,
  ),
  host('is claimed', [{}, { claimRef: CLAIM }]),
  host('loses its claim', [{ claimRef: CLAIM }, {}]),
  host('is handed to a namesake', [{ claimRef: CLAIM }, { claimRef: { ...CLAIM, uid: 'other' } }], /never handed over/),
  host('counts a wipe', [{ wipes: 3 }, { wipes: 4 }]),
  host('forgets a wipe', [{ wipes: 3 }, { wipes: 2 }], /never goes down/),
  host('starts an operation', [{ epoch: 7 }, { epoch: 8 }]),
  host('goes back an epoch', [{ epoch: 7 }, { epoch: 6 }], /never goes down/),
  host('is asked to be released', [{}, { release: RELEASE }]),
  host('has been released', [{ release: RELEASE }, {}]),
  host('gets the time its release was asked for', [
    { release: { ...RELEASE, requestedAt: undefined } },
    { release: RELEASE },
  ]),
  host(
    'has its release exchanged for another',
    [{ release: RELEASE }, { release: { ...RELEASE, intentID: 'b' } }],
    /under its intentID/,
  ),
  host('shows its key for the first time', [{}, { hostKey: key }]),
  host('keeps its key', [{ hostKey: key }, { hostKey: key, epoch: 9 }]),
  host('shows a new key after a wipe', [{ hostKey: key }, { hostKey: { fingerprint: 'SHA256:bbb', wipes: 4 } }]),
  host(
    'shows a new key out of nowhere',
    [{ hostKey: key }, { hostKey: { ...key, fingerprint: 'SHA256:bbb' } }],
    /only with a wipe/,
  ),
  host('has its key forgotten', [{ hostKey: key }, {}]),
  host('is held', [{}, { hold: { reason: 'Investigating', message: 'It makes a noise.' } }]),
  host('is held for a sentence', [{}, { hold: { reason: 'It makes a noise' } }], /goes into message/),
];
