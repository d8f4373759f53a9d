/** Which free Mac a machine gets: pure. Two machines that look at the same list choose alike, and the claim decides. */

import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { HostTimes } from '../host/host-view.ts';
import { isClaimable } from '../host/plan-host.ts';
import { isHoldOfOwner } from '../host/plan-owner.ts';

export interface ChoiceView {
  readonly nowMs: number;
  readonly times: HostTimes;
  readonly machine: ScalewayAppleSiliconMachine;
  readonly hosts: readonly MacHost[];
  /** Servers that other machines name already. */
  readonly taken: ReadonlySet<string>;
  /** Machines of other namespaces with the same name: it would be the same Node (R6). */
  readonly namesakes: readonly ScalewayAppleSiliconMachine[];
  readonly poolPrefix: string;
  readonly poolNamespaces: ReadonlyMap<string, ReadonlySet<string>>;
  readonly projectId: string;
}

export type Choice =
  | { readonly kind: 'chosen'; readonly serverId: string }
  /** It has claimed this one already, and lost the note of it (R16, R17). */
  | { readonly kind: 'known'; readonly serverId: string }
  | { readonly kind: 'none'; readonly reason: string; readonly message: string };

export const chooseHost = (view: ChoiceView): Choice => {
  const claimed = view.hosts.find((host) => isClaimOf(host, view.machine));
  if (claimed !== undefined) return { kind: 'known', serverId: claimed.metadata.name };
  return refuse(view) ?? chooseFree(view);
};

const isClaimOf = ({ spec }: MacHost, { metadata }: ScalewayAppleSiliconMachine): boolean =>
  spec.claimRef?.uid !== undefined &&
  spec.claimRef.uid === metadata.uid &&
  spec.release === undefined &&
  (spec.hold === undefined || isHoldOfOwner(spec.hold.reason));

const prefixOf = ({ machine, poolPrefix }: ChoiceView): string => machine.spec.adoptPoolPrefix || poolPrefix;

/** What no host can help. */
const refuse = (view: ChoiceView): Choice | undefined => {
  const { machine, namesakes, poolNamespaces } = view;
  const prefix = prefixOf(view);
  if (machine.spec.providerID) {
    return none(
      REASONS.machine.provisioned.noAvailableHost,
      `The machine is bound to ${machine.spec.providerID}, and no host of that identity is on record; it gets no other.`,
    );
  }
  if (machine.spec.acquire === 'order') {
    return none(
      REASONS.machine.provisioned.orderLimitReached,
      'This manager orders no servers. Order one at Scaleway under a pool name, and say acquire: pool.',
    );
  }
  if (prefix === '') {
    return none(
      REASONS.machine.provisioned.noAdoptPoolPrefix,
      'Neither the machine nor the manager names a pool prefix.',
    );
  }
  if (/\d/.test(machine.spec.os)) {
    return none(
      REASONS.machine.provisioned.invalidOSPin,
      `"${machine.spec.os}" names an image; name a family, such as Tahoe.`,
    );
  }
  const namespace = machine.metadata.namespace ?? '';
  if (poolNamespaces.get(prefix)?.has(namespace) === false) {
    return none(
      REASONS.machine.provisioned.poolNotAllowed,
      `The namespace ${namespace} may not adopt from the pool "${prefix}": the manager's --pool-namespaces says who may.`,
    );
  }
  const first = namesakes.find((other) => isBefore(other, machine));
  if (first === undefined) return undefined;
  return none(
    REASONS.machine.provisioned.nameTaken,
    `A machine of this name is in the namespace ${first.metadata.namespace}, and Nodes have no namespace: delete one of the two.`,
  );
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
  const prefix = prefixOf(view);
  const fitting = view.hosts.filter(
    (host) => fits(host, machine, prefix) && host.spec.source.scaleway?.projectID === view.projectId,
  );
  const [first] = fitting.filter((host) => isFree(view, host)).sort(byLease);
  return first === undefined
    ? none(REASONS.machine.provisioned.noAvailableHost, describeNone(fitting, machine, prefix))
    : { kind: 'chosen', serverId: first.metadata.name };
};

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** What is paid for longest comes first: the others can be given back to Scaleway sooner. */
const byLease = (one: MacHost, other: MacHost): number => {
  const paid = ({ status }: MacHost): string => status?.server?.deletableAt ?? '';
  return compare(paid(other), paid(one)) || compare(one.metadata.name, other.metadata.name);
};

const none = (reason: string, message: string): Choice => ({ kind: 'none', reason, message });

const fits = ({ spec }: MacHost, machine: ScalewayAppleSiliconMachine, prefix: string): boolean =>
  spec.pool?.prefix === prefix &&
  spec.type === machine.spec.type &&
  spec.source.scaleway?.zone === machine.spec.zone &&
  spec.osFamily === machine.spec.os;

const isFree = (view: ChoiceView, { metadata, spec, status }: MacHost): boolean => {
  const host = { spec, serverName: status?.server?.name, serverStatus: status?.server?.status };
  const isGoing = metadata.deletionTimestamp !== undefined || status?.server?.missingSince !== undefined;
  return !isGoing && !view.taken.has(metadata.name) && isClaimable(host, view);
};

const describeNone = (fitting: readonly MacHost[], { spec }: ScalewayAppleSiliconMachine, prefix: string): string => {
  const wanted = `type ${spec.type}, ${spec.os}, zone ${spec.zone}, pool "${prefix}"`;
  if (fitting.length === 0)
    return `No Mac of ${wanted} is on record. Order one at Scaleway with a name that begins with the prefix.`;
  return `All ${fitting.length} Macs of ${wanted} are in use, being wiped, or were written to a moment ago.`;
};
