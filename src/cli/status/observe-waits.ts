/** What waits in a fleet, for what and since when, oldest first. Pure. */
import type { Job } from '../../controlplane/core/workloads/job.ts';
import { CONDITIONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { conditionOf, isTrue, renderReason } from '../fleet/conditions.ts';
import type { FleetObjects } from '../fleet/fleet-kinds.ts';

export interface Wait {
  readonly kind: 'mac' | 'machine' | 'pod' | 'job' | 'runnerpool' | 'cluster';
  readonly name: string;
  readonly why: string;
  readonly since: string | undefined;
}

/** `pods` and `jobs` are those for Macs. */
export const observeWaits = (fleet: FleetObjects): readonly Wait[] => {
  const claimers = new Set(fleet.hosts.map(({ spec }) => spec.claimRef?.uid));
  return [
    ...fleet.clusters.flatMap((cluster): readonly Wait[] =>
      cluster.spec.paused === true
        ? [{ kind: 'cluster', name: renderKey(keyOf(cluster)), why: 'the Cluster is paused', since: undefined }]
        : [],
    ),
    ...fleet.hosts.flatMap(waitOfHost),
    ...fleet.machines.flatMap((machine) => waitOfMachine(machine, claimers)),
    ...fleet.pods.flatMap(waitOfPod),
    ...fleet.jobs.flatMap(waitOfJob),
    ...fleet.pools.flatMap(waitOfPool),
  ].toSorted((left, right) => ((left.since ?? '') < (right.since ?? '') ? -1 : 1));
};

/** What a Mac does or waits for, in one line; undefined when there is nothing to say. */
export const whyOfHost = (host: MacHost): string | undefined => {
  const { spec, status } = host;
  const kept = spec.hold ?? spec.quarantine;
  if (kept !== undefined) return renderReason(kept);
  const running = status?.operation?.steps?.find(({ state }) => state === 'running');
  const ready = conditionOf(host, CONDITIONS.host.ready);
  if (ready?.status === 'True') return undefined;
  const step = status?.operation?.finishedAt === undefined && running !== undefined ? `at step ${running.id}` : '';
  const why = ready === undefined ? '' : renderReason(ready);
  return [why, step].filter((part) => part !== '').join(', ') || undefined;
};

const waitOfHost = (host: MacHost): readonly Wait[] => {
  const { metadata, spec, status } = host;
  const why = whyOfHost(host);
  if (why === undefined) return [];
  const since = spec.hold?.since ?? spec.quarantine?.since ?? status?.stateSince;
  return [{ kind: 'mac', name: metadata.name, why, since }];
};

type Why = Pick<Wait, 'why' | 'since'>;

/** The uids of machines that have a Mac. */
type Claimers = ReadonlySet<string | undefined>;

/** A machine that has a Mac waits for it, and the Mac says for what. */
const waitOfMachine = (machine: ScalewayAppleSiliconMachine, claimers: Claimers): readonly Wait[] => {
  const why = judgeMachine(machine);
  if (why === undefined || (why.isOwn === 'no' && claimers.has(machine.metadata.uid))) return [];
  return [{ kind: 'machine', name: renderKey(keyOf(machine)), why: why.why, since: why.since }];
};

export const whyOfMachine = (machine: ScalewayAppleSiliconMachine): string | undefined => judgeMachine(machine)?.why;

interface MachineWhy extends Why {
  /** Whether it waits for something else than its Mac. */
  readonly isOwn: 'yes' | 'no';
}

const judgeMachine = (machine: ScalewayAppleSiliconMachine): MachineWhy | undefined => {
  const { metadata, status } = machine;
  const paused = metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined;
  if (paused) return { isOwn: 'yes', why: 'it is paused (annotation cluster.x-k8s.io/paused)', since: undefined };
  if (status?.failureReason !== undefined) {
    const why = renderReason({ reason: status.failureReason, message: status.failureMessage });
    return { isOwn: 'yes', why, since: status.lastUpdateFailureTime };
  }
  const types = [CONDITIONS.machine.provisioned, CONDITIONS.machine.bootstrapped];
  const unmet = types
    .map((type) => conditionOf(machine, type))
    .find((condition) => condition !== undefined && condition.status !== 'True');
  if (unmet !== undefined) return { isOwn: 'no', why: renderReason(unmet), since: unmet.lastTransitionTime };
  if (status?.ready === true || metadata.deletionTimestamp !== undefined) return undefined;
  if (status?.phase === 'Failed')
    return { isOwn: 'no', why: 'its Mac is lost, and it is to be replaced', since: undefined };
  const why = 'nobody has looked at it yet: is a manager running?';
  return { isOwn: 'no', why, since: metadata.creationTimestamp };
};

const waitOfPod = (pod: Pod): readonly Wait[] => {
  const why = judgePod(pod);
  return why === undefined ? [] : [{ kind: 'pod', name: renderKey(keyOf(pod)), ...why }];
};

export const whyOfPod = (pod: Pod): string | undefined => judgePod(pod)?.why;

const judgePod = (pod: Pod): Why | undefined => {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined) {
    const finalizers = metadata.finalizers ?? [];
    const held = finalizers.length === 0 ? '' : `, held by ${finalizers.join(', ')}`;
    return { why: `being deleted${held}`, since: metadata.deletionTimestamp };
  }
  if (status?.phase !== 'Pending') return undefined;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled !== undefined && scheduled.status !== 'True') {
    return { why: renderReason(scheduled), since: scheduled.lastTransitionTime };
  }
  const waiting = status.containerStatuses?.find(({ state }) => state?.waiting !== undefined)?.state?.waiting;
  const why = waiting === undefined ? '' : renderReason(waiting);
  return { why: why || 'not started by its Node yet', since: metadata.creationTimestamp };
};

const waitOfJob = (job: Job): readonly Wait[] => {
  const base = { kind: 'job', name: renderKey(keyOf(job)) } as const;
  const failed = conditionOf(job, 'Failed');
  if (failed?.status === 'True') {
    return [{ ...base, why: `failed: ${renderReason(failed)}`, since: failed.lastTransitionTime }];
  }
  if (job.spec.suspend === true) return [{ ...base, why: 'it is suspended', since: undefined }];
  return [];
};

const waitOfPool = (pool: RunnerPool): readonly Wait[] => {
  const base = { kind: 'runnerpool', name: renderKey(keyOf(pool)) } as const;
  if (isTrue(pool, CONDITIONS.pool.ready)) return [];
  const unmet = pool.status?.conditions?.find(
    ({ type, status }) => status !== 'True' && type !== CONDITIONS.pool.ready && type !== CONDITIONS.pool.paused,
  );
  const ready = unmet ?? conditionOf(pool, CONDITIONS.pool.ready);
  if (ready === undefined) return [];
  return [{ ...base, why: renderReason(ready), since: ready.lastTransitionTime }];
};
