/** Makes runners that are on record: the account first, because a Pod needs it. What is there already is fine (S33). */
import { isKind } from '../../base/errors.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { PODS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import { type GuestSettings, renderAccount, renderRunner } from './render-runner.ts';

export interface Making {
  readonly pool: RunnerPool;
  readonly guests: GuestSettings;
  readonly context: ReconcileContext;
}

/** All are tried; the first failure is told when all are through, so that one does not keep the others waiting (R5). */
export const makeRunners = async (names: readonly string[], making: Making): Promise<void> => {
  const results = await Promise.allSettled(names.map((name) => makeRunner(name, making)));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
};

const makeRunner = async (name: string, { pool, guests, context: { kube, signal } }: Making): Promise<void> => {
  await unlessThere(kube.create(SERVICE_ACCOUNTS, renderAccount(pool, name), { signal }));
  await unlessThere(kube.create(PODS, renderRunner(pool, name, guests), { signal }));
};

const unlessThere = async (creating: Promise<unknown>): Promise<void> => {
  try {
    await creating;
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
  }
};
