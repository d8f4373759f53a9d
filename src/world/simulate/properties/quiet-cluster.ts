/** L13, L16, L20, L21: once trouble is over, machines say what they wait for, somebody leads, and nobody writes for nothing. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { LEASE_NAMES } from '../../../kinds/names.ts';
import type { Truth } from '../truth.ts';
import type { Finding } from './memory.ts';
import type { Witness } from './witness.ts';

const SECOND_MS = 1_000;
/** A machine that is older has been looked at. */
const SEEN_MS = 600_000;
/** Within an hour nothing changes more often, once nobody changes anything: certificates are renewed, Macs looked at. */
const WRITES_MAX = 40;
/** Of a Mac that keeps failing: it is claimed, tried eight times, and wiped twice an hour until it is in quarantine. */
const TRIED_WRITES_MAX = 2 * WRITES_MAX;

const isTriedAgain = ({ spec }: MacHost): boolean => spec.quarantine !== undefined || spec.budgets.returns > 0;

export const judgeCluster = (truth: Truth, witness: Witness): readonly Finding[] => [
  ...silentMachines(truth),
  ...noLeader(truth),
  ...wrongExcuses(truth),
  ...restlessObjects(truth, witness),
];

const provisionedOf = ({ status }: ScalewayAppleSiliconMachine) =>
  status?.conditions?.find(({ type }) => type === 'Provisioned');

const waitingMachines = (truth: Truth): readonly ScalewayAppleSiliconMachine[] =>
  truth.list('machines').filter(({ metadata, status }) => {
    const isOld = truth.nowMs() - (parseTimestamp(metadata.creationTimestamp) ?? truth.nowMs()) > SEEN_MS;
    const isOwned = metadata.ownerReferences?.some(({ kind }) => kind === 'Machine') === true;
    return isOld && isOwned && metadata.deletionTimestamp === undefined && !status?.initialization?.provisioned;
  });

const silentMachines = (truth: Truth): readonly Finding[] =>
  waitingMachines(truth)
    .filter((machine) => !provisionedOf(machine)?.reason)
    .map(({ metadata }) => ({ property: 'L13', message: `${metadata.name} is not provisioned, and does not say why` }));

/** A clock that is wrong makes the time of renewal wrong, not the renewing. */
const noLeader = (truth: Truth): readonly Finding[] => {
  const lease = truth.find('leases', LEASE_NAMES.manager)?.spec;
  const ageMs = truth.nowMs() - (parseTimestamp(lease?.renewTime) ?? 0);
  const lastsMs = 2 * (lease?.leaseDurationSeconds ?? 0) * SECOND_MS;
  return ageMs > lastsMs ? [{ property: 'L16', message: `nobody leads since ${lease?.renewTime ?? 'ever'}` }] : [];
};

const wrongExcuses = (truth: Truth): readonly Finding[] =>
  truth
    .list('machines')
    .filter((machine) => machine.status?.initialization?.provisioned === true && machine.status.serverID)
    .filter((machine) => provisionedOf(machine)?.reason === 'NoAvailableHost')
    .map(({ metadata }) => ({ property: 'L20', message: `${metadata.name} has a Mac, and says that there is none` }));

const restlessObjects = (truth: Truth, witness: Witness): readonly Finding[] => {
  const tried = truth.list('hosts').filter(isTriedAgain);
  const mostOf = (what: string): number =>
    tried.some(({ metadata }) => what.endsWith(`/machosts /${metadata.name}`)) ? TRIED_WRITES_MAX : WRITES_MAX;
  return witness
    .busiest(truth.nowMs())
    .filter(({ what, writes }) => writes > mostOf(what))
    .map(({ what, writes }) => ({ property: 'L21', message: `${what} was written ${writes} times within an hour` }));
};
