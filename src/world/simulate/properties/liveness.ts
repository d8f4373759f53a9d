/** L1–L3, and by others L4–L6 and L13–L21: what must have come right once trouble has been over for a while. Judged once, at the end. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { parseServerName } from '../../../kinds/names.ts';
import { CLUSTER_API_LABELS } from '../../../kube/types/cluster-api.ts';
import { CLUSTER_IDS } from '../../fleet-world.ts';
import type { Truth } from '../truth.ts';
import type { Finding } from './memory.ts';
import { judgeCluster } from './quiet-cluster.ts';
import { judgeMacs } from './quiet-macs.ts';
import { judgeRecords } from './quiet-records.ts';
import type { Witness } from './witness.ts';

const POOLS = ['tuist-pool-'];
/** Within this a wipe, and what precedes it, are done. */
const SETTLED_MS = 3_600_000;

const isOld = (time: string | undefined, nowMs: number): boolean =>
  nowMs - (parseTimestamp(time) ?? nowMs) > SETTLED_MS;

export const judgeQuiet = (truth: Truth, witness: Witness): readonly Finding[] => [
  ...stuckMachines(truth),
  ...stuckDeletions(truth),
  ...stuckReleases(truth),
  ...lostServers(truth, witness),
  ...judgeRecords(truth),
  ...judgeMacs(truth, witness),
  ...judgeCluster(truth, witness),
  ...witness.judge(truth),
];

/** Scaleway installs it no more (F22): it suits nobody, and a wipe of it is refused. */
const CANNOT_BE_INSTALLED = 'DevOS';

/** Free for anybody: of the pool by name and record, and well. */
const isFree = (truth: Truth, { metadata, spec }: MacHost): boolean => {
  const server = truth.server(metadata.name);
  const isPooled = parseServerName(server?.name ?? '', POOLS)?.kind === 'pool';
  const isNobodys = [spec.claimRef, spec.release, spec.hold, spec.quarantine].every((part) => part === undefined);
  const isWell = server?.status === 'ready' && server.osFamily !== CANNOT_BE_INSTALLED;
  return isPooled && isNobodys && isWell && metadata.deletionTimestamp === undefined;
};

/** Somebody gave it to a Cluster that does not exist: it waits for that person. */
const isNobodys = (truth: Truth, { metadata }: ScalewayAppleSiliconMachine): boolean => {
  const cluster = metadata.labels?.[CLUSTER_API_LABELS.clusterName];
  return cluster !== undefined && truth.find('clusters', cluster, metadata.namespace) === undefined;
};

/** Another namespace has its name, or a Mac under it (R6): it waits for whoever is to delete one of the two. */
const isNamesake = (truth: Truth, { metadata: { name, namespace } }: ScalewayAppleSiliconMachine): boolean => {
  const claims = truth.list('hosts').map(({ spec }) => spec.claimRef);
  return [...truth.list('machines').map(({ metadata }) => metadata), ...claims].some(
    (other) => other?.name === name && other.namespace !== namespace,
  );
};

/** It is the machine of one Mac, and gets no other, however long that takes (R17, R22): that is told. */
const isBound = ({ spec }: ScalewayAppleSiliconMachine): boolean => Boolean(spec.providerID);

const isWaiting = (truth: Truth, machine: ScalewayAppleSiliconMachine): boolean =>
  isWithout(truth, machine) && !isNobodys(truth, machine) && !isBound(machine) && !isNamesake(truth, machine);

const isWithout = (truth: Truth, { metadata, status }: ScalewayAppleSiliconMachine): boolean =>
  metadata.deletionTimestamp === undefined &&
  !status?.serverID &&
  isOld(metadata.creationTimestamp, truth.nowMs()) &&
  metadata.ownerReferences?.some(({ kind }) => kind === 'Machine') === true;

/** A machine without a Mac, beside a Mac without a machine. */
const stuckMachines = (truth: Truth): readonly Finding[] => {
  const free = truth.list('hosts').find((host) => isFree(truth, host));
  const waiting = truth.list('machines').find((machine) => isWaiting(truth, machine));
  if (free === undefined || waiting === undefined) return [];
  return [{ property: 'L1', message: `${waiting.metadata.name} has no Mac, and ${free.metadata.name} is free` }];
};

const stuckDeletions = (truth: Truth): readonly Finding[] =>
  [...truth.list('machines'), ...truth.list('coreMachines')]
    .filter(({ metadata }) => isOld(metadata.deletionTimestamp, truth.nowMs()))
    .map(({ metadata, kind }) => ({
      property: 'L2',
      message: `${kind} ${metadata.name} is being deleted since ${metadata.deletionTimestamp}`,
    }));

/** A release goes on as long as the server is there under a name of ours and does what it is told. */
const stuckReleases = (truth: Truth): readonly Finding[] =>
  truth
    .list('hosts')
    .filter(({ metadata, spec }) => {
      const server = truth.server(metadata.name);
      const { current, next } = spec.assignedName ?? {};
      const isOurs = server !== undefined && (server.name === current || server.name === next);
      const isWell = server?.status === 'ready' && server.osFamily !== CANNOT_BE_INSTALLED;
      return spec.pool !== undefined && spec.release?.policy === 'pool' && isOurs && isWell;
    })
    .filter(({ spec }) => isOld(spec.release?.requestedAt, truth.nowMs()))
    .map(({ metadata, spec, status }) => ({
      property: 'L3',
      message: `${metadata.name} is ${status?.state} since its release at ${spec.release?.requestedAt}`,
    }));

/**
 * Every server with a name that only we give is on record. A name that was on its way to a machine of which an older etcd knows nothing
 * may be that of another cluster: nobody touches the server, and it is told as astray.
 */
const lostServers = (truth: Truth, witness: Witness): readonly Finding[] =>
  truth
    .servers()
    .filter(({ name, id }) => {
      const parsed = parseServerName(name, POOLS);
      const isForeign = parsed !== undefined && 'clusterId' in parsed && !CLUSTER_IDS.includes(parsed.clusterId);
      const isKnown = [truth, ...truth.others()].some((one) => one.find('hosts', id) !== undefined);
      const isAstray = parsed?.kind === 'claim-pending' && witness.hasForgotten();
      return parsed !== undefined && !isForeign && !isKnown && !isAstray;
    })
    .map(({ name, id }) => ({ property: 'L3', message: `nobody knows ${id}, which is named ${name}` }));
