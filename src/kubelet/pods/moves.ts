/** The moves of plan-pod.ts, one function each. A move has at most one effect outside, and says what comes next. */
import { isKind, unreachable } from '../../base/errors.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { renderVncAnnotations } from '../guest/vnc/plan-vnc.ts';
import { guestErrorIn } from '../vm/run-words.ts';
import { decideOutcome, outcomeOfLost, shouldRestart } from './decide-outcome.ts';
import { removeVm, stopRun } from './end-vm.ts';
import { createGrace, graceLeftMs } from './grace.ts';
import type { JournalEntry, StopReason } from './journal-entry.ts';
import { makeVm } from './make-vm.ts';
import { deadlineOf, holdsFinalizer, isOver, type Move, type Wish } from './plan-pod.ts';
import { forgetRun, type Work } from './pod-memory.ts';
import { logPathOf } from './pod-ports.ts';
import { type MoveEnd, ON, type PodParts, type PodSubject, REST } from './pod-subject.ts';
import { beginWork } from './pod-work.ts';
import { runPreStop } from './probes/pre-stop.ts';
import { type Telling, tell } from './publish.ts';
import { refusePod } from './refuse-pod.ts';
import { momentOf } from './render-moment.ts';
import { type PodMoment, renderStatus } from './render-status.ts';
import { restartAfterMs } from './restart-backoff.ts';

type MakeMove = (parts: PodParts, subject: PodSubject) => Promise<MoveEnd>;

const create: MakeMove = async (parts, subject) => {
  const { pod, memory, uid, clock } = subject;
  if (pod === undefined) return REST;
  const entry = parts.journal.get(uid);
  await publish(parts, subject, { moment: momentOf(entry, memory), finalizer: 'held' });
  const waitMs = Math.max(retryInMs(subject, 'making'), (entry?.notBeforeMs ?? 0) - clock.now());
  if (waitMs > 0) return again(subject, waitMs);
  const claimed = subject.pod ?? pod;
  if (memory.stumble === undefined && entry === undefined) {
    const message = `making a VM of ${pod.spec.containers[0]?.image}`;
    parts.events.publish(PODS, pod, [{ type: 'Normal', reason: 'CreatingVM', message }]);
  }
  const run = ({ signal, report }: Parameters<Parameters<typeof beginWork>[2]['run']>[0]) =>
    makeVm(parts, { pod: claimed, entry, report, signal });
  beginWork(parts.operations, memory, { what: 'making', run });
  return again(subject);
};

const reject: MakeMove = async (parts, subject) => {
  const { pod, wish, clock } = subject;
  if (pod === undefined) return REST;
  const { reason, message } = rejectionOf(wish, pod);
  const moment: PodMoment =
    wish === 'lost'
      ? { is: 'ended', outcome: outcomeOfLost({ startedAt: pod.status?.startTime, nowMs: clock.now(), message }) }
      : { is: 'refused', reason, message };
  await publish(parts, subject, { moment });
  parts.events.publish(PODS, pod, [{ type: 'Warning', reason, message }]);
  return ON;
};

const LOST = {
  reason: 'ContainerStatusUnknown',
  message: 'the VM ran on another Mac that was this Node, or before this one was wiped; nobody saw its end',
};

const rejectionOf = (wish: Wish, pod: Pod): { readonly reason: string; readonly message: string } => {
  if (wish === 'lost') return LOST;
  if (wish === 'expired') return { reason: 'DeadlineExceeded', message: DEADLINE_EXCEEDED.message };
  return { reason: 'UnsupportedPod', message: refusePod(pod) ?? '' };
};

/**
 * A run that was begun and left no trace never was: the agent died between saying so and doing it. Files and processes tell:
 * Tart, which may hang, is asked only what VMs there are of which the journal knows nothing.
 */
const look: MakeMove = async (parts, subject) => {
  const { uid, signal, memory } = subject;
  if (parts.journal.get(uid) === undefined) await parts.takeInventory(signal);
  const entry = parts.journal.get(uid);
  if (entry?.stage !== 'started') return ON;
  const run = await parts.vms.adopt(entry.vm, signal);
  if (run === undefined) await parts.journal.put(asMaking(entry));
  else {
    forgetRun(memory);
    // It was being stopped when the agent died: its guest may be well again, and its end would be told as ours.
    if (entry.stopped?.message !== undefined) memory.unwellBecause = entry.stopped.message;
    await parts.attend(subject, run);
  }
  return ON;
};

const asMaking = ({ startedMs: _startedMs, stopped: _stopped, ...entry }: JournalEntry): JournalEntry => ({
  ...entry,
  stage: 'making',
});

const report: MakeMove = async (parts, subject) => {
  const { memory, uid, pod } = subject;
  const entry = parts.journal.get(uid);
  const isAlive = memory.run !== undefined && memory.exit === undefined;
  const screen = isAlive && entry && pod && (await parts.vnc?.follow(pod, entry.vm));
  const annotations = screen ? { annotations: screen } : {};
  // An older etcd may know the Pod without it; nobody can be given one who is being deleted.
  const held = pod?.metadata.deletionTimestamp === undefined ? { finalizer: 'held' as const } : {};
  await publish(parts, subject, { moment: momentOf(entry, memory), ...held, ...annotations });
  return again(subject);
};

/** Everything that lives in the share is read before that goes. */
const settle: MakeMove = async (parts, subject) => {
  const { uid, memory, logger } = subject;
  const { journal, shares, settings } = parts;
  const entry = journal.get(uid);
  if (entry === undefined || memory.exit === undefined) return ON;
  const { vm, startedMs = memory.run?.startedAtMs ?? memory.exit.atMs, stopped } = entry;
  const logPath = logPathOf(settings, vm);
  const [report, lines, log] = await Promise.all([
    shares.readReport(vm),
    shares.readLog(vm),
    parts.runLogs.readEnd(logPath, entry.logFromByte ?? 0),
  ]);
  await parts.finishLog(vm);
  const guestError = guestErrorIn(log);
  const outcome = decideOutcome({
    ...{ exit: memory.exit, startedMs, logPath },
    ...(guestError !== undefined && { guestError }),
    ...(report !== undefined && { report }),
    ...(stopped !== undefined && { stopped }),
  });
  await journal.put({ ...entry, stage: 'ended', outcome });
  await parts.vnc?.end(subject.pod, vm);
  for (const line of lines) logger.info('The guest said', { vm, line });
  forgetRun(memory);
  parts.placeIsFree();
  return ON;
};

const conclude: MakeMove = async (parts, subject) => {
  const { uid, pod, memory, clock } = subject;
  const entry = parts.journal.get(uid);
  if (pod === undefined || entry?.outcome === undefined) return REST;
  const { outcome, stopped: _stopped, startedMs: _startedMs, ...rest } = entry;
  if (!shouldRestart(pod.spec.restartPolicy, outcome)) {
    await publish(parts, subject, { moment: { is: 'ended', outcome } });
    return ON;
  }
  const afterMs = restartAfterMs(entry);
  const restarts = entry.restarts + 1;
  await parts.journal.put({
    ...rest,
    stage: 'making',
    restarts,
    previous: outcome,
    notBeforeMs: clock.now() + afterMs,
  });
  delete memory.stumble;
  const message = `the VM ended with code ${outcome.exitCode} and is made anew in ${Math.ceil(afterMs / 1_000)} s`;
  parts.events.publish(PODS, pod, [{ type: 'Warning', reason: 'BackOff', message }]);
  return ON;
};

const cancel: MakeMove = async (parts, subject) => {
  parts.operations.cancel(subject.uid);
  return REST;
};

const DEADLINE_EXCEEDED = {
  podReason: 'DeadlineExceeded',
  message: 'the Pod was active on the Node for longer than its activeDeadlineSeconds',
};

/** In kubelet's words, which people search for. */
const NODE_SHUTDOWN = {
  podReason: 'Terminated',
  message: 'Pod was terminated in response to imminent node shutdown.',
};

const stopReasonOf = ({ wish, memory }: PodSubject): StopReason => {
  switch (wish) {
    case 'expired':
      return DEADLINE_EXCEEDED;
    case 'unwell':
      return {
        message: memory.unwellBecause ?? 'a probe gave the VM up',
        ...(memory.unwellGraceSeconds !== undefined && { graceSeconds: memory.unwellGraceSeconds }),
      };
    case 'done':
      return {};
    case 'leaving':
      return NODE_SHUTDOWN;
    case 'end':
      return { message: 'the VM was stopped because its Pod was deleted' };
    case 'gone':
    case 'lost':
    case 'over':
    case 'run':
    case 'refused':
      return { message: 'the VM was stopped because its Pod was over' };
    default:
      return unreachable(wish);
  }
};

const stop: MakeMove = async (parts, subject) => {
  const { uid, memory, pod, wish, clock } = subject;
  const entry = parts.journal.get(uid);
  if (entry === undefined) return ON;
  const waitMs = retryInMs(subject, 'stopping');
  if (waitMs > 0) return again(subject, waitMs);
  const stopped = entry.stopped ?? { ...stopReasonOf(subject), sinceMs: clock.now() };
  if (entry.stopped === undefined) await parts.journal.put({ ...entry, stopped });
  const graceMs = graceLeftMs({ wish, pod, stopped, nowMs: clock.now() });
  const grace = memory.grace ?? createGrace(clock, graceMs);
  grace.shortenTo(graceMs);
  memory.grace = grace;
  const handler = pod?.spec.containers[0]?.lifecycle?.preStop;
  const { vm } = entry;
  const { run, podIp } = memory;
  const ask = pod === undefined || handler === undefined ? undefined : { pod, vm, podIp, handler, timeoutMs: graceMs };
  const preStop = ask && ((signal: AbortSignal) => runPreStop(parts, { ...ask, signal }));
  beginWork(parts.operations, memory, {
    what: 'stopping',
    graceMs,
    run: async ({ signal }) => {
      await stopRun(parts, { vm, run, grace, signal, ...(preStop !== undefined && { preStop }) });
      return undefined;
    },
  });
  return REST;
};

/** A stop is under way: it has no longer than the Pod has now. */
const hasten: MakeMove = async (parts, { uid, memory, pod, wish, clock }) => {
  const { stopped } = parts.journal.get(uid) ?? {};
  if (stopped !== undefined) memory.grace?.shortenTo(graceLeftMs({ wish, pod, stopped, nowMs: clock.now() }));
  return REST;
};

const remove: MakeMove = async (parts, subject) => {
  const { uid, memory } = subject;
  const entry = parts.journal.get(uid);
  if (entry === undefined) return ON;
  const waitMs = retryInMs(subject, 'removing');
  if (waitMs > 0) return again(subject, waitMs);
  forgetRun(memory);
  beginWork(parts.operations, memory, {
    what: 'removing',
    run: async ({ signal }) => {
      await removeVm(parts, entry, signal);
      return undefined;
    },
  });
  return REST;
};

/**
 * Takes the finalizer off, and tells the end in the same call if nobody told it. A deleted Pod that is over goes with
 * that; one that had a grace is let go by a second call.
 */
const release: MakeMove = async (parts, subject) => {
  const { pod, wish, uid, memory, kube, signal } = subject;
  if (pod === undefined) return REST;
  const entry = parts.journal.get(uid);
  const isTold = isOver(pod) || entry?.outcome === undefined;
  const hadFinalizer = holdsFinalizer(pod);
  await publish(parts, subject, { ...(!isTold && { moment: momentOf(entry, memory) }), finalizer: 'gone' });
  if (wish !== 'end') return REST;
  const { deletionGracePeriodSeconds, finalizers = [] } = subject.pod?.metadata ?? {};
  if (deletionGracePeriodSeconds === 0 && (hadFinalizer || finalizers.length > 0)) return REST;
  const preconditions = { uid };
  await kube.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions, signal }).catch((thrown: unknown) => {
    if (!isKind(thrown, 'not-found', 'conflict')) throw thrown;
  });
  return REST;
};

const forget: MakeMove = async (parts, { uid, memory }) => {
  if (parts.journal.get(uid) !== undefined) await parts.journal.drop(uid);
  parts.operations.forget(uid);
  memory.endAttendance?.();
  return REST;
};

const wait: MakeMove = async () => REST;

export const MAKE_MOVE: Readonly<Record<Move, MakeMove>> = {
  ...{ create, reject, look, report, settle, conclude },
  ...{ cancel, stop, hasten, remove, release, forget, wait },
};

/** Until work that failed may be tried again. */
const retryInMs = ({ memory, clock }: PodSubject, work: Work): number =>
  memory.stumble?.work === work ? memory.stumble.retry.notBeforeMs - clock.now() : 0;

/** No later than the Pod's own deadline. */
const again = ({ pod, clock }: PodSubject, afterMs?: number): MoveEnd => {
  const deadlineMs = pod === undefined ? undefined : deadlineOf(pod);
  const times = [afterMs, deadlineMs === undefined ? undefined : deadlineMs - clock.now()];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? REST : { next: 'again', afterMs: Math.max(0, Math.min(...known)) };
};

interface Publishing extends Pick<Telling, 'annotations'> {
  readonly moment?: PodMoment;
  readonly finalizer?: Telling['finalizer'];
}

const publish = async (parts: PodParts, subject: PodSubject, publishing: Publishing): Promise<void> => {
  const { moment, finalizer } = publishing;
  const { pod, uid, memory, clock, kube, signal } = subject;
  if (pod === undefined) return;
  const entry = parts.journal.get(uid);
  const { hostIp } = parts.settings;
  const facts = {
    ...{ nowMs: clock.now(), restarts: entry?.restarts ?? 0 },
    ...(hostIp !== undefined && { hostIp }),
    ...(entry !== undefined && { vm: entry.vm }),
    ...(entry?.previous !== undefined && { previous: entry.previous }),
    ...(memory.imageDigest !== undefined && { imageDigest: memory.imageDigest }),
  };
  const status = moment === undefined ? {} : { status: renderStatus(pod, moment, facts) };
  const annotations = publishing.annotations ?? (parts.vnc && renderVncAnnotations(undefined));
  const telling = { ...status, ...(finalizer && { finalizer }), ...(annotations && { annotations }) };
  subject.pod = await tell(pod, telling, { kube, signal });
};
