/** S1–S6: a Mac has one owner at a time, and only its owner's wishes reach it. */
import { FINALIZERS } from '../../../kinds/labels.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS, CLUSTER_API_LABELS } from '../../../kube/types/cluster-api.ts';
import type { AuditEntry } from '../../../sim/cloud/call-log.ts';
import type { MacView } from '../../../sim/mac/sim-mac.ts';
import { BY_HAND } from '../taken-back.ts';
import type { Happening, Property, Truth } from '../truth.ts';
import { acceptedByFleet } from './fleet-writes.ts';

const isLive = ({ metadata }: ScalewayAppleSiliconMachine): boolean => metadata.deletionTimestamp === undefined;

/** Whoever has the claim or was told that it is provisioned names its Mac; a mere choice is none yet (R5). */
const hasMac = (machine: ScalewayAppleSiliconMachine, host: MacHost | undefined): boolean =>
  host?.spec.claimRef?.uid === machine.metadata.uid || machine.status?.initialization?.provisioned === true;

const ownersOf = (truth: Truth, serverId: string): readonly ScalewayAppleSiliconMachine[] => {
  const host = truth.find('hosts', serverId);
  return truth
    .list('machines')
    .filter((machine) => isLive(machine) && machine.status?.serverID === serverId && hasMac(machine, host));
};

/** One that a person took the Mac back from has it again only by a claim, whatever it still says of itself (taken-back.ts). */
const isDispossessed = (truth: Truth, serverId: string, { metadata: { uid = '' } }: ScalewayAppleSiliconMachine) =>
  truth.takenBackFrom(serverId).has(uid) && truth.find('hosts', serverId)?.spec.claimRef?.uid !== uid;

/** Two clusters may both have a claim on record, until the name at Scaleway tells one that it was late (R7). */
const isSettled = (truth: Truth) => (machine: ScalewayAppleSiliconMachine) =>
  truth.others().length === 0 || machine.status?.initialization?.provisioned === true;

/** The servers that a change may give another owner. */
const serversOf = (happening: Happening): readonly string[] => {
  if (happening.is !== 'object') return [];
  const { change } = happening;
  if (change.kind === 'hosts') return change.after === undefined ? [] : [change.after.metadata.name];
  if (change.kind !== 'machines') return [];
  return change.after?.status?.serverID ? [change.after.status.serverID] : [];
};

/** Nobody is put out of a claim by another's (R5): in between the Mac is nobody's. */
const replacedClaim = (happening: Happening): string | undefined => {
  if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
  const { before, after } = happening.change;
  const [old, now] = [before?.spec.claimRef, after?.spec.claimRef];
  if (old === undefined || now === undefined || old.uid === now.uid) return undefined;
  return `${after?.metadata.name} had the claim of ${old.name}, and has that of ${now.name}`;
};

export const exclusiveClaim: Property = {
  id: 'S1',
  promise: 'a Mac has one machine at a time',
  judge: () => (happening, truth) => {
    const replaced = replacedClaim(happening);
    if (replaced !== undefined) return replaced;
    for (const serverId of serversOf(happening)) {
      const owners = [truth, ...truth.others()].flatMap((one) =>
        ownersOf(one, serverId)
          .filter(isSettled(one))
          .filter((owner) => !isDispossessed(one, serverId, owner)),
      );
      if (owners.length > 1) return `${serverId} has ${owners.map(({ metadata }) => metadata.name).join(' and ')}`;
    }
    return undefined;
  },
};

export const noLiveWipe: Property = {
  id: 'S2',
  promise: 'a Mac is wiped only on a stored release, and never under a machine that works on it',
  judge: () => (happening, truth) => {
    const entry = acceptedByFleet(happening, 'reinstall');
    if (entry === undefined) return undefined;
    const release = truth.find('hosts', entry.serverId)?.spec.release;
    if (release === undefined) return `${entry.serverId} is wiped although nothing asks for it`;
    if (BY_HAND.test(release.intentID)) return undefined;
    if (isFoundUnused(release, truth.mac(entry.serverId))) return undefined;
    const victim = ownersOf(truth, entry.serverId).find(({ status }) => status?.initialization?.provisioned);
    return victim && `${entry.serverId} is wiped under ${victim.metadata.name}`;
  },
};

/** R3: one with a pool name that a machine still names; nothing was done to it since it was wiped. */
const isFoundUnused = ({ reason }: NonNullable<MacHost['spec']['release']>, mac: MacView | undefined): boolean =>
  reason === 'FoundHalfReleased' && mac?.hostname === undefined;

interface Tenant {
  readonly nodeName: string;
  readonly wipes: number;
}

export const noDirtyAdoption: Property = {
  id: 'S3',
  promise: 'a Mac works for another machine only after a wipe',
  judge: () => {
    const tenants = new Map<string, Tenant>();
    return (happening, truth) => {
      if (happening.is !== 'agent' || happening.agent.kind !== 'started') return undefined;
      const { providerId, nodeName } = happening.agent;
      const serverId = providerId.split('/').at(-1) ?? '';
      const before = tenants.get(serverId);
      const wipes = truth.server(serverId)?.wipes ?? 0;
      tenants.set(serverId, { nodeName, wipes });
      if (before === undefined || before.nodeName === nodeName || wipes > before.wipes) return undefined;
      return `${serverId} works for ${nodeName}, and was not wiped after it worked for ${before.nodeName}`;
    };
  },
};

export const accountConserved: Property = {
  id: 'S4',
  promise: 'a server is given up only for a machine whose release policy is terminate',
  judge: () => (happening, truth) => {
    const entry = acceptedByFleet(happening, 'terminate', 'schedule');
    if (entry === undefined || entry.argument === 'keep') return undefined;
    const policy = truth.find('hosts', entry.serverId)?.spec.release?.policy;
    return policy === 'terminate' ? undefined : `${entry.serverId} is given up, and its policy is ${policy ?? 'none'}`;
  },
};

const isPausedInTruth = ({ metadata }: ScalewayAppleSiliconMachine, truth: Truth): boolean =>
  metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined ||
  truth.find('clusters', metadata.labels?.[CLUSTER_API_LABELS.clusterName] ?? '', metadata.namespace)?.spec.paused ===
    true;

/** A write on the wire when the pause came may still arrive; one per Mac. */
const WRITES_ON_THE_WIRE = 1;

export const pausedIsFrozen: Property = {
  id: 'S5',
  promise: 'nothing is done to the Mac of a paused machine, but what was on the wire already',
  judge: () => {
    const arrived = new Map<string, number>();
    /** Machines that got their Mac back since their cluster was paused. */
    const late = new Set<string>();
    return (happening, truth) => {
      if (isClusterPaused(happening)) late.clear();
      const serverId = happening.is === 'cloud-write' ? happening.entry.serverId : undefined;
      if (serverId === undefined) return clearedStaysClear(happening, truth, late);
      const owner = frozenOwnerOf(truth, serverId);
      if (owner === undefined) arrived.delete(serverId);
      if (owner === undefined || acceptedByFleet(happening) === undefined) return undefined;
      const count = (arrived.get(serverId) ?? 0) + 1;
      arrived.set(serverId, count);
      return count > WRITES_ON_THE_WIRE ? `${count} writes to ${serverId} since ${owner} is paused` : undefined;
    };
  },
};

/** A release goes its way also while its machine is paused (001-2). */
const frozenOwnerOf = (truth: Truth, serverId: string): string | undefined => {
  const host = truth.find('hosts', serverId);
  if (host?.spec.claimRef === undefined || host.spec.release !== undefined) return undefined;
  const { uid } = host.spec.claimRef;
  const owner = truth.list('machines').find(({ metadata }) => metadata.uid === uid);
  if (owner === undefined || !isLive(owner) || !isPausedInTruth(owner, truth)) return undefined;
  return owner.metadata.name;
};

const isClusterPaused = (happening: Happening): boolean =>
  happening.is === 'object' &&
  happening.change.kind === 'clusters' &&
  happening.change.after?.spec.paused === true &&
  happening.change.before?.spec.paused !== true;

/**
 * What a person took off a paused machine is not put back (N4); what names no server there is, a person wrote. A write to a machine that was on the wire when its cluster was
 * paused knows nothing of that, and arrives: one of each machine.
 */
const clearedStaysClear = (happening: Happening, truth: Truth, late: Set<string>): string | undefined => {
  if (happening.is !== 'object' || happening.change.kind !== 'machines') return undefined;
  const { before, after } = happening.change;
  if (before === undefined || after === undefined || !isPausedInTruth(before, truth)) return undefined;
  const isServer = (name = ''): boolean => truth.server(name.split('/').at(-1) ?? '') !== undefined;
  const isBack = !before.status?.serverID && isServer(after.status?.serverID);
  const isNamed = !before.spec.providerID && isServer(after.spec.providerID);
  if (!isBack && !isNamed) return undefined;
  const isPausedItself = before.metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined;
  const { uid = '', name } = after.metadata;
  if (!isPausedItself && !late.has(uid)) {
    late.add(uid);
    return undefined;
  }
  return `${name} is paused, and got its Mac back`;
};

export const finalizerFirst: Property = {
  id: 'S6',
  promise: 'nothing is done to a Mac before its machine and its record have their finalizers',
  judge: () => (happening, truth) => {
    const entry = acceptedByFleet(happening);
    return entry === undefined ? undefined : missingFinalizer(truth, entry);
  },
};

const missingFinalizer = (truth: Truth, { verb, serverId }: AuditEntry): string | undefined => {
  const host = truth.find('hosts', serverId);
  if (host === undefined) return undefined;
  if (!host.metadata.finalizers?.includes(FINALIZERS.macHost)) return `${verb} of ${serverId}, whose record may vanish`;
  const { claimRef, release } = host.spec;
  const owner = truth.list('machines').find(({ metadata }) => metadata.uid === claimRef?.uid);
  // What a person releases is given back, whatever people did to its machine before.
  if (owner === undefined || !isLive(owner) || BY_HAND.test(release?.intentID ?? '')) return undefined;
  return owner.metadata.finalizers?.includes(FINALIZERS.machine)
    ? undefined
    : `${verb} of ${serverId} for ${owner.metadata.name}, which has no finalizer`;
};
