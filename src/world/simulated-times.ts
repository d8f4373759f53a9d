/** How long the provider waits on a simulated project whose time is compressed, and how often it asks there. Pure. */
import type { ProviderTimes } from '../provider/host/ports.ts';
import type { BudgetOptions } from '../scaleway/adapter/request-budget.ts';

export interface SimulatedPace {
  /** How much faster than life the simulated cloud is. */
  readonly speedUp: number;
  readonly macs: number;
}

/** An adoption is five requests, so this is also how fast Macs are admitted: about as fast as one process can make them Nodes. */
export const SIMULATED_BUDGET: BudgetOptions = { burst: 100, perSecond: 50 };

/**
 * A Mac takes about a tenth of a second of this process until it is a Node, and a list of a thousand servers takes tens of milliseconds.
 * Neither gets shorter with time: a large fleet is given longer, or its Macs would be given up and tried again while they only wait for their turn.
 */
const PER_MAC_MS = { inventory: 3, bootstrap: 600, node: 300 } as const;

const SHORTEST_MS = 100;

export const simulatedTimes = ({ speedUp, macs }: SimulatedPace): ProviderTimes => {
  const compressed = (lifeMs: number): number => Math.max(Math.round(lifeMs / speedUp), SHORTEST_MS);
  return {
    claimHoldMs: compressed(36_000),
    quietMs: compressed(60_000),
    recordMaxAgeMs: 30_000,
    pollMs: compressed(10_000),
    inventoryMs: Math.max(compressed(30_000), macs * PER_MAC_MS.inventory),
    bootstrapTimeoutMs: Math.max(120_000, macs * PER_MAC_MS.bootstrap),
    nodeWaitMs: Math.max(30_000, macs * PER_MAC_MS.node),
    bootstrapBackoff: { initialMs: compressed(60_000), maxMs: compressed(300_000) },
  };
};
