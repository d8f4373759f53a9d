/** A runner as the caches have it. What is destroyed is looked at again first. */
import { LABELS } from '../../kinds/labels.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { RunnersDeps } from '../ports.ts';
import type { Ends } from './ends.ts';
import type { PoolState, RunnerView } from './plan-runner.ts';

export const viewRunner = (
  { caches, ends }: RunnersDeps & { readonly ends: Ends },
  { key, clock }: ReconcileContext,
): RunnerView => {
  const [pod, account] = [caches.pods.get(key), caches.accounts.get(key)];
  const member: KubeObject | undefined = pod ?? account;
  const { namespace = '', labels, name = '' } = member?.metadata ?? {};
  const pool = caches.pools.get(`${namespace}/${labels?.[LABELS.runnerPool] ?? ''}`);
  const isOnRecord = pool?.status?.creating?.includes(name) === true;
  const isEndKnown = ends.find(key) !== undefined;
  return { pod, account, isOnRecord, isEndKnown, pool: stateOf(pool), nowMs: clock.now() };
};

export const isPaused = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined;

const stateOf = (pool: RunnerPool | undefined): PoolState => {
  if (pool === undefined) return 'absent';
  if (pool.spec.os === 'linux') return 'foreign';
  if (pool.metadata.deletionTimestamp !== undefined) return 'deleting';
  return isPaused(pool) ? 'paused' : 'up';
};
