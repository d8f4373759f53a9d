/** What a person asks of `up`. */
import type { AuditFlags } from '../control-plane/audit-flags.ts';
import type { MacKind } from './choose-macs.ts';

export const FLEET_NAMES = ['macos', 'runners', 'builders'] as const;
export type FleetName = (typeof FLEET_NAMES)[number];

/** Macs at the cloud that nobody wants at first, so that a fleet can grow. */
export const SPARE_MACS = 2;

export interface UpFlags extends AuditFlags {
  readonly until?: 'ready' | 'jobs-done' | 'verdict';
  /** How long `until` may take, in milliseconds. */
  readonly timeout: number;
  readonly data?: string;
  /** Whether what an earlier run left in the data folder is thrown away first. */
  readonly clean: boolean;
  /** How many Macs, over all fleets. */
  readonly machines: number;
  /** Whether that was asked for: only then is a kept fleet brought to it. */
  readonly isSizeGiven: boolean;
  readonly fleet: readonly FleetName[];
  /** How many jobs runners get. */
  readonly jobs: number;
  /** How much faster than life the simulated cloud and its jobs are. */
  readonly speed: number;
  /** One line of JSON for each change, instead of tables. */
  readonly json: boolean;
  readonly port: number;
  readonly provider: 'here' | 'elsewhere';
  readonly macsAs?: MacKind;
  readonly log: boolean;
  /** Kill managers, break connections, lose answers, and judge what came of it. */
  readonly chaos: boolean;
  /** Show beside it what the original's order of effects makes of the same trouble. */
  readonly compare: boolean;
  /** How long the trouble lasts, in milliseconds. */
  readonly for: number;
  /** The same trouble again; drawn unless given. */
  readonly seed?: number;
}

/** As they were typed. */
export interface GivenFlags
  extends Omit<UpFlags, 'machines' | 'isSizeGiven' | 'fleet' | 'speed' | 'jobs' | 'timeout' | 'for'> {
  readonly machines?: number;
  readonly speed?: number;
  readonly jobs?: number;
  readonly timeout?: number;
  readonly for?: number;
  readonly fleet?: readonly FleetName[];
}
