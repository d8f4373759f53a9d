/** What a step of a reconcile may answer: a closed set, so that a pass can be read as data. */
import type { FleetError } from '../../base/errors.ts';
import type { Condition, ConditionStatus, KubeObject } from '../types/meta.ts';

/** An object that a reconcile drives: it has a wish and an answer. */
export interface Reconciled extends KubeObject {
  readonly spec?: object;
  readonly status?: { readonly conditions?: readonly Condition[] | undefined };
}

export interface ConditionReport {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

export interface EventReport {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Fields to replace; one that is `undefined` is removed. */
export type Changes<S> = { readonly [K in keyof NonNullable<S>]?: NonNullable<S>[K] | undefined };

/** What a step found out, besides how to go on. */
export interface Report<T extends Reconciled> {
  readonly status?: Changes<T['status']>;
  /** Only what the controller owns of the spec: a providerID, a stored intent. Saved before the status. */
  readonly spec?: Changes<T['spec']>;
  /** Annotations that the controller owns; one that is `undefined` is removed. Saved with the spec. */
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  readonly condition?: ConditionReport;
  readonly events?: readonly EventReport[];
}

export type StepResult<T extends Reconciled> = Report<T> &
  (
    | { readonly kind: 'done' }
    /** Look again in a while: something is under way. */
    | { readonly kind: 'wait'; readonly afterMs: number }
    /** Only an event can help; no timer is set. */
    | { readonly kind: 'stop' }
    | { readonly kind: 'retry'; readonly error: FleetError }
  );

export const done = <T extends Reconciled>(report: Report<T> = {}): StepResult<T> => ({ ...report, kind: 'done' });

export const wait = <T extends Reconciled>(afterMs: number, report: Report<T> = {}): StepResult<T> => ({
  ...report,
  kind: 'wait',
  afterMs,
});

export const stop = <T extends Reconciled>(report: Report<T> = {}): StepResult<T> => ({ ...report, kind: 'stop' });

export const retry = <T extends Reconciled>(error: FleetError, report: Report<T> = {}): StepResult<T> => ({
  ...report,
  kind: 'retry',
  error,
});
