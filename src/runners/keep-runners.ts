/**
 * What is held of Pods and accounts in caches: thousands of each, of which a controller reads little. What runners of a pool have in
 * common is in memory once.
 */
import { parseTimestamp, toTimestamp } from '../base/clock.ts';
import { createRecent } from '../base/recent.ts';
import { LABELS } from '../kinds/labels.ts';
import type { ServiceAccount } from '../kube/types/core.ts';
import type { ObjectMeta } from '../kube/types/meta.ts';
import type { ContainerStatus, Pod } from '../kube/types/pod.ts';

/** Pools, and the few ways in which their runners differ. */
const SHARED_MAX = 1_024;

/** Those that decide anything; with the dispatcher's, which say who is busy. */
const READ_LABELS: readonly string[] = [
  ...[LABELS.runnerPool, LABELS.runnerPoolOwner, LABELS.runnerAccount],
  ...[LABELS.runnerOperatorDrain, LABELS.drainEligible],
];

type Labels = Readonly<Record<string, string>>;
type Status = NonNullable<Pod['status']>;
type State = NonNullable<ContainerStatus['state']>;

/** Equal as JSON: what comes back is the same to whoever reads it. */
const createSharing = <T>(): ((value: T) => T) => {
  const recent = createRecent<T>(SHARED_MAX);
  return (value) => recent(JSON.stringify(value), value);
};

export const createRunnerKeeping = (): ((pod: Pod) => Pod) => {
  const keepMeta = createMetaKeeping();
  const shareContainers = createSharing<Pod['spec']['containers']>();
  const shareStatus = createSharing<Status>();
  return ({ metadata, spec, status }) => {
    const [container] = spec.containers;
    const { nodeName } = spec;
    const kept = container?.image === undefined ? [] : [{ name: container.name, image: container.image }];
    return {
      metadata: keepMeta(metadata),
      spec: { containers: shareContainers(kept), ...(nodeName === undefined ? {} : { nodeName }) },
      ...(status === undefined ? {} : { status: shareStatus(keepOfStatus(status)) }),
    };
  };
};

export const createAccountKeeping = (): ((account: ServiceAccount) => ServiceAccount) => {
  const keepMeta = createMetaKeeping();
  return ({ metadata }) => ({ metadata: keepMeta(metadata) });
};

const createMetaKeeping = (): ((metadata: ObjectMeta) => ObjectMeta) => {
  const shareText = createSharing<string>();
  const shareLabels = createSharing<Labels>();
  const shareFinalizers = createSharing<readonly string[]>();
  return (metadata) => {
    const { name, namespace = '', uid = '', resourceVersion = '', labels = {}, creationTimestamp = '' } = metadata;
    const { finalizers, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    const read = Object.entries(labels).filter(([key]) => READ_LABELS.includes(key));
    return {
      ...{ name, uid, resourceVersion },
      ...{ namespace: shareText(namespace), creationTimestamp: shareText(creationTimestamp) },
      labels: shareLabels(Object.fromEntries(read)),
      ...(finalizers === undefined ? {} : { finalizers: shareFinalizers(finalizers) }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    };
  };
};

const keepOfStatus = ({ phase, containerStatuses }: Status): Status => ({
  ...(phase === undefined ? {} : { phase }),
  ...(containerStatuses === undefined ? {} : { containerStatuses: containerStatuses.map(keepOfContainer) }),
});

const keepOfContainer = ({ name, state }: ContainerStatus): ContainerStatus => ({
  ...{ name, image: '', imageID: '', ready: false, restartCount: 0 },
  ...(state === undefined ? {} : { state: keepOfState(state) }),
});

/** Since when it runs matters after hours: to the quarter of one, most runners have it in common. */
const SINCE_STEP_MS = 900_000;

const keepOfState = ({ running, terminated }: State): State => ({
  ...(running === undefined ? {} : { running: keepOfStart(running.startedAt) }),
  ...(terminated === undefined ? {} : { terminated }),
});

const keepOfStart = (startedAt: string | undefined): NonNullable<State['running']> => {
  const sinceMs = parseTimestamp(startedAt);
  return sinceMs === undefined ? {} : { startedAt: toTimestamp(sinceMs - (sinceMs % SINCE_STEP_MS)) };
};
