/** How long things take at Scaleway: the one table of all durations of the simulated cloud. */
import type { CloudTimes } from './cloud-core.ts';

const HOUR_MS = 3_600_000;

/** As recorded at Scaleway, or documented where nobody recorded it. */
export const RECORDED_TIMES: CloudTimes = {
  deliveryMs: [125_000, 137_000],
  reinstallMs: [300_000, 900_000],
  rebootMs: [104_000, 104_000],
  diagnosisMs: [5_000, 5_000],
  leaseMs: [24 * HOUR_MS, 24 * HOUR_MS],
  vpcMs: [5_000, 36_000],
  attachMs: [5_000, 16_000],
  detachMs: [5_000, 10_000],
  sealMs: [0, 0],
  outageMs: [HOUR_MS, 24 * HOUR_MS],
};
