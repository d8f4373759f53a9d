/** What a person asks of `up`. */
import type { MacKind } from './choose-macs.ts';

export interface UpFlags {
  readonly until?: 'ready' | 'jobs-done';
  readonly data?: string;
  readonly macs: number;
  /** What they are for: a Job of Kubernetes, or runners of CI jobs. */
  readonly fleet: 'macos' | 'runners';
  /** How many jobs runners get. */
  readonly jobs: number;
  readonly port: number;
  readonly provider: 'here' | 'elsewhere';
  readonly macsAs?: MacKind;
  readonly log: boolean;
}
