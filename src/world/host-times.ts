/** How long the provider waits on Scaleway: times that are safe there, and shorter ones for a simulated project (R7). */
import { FleetError } from '../base/errors.ts';
import type { ProviderTimes } from '../provider/host/ports.ts';
import type { HostTimesProfile } from './manager-flags-values.ts';

const MINUTE_MS = 60_000;

/** As on Scaleway. */
export const NORMAL_HOST_TIMES: ProviderTimes = {
  claimHoldMs: 36_000,
  quietMs: MINUTE_MS,
  recordMaxAgeMs: 30_000,
  pollMs: 10_000,
  inventoryMs: 30_000,
  bootstrapTimeoutMs: 15 * MINUTE_MS,
  nodeWaitMs: 2 * MINUTE_MS,
  bootstrapBackoff: { initialMs: MINUTE_MS, maxMs: 5 * MINUTE_MS },
};

const TIMES: Readonly<Record<HostTimesProfile, ProviderTimes>> = {
  normal: NORMAL_HOST_TIMES,
  fast: {
    claimHoldMs: 300,
    quietMs: 500,
    recordMaxAgeMs: 30_000,
    pollMs: 250,
    inventoryMs: 500,
    bootstrapTimeoutMs: 2 * MINUTE_MS,
    nodeWaitMs: MINUTE_MS / 2,
    bootstrapBackoff: { initialMs: 1_000, maxMs: 4_000 },
  },
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Where requests are late by more than these times, two managers can take one Mac (R7, R13): never on a real project. */
export const hostTimesFor = (profile: HostTimesProfile, apiUrl: string): ProviderTimes => {
  if (profile === 'normal' || LOOPBACK.test(new URL(apiUrl).hostname)) return TIMES[profile];
  throw new FleetError('invalid', {
    code: 'FastTimesOnRealProject',
    message: `--host-times ${profile} is for simulated projects on this machine, not for ${apiUrl}`,
    hint: 'Leave --host-times out.',
  });
};
