/** The adapter with what it needs, for whoever composes: real sockets or a simulated world, by the transport. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Cloud } from '../port/cloud.ts';
import type { CloudTransport } from '../port/transport.ts';
import type { CredentialSource } from './credentials.ts';
import { type CloudObserver, observeCloud } from './observed-cloud.ts';
import { type BudgetOptions, createRequestBudget } from './request-budget.ts';
import { createScalewayCloud } from './scaleway-cloud.ts';

export interface ConnectCloudDeps {
  readonly transport: CloudTransport;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly apiUrl?: string;
  readonly observer?: CloudObserver;
  /** What a real project is asked at most unless given. */
  readonly requests?: BudgetOptions;
}

/** Scaleway publishes no limit; this stays far below what its own tools send. A list of 10,000 servers fits into a burst. */
export const REQUEST_BUDGET = { burst: 100, perSecond: 20 };
const REQUEST_TIMEOUT_MS = 30_000;

export const connectCloud = ({ apiUrl = 'https://api.scaleway.com', ...deps }: ConnectCloudDeps): Cloud => {
  const { clock, observer, requests = REQUEST_BUDGET } = deps;
  const budget = createRequestBudget(clock, requests);
  const cloud = createScalewayCloud({ ...deps, apiUrl, budget, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  return observer === undefined ? cloud : observeCloud(cloud, observer);
};
