/** Rare states that a swarm must reach now and then (L22): what is never reached is never tested. */
import type { Happening } from './truth.ts';

/** The marks that this happening sets. */
export const marksOf = (happening: Happening): readonly string[] => {
  if (happening.is !== 'object') return [];
  const { change } = happening;
  if (change.kind === 'leases') return leaderMarks(change);
  if (change.kind !== 'hosts') return [];
  const { before, after } = change;
  if (after === undefined) return ['sometimes: a record is removed'];
  const [old, now] = [before?.spec, after.spec];
  return [
    after.status?.state !== before?.status?.state && `sometimes: ${after.status?.state}`,
    now.budgets.reboots.sinceClaim > (old?.budgets.reboots.sinceClaim ?? 0) && 'sometimes: tier 1, a reboot',
    now.release?.reason === 'BootstrapExhausted' && old?.release === undefined && 'sometimes: tier 2, another Mac',
    now.release?.reason === 'NotWiped' && old?.release === undefined && 'sometimes: found not wiped',
    now.release?.reason === 'HostKeyChanged' && old?.release === undefined && 'sometimes: another host key',
    now.release?.policy === 'terminate' && old?.release === undefined && 'sometimes: terminate',
    now.hold !== undefined && old?.hold === undefined && `sometimes: held, ${now.hold.reason}`,
    now.claimRef === undefined &&
      old?.claimRef !== undefined &&
      now.wipes === old.wipes &&
      'sometimes: a claim is dropped',
    after.status?.server?.goneAt !== undefined && before?.status?.server?.goneAt === undefined && 'sometimes: gone',
    now.epoch > (old?.epoch ?? 0) + 1 && 'sometimes: an epoch is adopted',
  ].filter((mark) => mark !== false);
};

const leaderMarks = ({
  before,
  after,
}: Extract<Extract<Happening, { is: 'object' }>['change'], { kind: 'leases' }>) => {
  const [old, now] = [before?.spec?.holderIdentity, after?.spec?.holderIdentity];
  return old && now && old !== now ? ['sometimes: another leader'] : [];
};
