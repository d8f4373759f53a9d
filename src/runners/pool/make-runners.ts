/** Makes runners that are on record: the account first, because a Pod needs it. What is there already is fine (S33). */
import { isKind } from '../../base/errors.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { PODS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import { type RunnerSettings, renderAccount, renderRunner } from './render-runner.ts';

export interface Making {
  readonly pool: RunnerPool;
  readonly settings: RunnerSettings;
  readonly context: ReconcileContext;
}

/**
 * All are tried; the first failure is told when all are through, so that one does not keep the others waiting (R5). Says whether all are of
 * our making: what somebody else made, a cache may not show for long.
 */
export const makeRunners = async (names: readonly string[], making: Making): Promise<boolean> => {
  const results = await Promise.allSettled(names.map((name) => makeRunner(name, making)));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return results.every((result) => result.status === 'fulfilled' && result.value);
};

const makeRunner = async (name: string, { pool, settings, context: { kube, signal } }: Making): Promise<boolean> => {
  await unlessThere(kube.create(SERVICE_ACCOUNTS, renderAccount(pool, name), { signal }));
  return unlessThere(kube.create(PODS, renderRunner(pool, name, settings), { signal }));
};

const unlessThere = async (creating: Promise<unknown>): Promise<boolean> => {
  try {
    await creating;
    return true;
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
    return false;
  }
};
