/** Carries out one planned effect on a server, and says what came of it. Nothing else of ours writes to Scaleway. */
import { FleetError, isKind, unreachable } from '../../base/errors.ts';
import { isEqualJson } from '../../base/json.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import { type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { ifThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Operations } from '../../kube/controller/operations.ts';
import { type EventReport, type Report, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { NODES } from '../../kube/types/core.ts';
import type { CloudServer, WriteCall } from '../../scaleway/port/cloud.ts';
import { chooseOsImage } from '../../scaleway/port/os-family.ts';
import { type Acquaintance, lookAtHostKey, stopAgent, withdrawIdentity } from './bootstrap.ts';
import { forgetHost } from './forget-host.ts';
import { hostStateOf } from './host-life.ts';
import { findHost, recordOn } from './host-record.ts';
import type { Halt, HostPlan, ToRecord } from './host-view.ts';
import { findIdentityRival, identityFrom } from './node-identity.ts';
import { findNode, type Look, refOf, wipedLastHourOf } from './observe-host.ts';
import type { OsImages } from './os-images.ts';
import { isPending } from './plan-claim.ts';
import { isKeptApart, isQuarantineName, withoutReboot } from './plan-recovery.ts';
import { acceptWipe } from './plan-release.ts';
import { type PrepareDeps, prepare, raiseEpoch, WATCH_OPERATION_MS } from './prepare-host.ts';
import { nameSeen, recordWrite } from './recorded-write.ts';
import { isReady, notReady } from './report.ts';
import { startRoll } from './roll-host.ts';
import { recordSighting } from './sighting.ts';
import { announceTry, withTry } from './sudo-record.ts';
import type { Turns } from './turns.ts';
import { awaitWipes } from './wipe-limit.ts';

/** What was refused, and may be for good, is not asked for without pause. */
const REFUSED_REST_MS = 600_000;

/** A live look is good for this long; a process that was frozen since sends nothing (R13). */
const LOOK_GOOD_FOR_MS = 5_000;

export interface HostDeps extends PrepareDeps {
  /** Looks at the host keys of Macs whose pending name is held. */
  readonly keyLooks: Operations<never, Acquaintance>;
  /** Stopping agents before a wipe: best effort, so its outcome does not matter. */
  readonly stops: Operations<never, void>;
  /** Writes that this process put on record and has not sent: what for, by the id of the write. */
  readonly unsent: Map<string, 'recovery' | 'request' | 'order'>;
  /** What can be installed; asked for before the look that a wipe is permitted by. */
  readonly images: OsImages;
  /** Whose claim may be put on record as about to be carried out. */
  readonly turns: Turns;
  /** Intents to rent a Mac that this process decided to send. */
  readonly decided: Set<string>;
}

export interface Task {
  readonly host: MacHost;
  readonly look: Look;
  readonly context: ReconcileContext;
}

type Result = StepResult<MacHost>;

export const carryOut = async (deps: HostDeps, plan: HostPlan, task: Task): Promise<Result> => {
  const { settings } = deps.ports;
  switch (plan.do) {
    case 'rest':
      return stop(restingOf(task.host));
    case 'wait':
      return wait(plan.afterMs, notReady(plan.reason ?? REASONS.host.ready.notReady, plan.message));
    case 'store':
      return storePlan(deps, plan, task.host);
    case 'report':
      return wait(settings.times.pollMs, notReady(plan.reason ?? REASONS.host.serverFound.nameMismatch, plan.message));
    case 'prepare': {
      const { server } = task.look;
      if (server === undefined) return wait(settings.times.pollMs);
      const permit = () => permitEffect(deps, task);
      return tellHalt(await prepare(deps, task.host, { server, permit, context: task.context }), plan.halted);
    }
    case 'roll': {
      const { server } = task.look;
      if (server === undefined) return wait(settings.times.pollMs);
      return startRoll(deps, task.host, { server, permit: () => permitEffect(deps, task), context: task.context });
    }
    case 'delete-node':
      // The cache tells when it is gone; one that never hears of it must not ask without end.
      await deleteNode(deps, task);
      return wait(settings.times.pollMs);
    case 'forget':
      await withdrawIdentity(deps.ports, task.host, task.context.signal);
      await forgetHost(task.host, task.context);
      return stop();
    default:
      return writeToServer(deps, plan, task).catch(reportRefusal);
  }
};

/** Once, in front of what else there is to say. */
const tellHalt = (result: Result, halted: Halt | undefined): Result => {
  if (halted === undefined || result.condition === undefined) return result;
  const { message } = result.condition;
  const told = message.startsWith(halted.message) ? message : `${halted.message}; ${message}`;
  return { ...result, ...notReady(halted.reason, told) };
};

/** What Scaleway calls a mistake of ours may be one of its own that passes: nothing here would ever wake the Mac again. */
const reportRefusal = (error: unknown): Result => {
  if (!(error instanceof FleetError) || error.code !== 'InvalidArguments') throw error;
  return wait(REFUSED_REST_MS, notReady(error.code, error.message));
};

/** A Mac that is kept from everybody is not well: somebody has to say what becomes of it (R15, R21). */
const restingOf = ({ metadata: { name }, spec: { hold, quarantine } }: MacHost): Report<MacHost> => {
  const { quarantined } = REASONS.host.ready;
  const way = `macfleet release ${name} has it wiped and put back`;
  if (hold !== undefined) return notReady(hold.reason, `held: ${hold.message || hold.reason}; ${way}`);
  if (quarantine === undefined) return isReady();
  return notReady(
    quarantined,
    `in quarantine: ${quarantine.message || quarantine.reason}; once it is repaired, ${way}`,
  );
};

const storePlan = (
  { unsent, decisions }: HostDeps,
  { spec, event }: HostPlan & { readonly do: 'store' },
  host: MacHost,
): Result => {
  if (spec.quarantine !== undefined && !isKeptApart(host.spec)) decisions.note(host, 'quarantine');
  if (spec.lastWrite?.verb === 'reboot')
    unsent.set(spec.lastWrite.id, 'rebootRequest' in spec ? 'request' : 'recovery');
  return wait(0, { spec, ...(event === undefined ? {} : { events: [event] }) });
};

type Write = Extract<HostPlan, { do: 'rename' | 'reboot' | 'reinstall' | 'terminate' | 'schedule-deletion' }>;

const writeToServer = async (deps: HostDeps, plan: Write, task: Task): Promise<Result> => {
  const { cloud, settings } = deps.ports;
  const server = refOf(task.host);
  switch (plan.do) {
    case 'rename':
      return rename(deps, task, plan);
    case 'reboot':
      return reboot(deps, task);
    case 'reinstall':
      return reinstall(deps, task, plan).catch(tellRefusal);
    case 'terminate':
      return terminate(deps, task, plan);
    case 'schedule-deletion': {
      if (!isQuiet(deps, task)) return stoppingAgent();
      await putOnRecord(deps, task, plan);
      await cloud.scheduleDeletion(server, 'delete', permitEffect(deps, task));
      return wait(settings.times.pollMs);
    }
    default:
      return unreachable(plan);
  }
};

/** Returns the record as it is from now on. What is not permitted any more is not put on it. */
const putOnRecord = async (deps: HostDeps, task: Task, { record }: ToRecord): Promise<MacHost> => {
  if (record === undefined) return confirmRecord(task);
  permitEffect(deps, task);
  return recordOn(task.host, record, task.context);
};

/** What was put on record in an earlier pass is acted on only while it is there: a look at a server may take long. */
const confirmRecord = async ({ host, context }: Task): Promise<MacHost> => {
  const found = await findHost(host.metadata.name, context);
  if (found?.metadata.uid === host.metadata.uid && isEqualJson(parseMacHost(found).spec, host.spec)) return host;
  throw new FleetError('conflict', {
    code: 'RecordChanged',
    message: `the record of ${host.metadata.name} is not what this pass has read any more`,
  });
};

/** With a record of its own, what came of it is seen in the next pass, which begins with that. */
const rename = async (deps: HostDeps, task: Task, plan: Write & { readonly do: 'rename' }): Promise<Result> => {
  const isToBeApart = isQuarantineName(plan.record?.assignedName?.next) && !isKeptApart(task.host.spec);
  if (isToBeApart) deps.decisions.note(task.host, 'quarantine');
  try {
    await putOnRecord(deps, task, plan);
    const server = await deps.ports.cloud.renameServer(refOf(task.host), plan.to, permitEffect(deps, task));
    return plan.record === undefined ? renamed(deps, task, server) : wait(0);
  } finally {
    deps.turns.end(task.host.metadata.name);
  }
};

/** The answer shows the server as a look would: a name on the way to a machine's is taken as seen at once. */
const renamed = async (deps: HostDeps, { host, look, context }: Task, server: CloudServer): Promise<Result> => {
  const { ports, keyLooks } = deps;
  const { spec } = host;
  const [uid, nowMs] = [host.metadata.uid ?? '', ports.clock.now()];
  if (hostStateOf(spec, 'absent') !== 'claimed' || server.name !== spec.assignedName?.next) return wait(0);
  if (isPending(server.name)) {
    const status = { server: recordSighting(server, nowMs) };
    if (look.server !== undefined) keyLooks.ensure(uid, lookAtHostKey({ ports, host, server: look.server }));
    return wait<MacHost>(ports.settings.times.claimHoldMs, { ...notReady(REASONS.host.ready.notReady), status });
  }
  const looked = keyLooks.state(uid);
  const { hostKey: fingerprint, password } = looked?.state === 'succeeded' ? looked.result : NOTHING_LEARNT;
  const seen = {
    ...nameSeen({ spec, nowMs, uuid: ports.ids.uuid }, server.name),
    ...(fingerprint && { hostKey: { fingerprint, wipes: spec.wipes } }),
  };
  // The work on the Mac comes next: its epoch goes on record with the name, unless another may still be that Node.
  if ((await findIdentityRival(deps, host, context)) !== undefined) return wait(0, { spec: seen });
  const tried = announceTry(host, { password, nowMs });
  const result = await raiseEpoch(deps, host, {
    context,
    more: { ...seen, ...identityFrom(ports, host), ...withTry(host, tried) },
  });
  if (tried !== undefined) deps.announced.set(uid, tried);
  return result;
};

const NOTHING_LEARNT: Partial<Acquaintance> = {};

/** Asked right before anything changes a server: still leading, and the look is not stale, nor will be when it is sent. */
const permitEffect = ({ ports }: HostDeps, { look, context }: Task): WriteCall => {
  context.permit();
  if (ports.clock.elapsed() - look.atMs < LOOK_GOOD_FOR_MS) {
    return { signal: context.signal, sendBeforeMs: look.atMs + LOOK_GOOD_FOR_MS };
  }
  throw new FleetError('conflict', {
    code: 'LookTooOld',
    message: 'the server was looked at too long ago to act on it',
  });
};

/** Sent once, whatever becomes of it; only a refusal that is sure gives the one shot back (000-4, F04). */
const reboot = async (deps: HostDeps, task: Task): Promise<Result> => {
  const { cloud, settings } = deps.ports;
  const { spec } = await confirmRecord(task);
  const call = permitEffect(deps, task);
  const why = deps.unsent.get(spec.lastWrite?.id ?? '');
  deps.unsent.delete(spec.lastWrite?.id ?? '');
  try {
    await cloud.rebootServer(refOf(task.host), call);
  } catch (error) {
    if (isAsGoodAsRebooted(error)) return wait(settings.times.pollMs);
    const message = error instanceof Error ? error.message : String(error);
    const event = { type: 'Warning', reason: 'RebootForRecoveryFailed', message } as const;
    const isRefused = !isKind(error, 'unavailable', 'contract') && why === 'recovery';
    return wait(settings.times.pollMs, {
      events: [event],
      ...(isRefused ? { spec: { budgets: withoutReboot(spec) } } : {}),
    });
  }
  return wait(settings.times.pollMs);
};

/** A server that is gone, or busy with something of its own, needs no reboot (000-7). */
const isAsGoodAsRebooted = (error: unknown): boolean =>
  isKind(error, 'not-found') || (error instanceof FleetError && error.code === 'TransientState');

const reinstall = async (deps: HostDeps, task: Task, plan: Write & { readonly do: 'reinstall' }): Promise<Result> => {
  const { ports } = deps;
  if (!isQuiet(deps, task)) return stoppingAgent();
  const image = await findImage(deps, task.host, { osFamily: plan.osFamily, signal: task.context.signal });
  const limit = decideWipe(deps, task.host, plan);
  if (limit !== undefined) return wait(limit.afterMs, notReady(limit.reason ?? '', limit.message));
  const host = await putOnRecord(deps, task, plan);
  const server = await ports.cloud.reinstallServer(refOf(host), image, permitEffect(deps, task));
  const events = image === undefined ? [unpublished(plan.osFamily)] : [];
  if (server.status !== 'reinstalling') return wait(ports.settings.times.pollMs, { events });
  await recordOn(host, acceptWipe({ spec: host.spec, nowMs: ports.clock.now() }).spec, task.context);
  return wait(0, { events });
};

/**
 * Stopping its agent and the list of images took their time: what was planned may be one too many by now (R20). Whoever asks again, in
 * doubt, counts already. Undefined: it is decided.
 */
const decideWipe = (
  deps: HostDeps,
  host: MacHost,
  { record }: ToRecord,
): (HostPlan & { readonly do: 'wait' }) | undefined => {
  const intent = record?.reinstall?.intentID;
  if (intent === undefined || intent === host.spec.reinstall?.intentID) return undefined;
  const { clock, settings } = deps.ports;
  const wiped = wipedLastHourOf(deps, host, clock.now());
  if (wiped >= settings.limits.reinstallsPerHour) return awaitWipes(wiped, settings);
  deps.decisions.note(host, 'wipe');
  return undefined;
};

const unpublished = (osFamily: string): EventReport => ({
  type: 'Warning',
  reason: 'OSPinUnavailable',
  message: `Scaleway publishes no image of ${osFamily}: wiped with the default of its type`,
});

/** What the server has on its disk forbids it, and will tomorrow (F22). */
const tellRefusal = (error: unknown): Result => {
  if (!isPreconditionFailed(error)) throw error;
  const message = `Scaleway refuses to wipe it (${error.message}): ask them, or release it with the policy terminate`;
  const events = [{ type: 'Warning', reason: 'ReleaseFailed', message }] as const;
  return wait(REFUSED_REST_MS, { ...notReady(REASONS.host.ready.wipeRefused, message), events });
};

const isPreconditionFailed = (error: unknown): error is FleetError =>
  error instanceof FleetError && error.code === 'PreconditionFailed';

const stoppingAgent = (): Result =>
  wait(WATCH_OPERATION_MS, notReady(REASONS.host.ready.notReady, 'stopping its agent'));

/** A lease that still runs is no failure: the deletion is scheduled instead (F06, F07). */
const terminate = async (deps: HostDeps, task: Task, plan: Write & { readonly do: 'terminate' }): Promise<Result> => {
  const { cloud, clock, ids, settings } = deps.ports;
  if (!isQuiet(deps, task)) return stoppingAgent();
  const host = await putOnRecord(deps, task, plan);
  try {
    await cloud.terminateServer(refOf(host), permitEffect(deps, task));
    return wait(settings.times.pollMs);
  } catch (error) {
    if (!isPreconditionFailed(error)) throw error;
    const lastWrite = recordWrite({ nowMs: clock.now(), uuid: ids.uuid }, 'schedule-deletion');
    await recordOn(host, { lastWrite }, task.context);
    return wait(0);
  }
};

/** The newest image of the family; the default of the type when none is published any more: a retired image holds up no wipe. */
const findImage = async (
  { ports: { logger }, images: known }: HostDeps,
  host: MacHost,
  { osFamily, signal }: { readonly osFamily: string; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const images = await known.of(refOf(host).zone, host.spec.type ?? '', signal);
  try {
    return chooseOsImage(images, osFamily).id;
  } catch (error) {
    if (!isKind(error, 'invalid')) throw error;
    logger.warn('No image of the family is published: wiping with the default one', {
      host: host.metadata.name,
      osFamily,
    });
    return undefined;
  }
};

/** Whether nothing of ours works on the Mac any more and its agent was asked to stop (R12). */
const isQuiet = ({ ports, operations, stops }: HostDeps, { host, look }: Task): boolean => {
  const uid = host.metadata.uid ?? '';
  if (operations.state(uid)?.state === 'running' || look.server === undefined) return false;
  if (host.spec.hostKey === undefined) return true;
  return stops.ensure(uid, stopAgent({ ports, host, server: look.server })).state !== 'running';
};

/** A Node that came back while its Mac was being wiped (R14). */
const deleteNode = async ({ caches }: HostDeps, { host, context }: Task): Promise<void> => {
  const node = await findNode(caches, host, context);
  if (node?.metadata.uid === undefined) return;
  const preconditions = { uid: node.metadata.uid };
  await ifThere(context.kube.delete(NODES, { name: node.metadata.name }, { preconditions, signal: context.signal }));
};
