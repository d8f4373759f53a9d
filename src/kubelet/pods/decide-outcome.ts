/**
 * How a run ended, from what is known of it. The guest's own report counts most; what the VM's process returned comes
 * next; and where nobody saw the end, that is said instead of a code that looks like success. Pure.
 */
import { parseTimestamp } from '../../base/clock.ts';
import type { VmExit } from '../vm/vm-port.ts';
import type { Outcome, StopReason } from './journal-entry.ts';

/** The exit code that the guest wrote down before it powered off. */
export interface GuestReport {
  readonly code: number;
  readonly atMs: number;
}

export interface Evidence {
  readonly exit: VmExit;
  readonly report?: GuestReport;
  /** Why the guest broke down, as the VM's log tells it. */
  readonly guestError?: string;
  /** Set when we stopped it before its own end. */
  readonly stopped?: StopReason;
  readonly startedMs: number;
  /** Where what the VM printed can be read. */
  readonly logPath: string;
}

/** What a process gets that is killed, and what is said of one whose end nobody saw. */
const KILLED = 137;

export const decideOutcome = (evidence: Evidence): Outcome => {
  const { exit, report, stopped, startedMs } = evidence;
  const end = endOf(evidence);
  // The end of a run that we stopped is ours; the guest's own came with its report.
  const wasItsOwn = stopped === undefined && (exit.code !== undefined || exit.signal !== undefined);
  const finishedMs = wasItsOwn ? exit.atMs : (report?.atMs ?? exit.atMs);
  const podReason = stopped?.podReason === undefined ? {} : { podReason: stopped.podReason };
  return { ...end, startedMs: Math.min(startedMs, finishedMs), finishedMs, ...podReason };
};

const endOf = ({
  exit,
  report,
  guestError,
  stopped,
  logPath,
}: Evidence): Pick<Outcome, 'exitCode' | 'reason'> & { readonly message?: string } => {
  const why = stopped?.message === undefined ? {} : { message: stopped.message };
  if (report !== undefined) return { exitCode: report.code, reason: report.code === 0 ? 'Completed' : 'Error', ...why };
  if (stopped !== undefined) return { exitCode: KILLED, reason: 'Error', ...why };
  if (guestError !== undefined) {
    return {
      exitCode: 1,
      reason: 'TartRunFailed',
      message: `the guest broke down: ${guestError}; its log is ${logPath}`,
    };
  }
  if (exit.code === 0) return { exitCode: 0, reason: 'TartRunExited', message: `the VM ended; its log is ${logPath}` };
  if (exit.code !== undefined) {
    const message = `tart run ended with code ${exit.code}; its log is ${logPath}`;
    return { exitCode: exit.code > 0 ? exit.code : 1, reason: 'TartRunFailed', message };
  }
  if (exit.signal !== undefined) {
    return {
      exitCode: 1,
      reason: 'TartRunFailed',
      message: `tart run was ended by ${exit.signal}; its log is ${logPath}`,
    };
  }
  const message = 'the VM is gone and nobody saw its end: the Mac was restarted or lost power while it ran';
  return { exitCode: KILLED, reason: 'ContainerStatusUnknown', message };
};

interface LostRun {
  readonly startedAt: string | undefined;
  readonly nowMs: number;
  readonly message: string;
}

/** Of a run that nobody here knows more of than that it was told. Its Pod is over, whatever its policy. */
export const outcomeOfLost = ({ startedAt, nowMs, message }: LostRun): Outcome => {
  const reason = 'ContainerStatusUnknown';
  const startedMs = Math.min(parseTimestamp(startedAt) ?? nowMs, nowMs);
  return { exitCode: KILLED, reason, podReason: reason, message, startedMs, finishedMs: nowMs };
};

const REPORT = /^\d{1,3}$/;

/** What the guest wrote as its exit code; undefined when that is none. */
export const parseGuestCode = (text: string): number | undefined => {
  const digits = text.trim();
  const code = REPORT.test(digits) ? Number(digits) : undefined;
  return code === undefined || code > 255 ? undefined : code;
};

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

const policyOf = (text: string | undefined): RestartPolicy =>
  text === 'Never' || text === 'OnFailure' ? text : 'Always';

/** Whether a run that ended so is followed by another. */
export const shouldRestart = (policy: string | undefined, outcome: Outcome): boolean => {
  if (outcome.podReason !== undefined) return false;
  switch (policyOf(policy)) {
    case 'Never':
      return false;
    case 'OnFailure':
      return outcome.exitCode !== 0;
    case 'Always':
      return true;
  }
};
