/** One fault that is switched on: which calls it meets, how often and for how long. */
import type { DispatchFaultId, DispatchVerb, FaultRow } from './fault-list.ts';
import type { Signals } from './sim-job.ts';

export interface DispatchScope {
  readonly verb?: DispatchVerb;
  /** Calls of or about this Pod. */
  readonly pod?: string;
  readonly count?: number;
  readonly probability?: number;
  /** In life; a compressed simulation ends it sooner. */
  readonly seconds?: number;
}

export interface DispatchFault extends Omit<DispatchScope, 'count' | 'seconds'> {
  readonly id: DispatchFaultId;
  readonly row: FaultRow;
  left: number;
  readonly untilMs: number;
  /** What was told at the first look. */
  readonly told: Map<string, { readonly atMs: number; readonly signals: Signals }>;
}
