/** Which free Mac a machine gets: pure. Two machines that look at the same list choose alike, and the claim decides. */

import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { type HostTimes, isClaimable } from '../host/plan-host.ts';

export interface ChoiceView {
  readonly nowMs: number;
  readonly times: HostTimes;
  readonly machine: ScalewayAppleSiliconMachine;
  readonly hosts: readonly MacHost[];
  /** Servers that other machines name already. */
  readonly taken: ReadonlySet<string>;
  readonly poolPrefix: string;
  readonly projectId: string;
}

export type Choice =
  | { readonly kind: 'chosen'; readonly serverId: string }
  | { readonly kind: 'none'; readonly reason: string; readonly message: string };

export const chooseHost = (view: ChoiceView): Choice => {
  const { machine, poolPrefix } = view;
  const prefix = machine.spec.adoptPoolPrefix || poolPrefix;
  if (machine.spec.providerID) {
    return none(
      REASONS.machine.provisioned.noAvailableHost,
      `The machine is bound to ${machine.spec.providerID}, and no host of that identity is on record; it gets no other.`,
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
  const fitting = view.hosts.filter(
    (host) => fits(host, machine, prefix) && host.spec.source.scaleway?.projectID === view.projectId,
  );
  const [first] = fitting
    .filter((host) => isFree(view, host))
    .map(({ metadata }) => metadata.name)
    .sort();
  return first === undefined
    ? none(REASONS.machine.provisioned.noAvailableHost, describeNone(fitting, machine, prefix))
    : { kind: 'chosen', serverId: first };
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
