/** Whether a Mac may be released, and what becomes of it. Pure. */
import { FleetError } from '../../base/errors.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';

export type ReleasePolicy = 'pool' | 'terminate';

export type ReleasePlan =
  | { readonly do: 'nothing'; readonly because: string }
  | { readonly do: 'release'; readonly says: readonly string[] };

/** `owner` is the machine that its claim names, if it is there. */
export const planRelease = (
  { metadata, spec, status }: MacHost,
  owner: ScalewayAppleSiliconMachine | undefined,
  policy: ReleasePolicy,
): ReleasePlan => {
  const { name } = metadata;
  if (spec.release !== undefined) {
    return { do: 'nothing', because: `The release of ${name} was asked for already (${spec.release.reason}).` };
  }
  if (owner !== undefined && owner.metadata.uid === spec.claimRef?.uid) throw inUse(name, owner);
  if (spec.pool === undefined && !spec.ordered) throw noRight(name);
  const kept = spec.hold ?? spec.quarantine;
  const isEnded = policy === 'terminate' || spec.ordered;
  return {
    do: 'release',
    says: [
      `The Mac ${name} (${status?.server?.name ?? 'without a name'}, ${status?.state ?? 'no state'}) will be released:`,
      ...(kept === undefined
        ? []
        : [`  it is kept now because: ${kept.reason}${kept.message ? `, ${kept.message}` : ''}`]),
      '  everything on it is lost',
      isEnded
        ? '  its rent ends, at once or as soon as its lease allows'
        : `  it is wiped, and then free in its pool ${spec.pool?.prefix}`,
      'A release cannot be taken back.',
    ],
  };
};

const inUse = (name: string, { metadata }: ScalewayAppleSiliconMachine): FleetError =>
  new FleetError('conflict', {
    code: 'HostInUse',
    message: `the Mac ${name} works for the machine ${metadata.namespace}/${metadata.name}`,
    hint: `To have it replaced: kubectl -n ${metadata.namespace} delete machine ${metadata.name}. To take it off its machine first: macfleet detach ${metadata.name}.`,
  });

const noRight = (name: string): FleetError =>
  new FleetError('denied', {
    code: 'NoRightToWipe',
    message: `the Mac ${name} is of no pool, and was not ordered by Macfleet: nobody may wipe or delete it from here`,
    hint: 'Delete or reinstall its server at Scaleway yourself.',
  });
