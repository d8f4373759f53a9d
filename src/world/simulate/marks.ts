/** Rare states that a swarm must reach now and then (L22): what is never reached is never tested. */
import { HOST_STATES } from '../../kinds/mac-host.ts';
import { DISTURBANCES } from './disturbances.ts';
import type { Happening } from './truth.ts';

/** Also said by strikes that come with another one. */
export const OLDER_ETCD = 'sometimes: an older etcd came back';

/** Every state that a swarm has to reach. */
export const RARE_STATES: readonly string[] = [
  ...HOST_STATES.map((state) => `sometimes: ${state}`),
  ...['a record is removed', 'tier 1, a reboot', 'tier 2, another Mac', 'found not wiped', 'another host key'],
  ...['terminate', 'held, OwnerVanished', 'a claim is dropped', 'gone', 'an epoch is adopted', 'another leader'],
  ...['a stale write is refused', 'the API came back', 'an older etcd came back'],
].map((state) => (state.startsWith('sometimes') ? state : `sometimes: ${state}`));

/** In one of so many schedules at least. */
const ONE_IN = 1_000;

/** Of what a swarm should reach, and the kinds of trouble that should strike: what it did too rarely. */
export const unreached = (marks: Readonly<Record<string, number>>, schedules: number): readonly string[] =>
  [...RARE_STATES, ...DISTURBANCES.map(({ id }) => id)].filter(
    (mark) => (marks[mark] ?? 0) < Math.max(1, schedules / ONE_IN),
  );

/** The marks that this happening sets. */
export const marksOf = (happening: Happening): readonly string[] => {
  if (happening.is === 'stale-write') return ['sometimes: a stale write is refused'];
  if (happening.is === 'reopened') return [happening.how === 'restored' ? OLDER_ETCD : 'sometimes: the API came back'];
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
