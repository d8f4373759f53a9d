/** Which free Mac a machine gets: pure. Machines that look at the same lists choose different ones; else the claim decides. */

import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { osFamilyKey } from '../../macos/os-family-key.ts';
import { isOrder } from '../host/host-life.ts';
import type { HostTimes } from '../host/host-view.ts';
import type { StrayServer } from '../host/known-strays.ts';
import { isClaimable } from '../host/plan-host.ts';
import { type OrderLimits, refuseOrder, tallyOrders } from '../host/plan-order.ts';
import { isHoldOfOwner } from '../host/plan-owner.ts';
import { isAlike, mayAdopt, type PoolNamespaces } from '../host/pool-rights.ts';

export interface ChoiceView {
  readonly nowMs: number;
  readonly times: HostTimes;
  readonly machine: ScalewayAppleSiliconMachine;
  readonly hosts: readonly MacHost[];
  /** How many machines that wait for a Mac come before this one. */
  readonly ahead: number;
  /** Servers that other machines name already. */
  readonly taken: ReadonlySet<string>;
  /** All the other machines. */
  readonly others: readonly ScalewayAppleSiliconMachine[];
  readonly poolPrefix: string;
  readonly poolNamespaces: PoolNamespaces;
  readonly projectId: string;
  /** Zones whose servers this manager lists. */
  readonly zones: readonly string[];
  readonly orders: OrderLimits;
  /** A server that nobody has on record and that has the name of this machine. */
  readonly namesake?: StrayServer | undefined;
}

export type Choice =
  | { readonly kind: 'chosen'; readonly serverId: string }
  /** It has claimed this one already, and lost the note of it (R16, R17). */
  | { readonly kind: 'known'; readonly serverId: string }
  /** One is to be rented for it (R25); `intent` is there already. */
  | { readonly kind: 'order'; readonly intent: MacHost | undefined }
  | { readonly kind: 'none'; readonly reason: string; readonly message: string };

export const chooseHost = (view: ChoiceView): Choice => {
  const claimed = view.hosts.filter((host) => isClaimOf(host, view.machine));
  const known = claimed.find(({ spec }) => !isOrder(spec));
  if (known !== undefined) return { kind: 'known', serverId: known.metadata.name };
  const refusal = refuse(view);
  if (refusal !== undefined) return refusal;
  return view.machine.spec.acquire === 'order' ? chooseOrder(view, claimed[0]) : (refusePool(view) ?? chooseFree(view));
};

const isClaimOf = ({ spec }: MacHost, { metadata }: ScalewayAppleSiliconMachine): boolean =>
  spec.claimRef?.uid !== undefined &&
  spec.claimRef.uid === metadata.uid &&
  spec.release === undefined &&
  (spec.hold === undefined || isHoldOfOwner(spec.hold.reason));

const prefixOf = ({ machine, poolPrefix }: Pick<ChoiceView, 'machine' | 'poolPrefix'>): string =>
  machine.spec.adoptPoolPrefix || poolPrefix;

/** What no host can help. */
const refuse = (view: ChoiceView): Choice | undefined => {
  const { machine, others, zones } = view;
  if (machine.spec.providerID) {
    return none(
      REASONS.machine.provisioned.noAvailableHost,
      `The machine is bound to ${machine.spec.providerID}, and no host of that identity is on record; it gets no other. Delete the Machine, or clear spec.providerID if it never had a Mac.`,
    );
  }
  if (!zones.includes(machine.spec.zone)) {
    return none(
      REASONS.machine.provisioned.zoneNotServed,
      `This manager works in ${zones.join(', ')}, not in "${machine.spec.zone}": correct spec.zone, or name the zone in the manager's --zones.`,
    );
  }
  if (/\d/.test(machine.spec.os)) {
    return none(
      REASONS.machine.provisioned.invalidOSPin,
      `"${machine.spec.os}" names an image; name a family, such as Tahoe.`,
    );
  }
  if (view.namesake !== undefined) return refuseSecond(view.namesake);
  // Of another namespace: it would be the same Node (R6).
  const first = others.find((other) => other.metadata.name === machine.metadata.name && isBefore(other, machine));
  const namespace = first?.metadata.namespace ?? hostOfNamesake(view)?.spec.claimRef?.namespace;
  return namespace === undefined ? undefined : refuseName(namespace);
};

/** Somebody who died before it was noted gave it that server, or another cluster of the project has a machine of its name (T-43). */
const refuseSecond = ({ id, zone }: StrayServer): Choice =>
  none(
    REASONS.machine.provisioned.strayServer,
    `The server ${id} in ${zone} has the name of this machine, and nobody has it on record: rename it to a pool name at Scaleway to have it adopted, or delete this Machine if another cluster has that server.`,
  );

/** A machine of the same name is in that namespace. */
export const refuseName = (namespace: string): Choice =>
  none(
    REASONS.machine.provisioned.nameTaken,
    `A machine of this name is in the namespace ${namespace}, and Nodes have no namespace: delete one of the two.`,
  );

/** A manager of one namespace does not see the machines of others, but their Macs. */
const hostOfNamesake = ({ hosts, machine: { metadata } }: ChoiceView): MacHost | undefined =>
  hosts.find(({ spec: { claimRef } }) => claimRef?.name === metadata.name && claimRef.namespace !== metadata.namespace);

/** What no host of a pool can help. */
const refusePool = (view: ChoiceView): Choice | undefined => {
  const prefix = prefixOf(view);
  const namespace = view.machine.metadata.namespace ?? '';
  if (prefix === '') {
    return none(
      REASONS.machine.provisioned.noAdoptPoolPrefix,
      'Neither the machine nor the manager names a pool prefix: set spec.adoptPoolPrefix, or --default-adopt-pool-prefix.',
    );
  }
  if (!mayAdopt(view.poolNamespaces, prefix, namespace))
    return none(
      REASONS.machine.provisioned.poolNotAllowed,
      `The namespace ${namespace} may not adopt from the pool "${prefix}": the manager's --pool-namespaces says who may, also for prefixes that begin alike.`,
    );
  const other = view.others.find((candidate) => isOverlapping(view, candidate));
  if (other === undefined) return undefined;
  const whose = `${other.metadata.namespace}/${other.metadata.name}`;
  return none(
    REASONS.machine.provisioned.prefixesOverlap,
    `Its pool prefix "${prefix}" and that of ${whose}, "${prefixOf({ ...view, machine: other })}", begin alike: a Mac could be of either pool. Let neither prefix begin with the other.`,
  );
};

/** Whether both want Macs of pools of which one is a part of the other by its name. Who may have none does not count. */
const isOverlapping = (view: ChoiceView, other: ScalewayAppleSiliconMachine): boolean => {
  const [mine, theirs] = [prefixOf(view), prefixOf({ ...view, machine: other })];
  const { namespace = '', deletionTimestamp } = other.metadata;
  if (theirs === '' || mine === theirs || other.spec.acquire === 'order' || deletionTimestamp !== undefined)
    return false;
  return isAlike(mine, theirs) && mayAdopt(view.poolNamespaces, theirs, namespace);
};

/** An intent that is there goes its way; a new one is made only within the limits, counting every other intent. */
const chooseOrder = ({ machine, hosts, orders, nowMs }: ChoiceView, intent: MacHost | undefined): Choice => {
  if (intent !== undefined) return { kind: 'order', intent };
  const { namespace = '' } = machine.metadata;
  const tally = tallyOrders(hosts, { namespace, nowMs, counts: () => true });
  const refusal = refuseOrder(orders, tally, namespace);
  return refusal === undefined
    ? { kind: 'order', intent: undefined }
    : none(REASONS.machine.provisioned.orderLimitReached, refusal);
};

/** Who has a Mac was first; otherwise the older one; all agree on that. */
const isBefore = (other: ScalewayAppleSiliconMachine, machine: ScalewayAppleSiliconMachine): boolean => {
  if (other.status?.serverID) return true;
  const rank = ({ metadata }: ScalewayAppleSiliconMachine): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
  return rank(other) < rank(machine);
};

const chooseFree = (view: ChoiceView): Choice => {
  const { machine } = view;
  const fitting = view.hosts.filter((host) => suits(host, machine, view));
  const free = fitting.filter((host) => isFree(view, host)).sort(byWorth);
  // Who comes after the last one chooses too: those ahead may want others, or none.
  const chosen = free[view.ahead % free.length];
  return chosen === undefined
    ? none(REASONS.machine.provisioned.noAvailableHost, describeNone(view, fitting))
    : { kind: 'chosen', serverId: chosen.metadata.name };
};

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/**
 * One that went back for failing comes last (000-5). Of the others what is paid for longest comes first: the rest can be given
 * back to Scaleway sooner.
 */
const byWorth = (one: MacHost, other: MacHost): number => {
  const paid = ({ status }: MacHost): string => status?.server?.deletableAt ?? '';
  const faults = ({ spec }: MacHost): number => spec.budgets.returns;
  return (
    faults(one) - faults(other) || compare(paid(other), paid(one)) || compare(one.metadata.name, other.metadata.name)
  );
};

const none = (reason: string, message: string): Choice => ({ kind: 'none', reason, message });

/** Whether the Mac is what the machine asks for, free or not. */
export const suits = (
  { spec }: MacHost,
  machine: ScalewayAppleSiliconMachine,
  { poolPrefix, projectId }: Pick<ChoiceView, 'poolPrefix' | 'projectId'>,
): boolean =>
  spec.pool?.prefix === prefixOf({ machine, poolPrefix }) &&
  spec.source.scaleway?.projectID === projectId &&
  spec.type === machine.spec.type &&
  spec.source.scaleway?.zone === machine.spec.zone &&
  isSameFamily(spec.osFamily, machine.spec.os);

/** However each of them writes it: `Tahoe`, `macos-tahoe`. */
const isSameFamily = (one: string | undefined, other: string): boolean => {
  const key = osFamilyKey(other);
  return key !== '' && osFamilyKey(one ?? '') === key;
};

const isFree = (view: ChoiceView, host: MacHost): boolean =>
  !view.taken.has(host.metadata.name) && isOnOffer(host, view);

/** Whether a machine may claim it now, unless another one has chosen it. */
export const isOnOffer = ({ metadata, spec, status }: MacHost, at: Pick<ChoiceView, 'nowMs' | 'times'>): boolean => {
  const host = { spec, serverName: status?.server?.name, serverStatus: status?.server?.status };
  const isGoing = metadata.deletionTimestamp !== undefined || status?.server?.missingSince !== undefined;
  return !isGoing && isClaimable(host, at);
};

const describeNone = (view: ChoiceView, fitting: readonly MacHost[]): string => {
  const { spec } = view.machine;
  const prefix = prefixOf(view);
  const wanted = `type ${spec.type}, ${spec.os}, zone ${spec.zone}, pool "${prefix}"`;
  if (fitting.length === 0) {
    const others = describeOthers(view.hosts, prefix);
    return `No Mac of ${wanted} is on record${others}. Order one at Scaleway with a name that begins with the prefix.`;
  }
  return `All ${fitting.length} Macs of ${wanted} are in use, being wiped, or were written to a moment ago.`;
};

/** What the pool has instead: a type or a family that does not exist is seen at once. */
const describeOthers = (hosts: readonly MacHost[], prefix: string): string => {
  const kinds = hosts
    .filter(({ spec }) => spec.pool?.prefix === prefix)
    .map(({ spec }) => `${spec.type} with ${spec.osFamily} in ${spec.source.scaleway?.zone}`);
  return kinds.length === 0 ? '' : `; that pool has ${[...new Set(kinds)].toSorted().join(', ')}`;
};
