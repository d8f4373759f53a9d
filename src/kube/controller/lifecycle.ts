/**
 * The shape of every reconcile of ours: gate → finalizer → steps → save once → announce (design D2, style.md). A step
 * observes, plans and may act once; it returns what it found. Saving, events and errors happen here and nowhere else.
 */
import { ERROR_BEHAVIOUR, type FleetError, toFleetError, unreachable } from '../../base/errors.ts';
import type { Cache } from '../cache/cache.ts';
import type { Verdict } from '../queue/work-queue.ts';
import type { ObjectMeta } from '../types/meta.ts';
import { setCondition, summarizeConditions } from './conditions.ts';
import type { ReconcileContext } from './controller.ts';
import type { EventRecorder } from './events.ts';
import { type ConditionReport, type EventReport, type Reconciled, retry, type StepResult } from './outcome.ts';
import { addFinalizer, removeFinalizer, type Save, saveObject } from './save.ts';

export interface Step<T extends Reconciled> {
  readonly name: string;
  /** The condition this step owns: an error of the step is reported there. */
  readonly condition: string;
  readonly run: (object: T, context: ReconcileContext) => Promise<StepResult<T>>;
}

export interface Lifecycle<T extends Reconciled> {
  readonly cache: Cache<T>;
  readonly events: EventRecorder;
  /** Held from before the first effect until `down` is done. Absent: nothing outside depends on the object. */
  readonly finalizer?: string;
  /** Annotations that go on the object with its finalizer, in the same write. */
  readonly annotations?: (object: T) => Readonly<Record<string, string>>;
  /**
   * From what is stored to what the steps see: tolerance for what an older writer left. What it mends of the status is
   * stored with the next save; the spec stays as it is but for what steps report.
   */
  readonly read?: (stored: T) => T;
  /** Decides before anything is touched whether this object is to be left alone (paused, not ours). */
  readonly gate?: (object: T, context: ReconcileContext) => Promise<StepResult<T> | undefined>;
  /** In order; a later step may assume that the earlier ones hold. */
  readonly up: readonly Step<T>[];
  /** Run instead when the object is being deleted; the finalizer goes when all of them are done. */
  readonly down: readonly Step<T>[];
  /** Computed last, out of the conditions that the steps own. */
  readonly summary?: { readonly type: string; readonly of: readonly string[] };
  /** Called with the key of an object that is no longer there. */
  readonly gone?: (key: string) => void;
}

/** The reconcile function of a controller, made from a lifecycle. */
export const reconcileLifecycle =
  <T extends Reconciled>(lifecycle: Lifecycle<T>): ((context: ReconcileContext) => Promise<Verdict>) =>
  async (context) => {
    const found = lifecycle.cache.get(context.key);
    if (found === undefined) {
      lifecycle.gone?.(context.key);
      return { next: 'rest' };
    }
    const start = startOf(lifecycle, found);
    const closed = await lifecycle.gate?.(start.found, context);
    if (closed !== undefined) return finish(lifecycle, context, fold(start, closed, context));
    return isDeleting(found) ? tearDown(lifecycle, context, found) : bringUp(lifecycle, context, found);
  };

const isDeleting = ({ metadata }: Reconciled): boolean => metadata.deletionTimestamp !== undefined;

const bringUp = async <T extends Reconciled>(
  lifecycle: Lifecycle<T>,
  context: ReconcileContext,
  found: T,
): Promise<Verdict> => {
  const { cache, finalizer } = lifecycle;
  const annotations = lifecycle.annotations?.(found) ?? {};
  const held = finalizer === undefined ? found : await addFinalizer({ cache, finalizer, annotations }, context, found);
  const start = startOf(lifecycle, held);
  return finish(lifecycle, context, summarize(lifecycle, context, await runSteps(lifecycle.up, context, start)));
};

const tearDown = async <T extends Reconciled>(
  lifecycle: Lifecycle<T>,
  context: ReconcileContext,
  found: T,
): Promise<Verdict> => {
  const { finalizer } = lifecycle;
  if (finalizer === undefined || !found.metadata.finalizers?.includes(finalizer)) return { next: 'rest' };
  const pass = await runSteps(lifecycle.down, context, startOf(lifecycle, found));
  if (pass.result.kind !== 'done') return finish(lifecycle, context, summarize(lifecycle, context, pass));
  await removeFinalizer({ cache: lifecycle.cache, finalizer }, context, found);
  lifecycle.events.publish(lifecycle.cache.resource, found, pass.events);
  return { next: 'rest' };
};

/** A pass so far: the object as stored, as the steps found it, as it shall be, and how the last step ended. */
interface Pass<T extends Reconciled> extends Save<T> {
  readonly events: readonly EventReport[];
  readonly result: StepResult<T>;
}

const startOf = <T extends Reconciled>({ read }: Lifecycle<T>, stored: T): Pass<T> => {
  const found = read?.(stored) ?? stored;
  return { stored, found, after: found, events: [], result: { kind: 'done' } };
};

const runSteps = async <T extends Reconciled>(
  steps: readonly Step<T>[],
  context: ReconcileContext,
  start: Pass<T>,
): Promise<Pass<T>> => {
  let pass = start;
  for (const step of steps) {
    const result = await step.run(pass.after, context).catch((thrown: unknown) => failed(step, toFleetError(thrown)));
    pass = fold(pass, result, context);
    if (result.kind !== 'done') break;
  }
  return pass;
};

/** An error of a step, told as the one table of src/base/errors.ts says. */
const failed = <T extends Reconciled>(step: Step<T>, error: FleetError): StepResult<T> => {
  const behaviour = ERROR_BEHAVIOUR[error.kind];
  const message = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  const condition: ConditionReport | undefined =
    behaviour.condition === 'unchanged'
      ? undefined
      : {
          type: step.condition,
          status: behaviour.condition === 'false' ? 'False' : 'Unknown',
          reason: error.code,
          message,
        };
  const events: readonly EventReport[] =
    behaviour.event === 'none'
      ? []
      : [{ type: behaviour.event === 'warning' ? 'Warning' : 'Normal', reason: error.code, message }];
  return retry(error, condition === undefined ? { events } : { events, condition });
};

const fold = <T extends Reconciled>(pass: Pass<T>, result: StepResult<T>, context: ReconcileContext): Pass<T> => {
  const { after } = pass;
  const status = { ...after.status, ...result.status };
  const reported = result.condition ? withCondition(after, status, { report: result.condition, context }) : status;
  return {
    ...pass,
    after: {
      ...after,
      ...(result.annotations === undefined ? {} : { metadata: withAnnotations(after.metadata, result.annotations) }),
      ...(result.spec === undefined ? {} : { spec: { ...after.spec, ...result.spec } }),
      ...(Object.keys(reported).length === 0 ? {} : { status: reported }),
    },
    events: [...pass.events, ...(result.events ?? [])],
    result,
  };
};

const withAnnotations = (metadata: ObjectMeta, changes: Readonly<Record<string, string | undefined>>): ObjectMeta => {
  const kept = Object.entries({ ...metadata.annotations, ...changes }).filter(([, value]) => value !== undefined);
  return { ...metadata, annotations: Object.fromEntries(kept.map(([key, value]) => [key, value ?? ''])) };
};

const withCondition = <S extends NonNullable<Reconciled['status']>>(
  object: Reconciled,
  status: S,
  { report, context }: { readonly report: ConditionReport; readonly context: ReconcileContext },
) => ({
  ...status,
  conditions: setCondition(status.conditions, report, {
    nowMs: context.clock.now(),
    generation: object.metadata.generation,
  }),
});

const summarize = <T extends Reconciled>(
  { summary }: Lifecycle<T>,
  context: ReconcileContext,
  pass: Pass<T>,
): Pass<T> => {
  if (summary === undefined) return pass;
  const condition = summarizeConditions(pass.after.status?.conditions, summary);
  return { ...fold(pass, { kind: 'done', condition }, context), result: pass.result };
};

const finish = async <T extends Reconciled>(
  { cache, events }: Lifecycle<T>,
  context: ReconcileContext,
  pass: Pass<T>,
): Promise<Verdict> => {
  const saved = await saveObject(cache.resource, pass, context);
  events.publish(cache.resource, saved, pass.events);
  return toVerdict(pass.result);
};

const toVerdict = <T extends Reconciled>(result: StepResult<T>): Verdict => {
  switch (result.kind) {
    case 'done':
    case 'stop':
      return { next: 'rest' };
    case 'wait':
      return { next: 'again', afterMs: result.afterMs };
    case 'retry':
      return { next: 'failed', error: result.error };
    default:
      return unreachable(result);
  }
};
