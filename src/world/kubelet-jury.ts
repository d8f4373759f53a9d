/** What must always hold between Pods and VMs, whatever crashes (reliability S22–S27). Looks at the truth, not at what the agent thinks. */
import type { Clock } from '../base/clock.ts';
import { FleetError } from '../base/errors.ts';
import { FINALIZERS } from '../kinds/labels.ts';
import type { Pod } from '../kube/types/pod.ts';
import { isOver } from '../kubelet/pods/plan-pod.ts';
import { legacyVmNameOf, parseVmName } from '../kubelet/pods/vm-name.ts';
import type { StepMac } from '../sim/tart/step/step-mac.ts';
import { runningVms } from '../sim/tart/tart-home.ts';

export interface JuryDeps {
  readonly clock: Clock;
  readonly mac: StepMac;
  readonly pods: () => readonly Pod[];
}

export interface KubeletJury {
  check(): void;
  /** A VM whose Pod somebody took away by force: it is the agent's to end, not its fault. */
  excuse(uid: string): void;
}

const VMS_MAX = 2;
/** What was sent before the end was known may still arrive. */
const IN_FLIGHT_MS = 2_000;

interface Known {
  lastAliveMs: number;
  /** The processes that its VM had, one after the other. */
  readonly pids: Set<number>;
  /** The status that was last told while it ran. */
  told?: string;
  end?: string;
  startsAtEnd?: number;
  endedMs?: number;
}

export const createKubeletJury = ({ clock, mac, pods }: JuryDeps): KubeletJury => {
  const excused = new Set<string>();
  const records = new Map<string, Known>();
  const recordOf = (uid: string): Known => {
    const known = records.get(uid) ?? { lastAliveMs: Number.NEGATIVE_INFINITY, pids: new Set() };
    records.set(uid, known);
    return known;
  };
  const note = (vm: string, all: readonly Pod[]): void => {
    const record = recordOf(parseVmName(vm) ?? uidOfLegacy(vm, all));
    record.lastAliveMs = clock.now();
    record.pids.add(mac.home.holderOf(vm) ?? 0);
  };
  return {
    check: () => {
      const all = pods();
      const running = runningVms(mac.home);
      if (running.length > VMS_MAX) throw broken('S22', `${running.length} VMs run: ${running.join(', ')}`);
      for (const vm of running) note(vm, all);
      for (const vm of mac.home.vmNames()) checkOwner(vm, all, excused);
      for (const pod of all) {
        const record = recordOf(pod.metadata.uid ?? '');
        checkTold(pod, record, clock.now());
        checkStarts(pod, record, clock.now());
      }
    },
    excuse: (uid) => excused.add(uid),
  };
};

/** A VM of the Go original belongs to whoever has its name. */
const uidOfLegacy = (vm: string, pods: readonly Pod[]): string =>
  pods.find((pod) => legacyVmNameOf(pod) === vm)?.metadata.uid ?? vm;

const checkOwner = (vm: string, pods: readonly Pod[], excused: ReadonlySet<string>): void => {
  const uid = parseVmName(vm);
  if (uid === undefined || excused.has(uid)) return;
  const pod = pods.find(({ metadata }) => metadata.uid === uid);
  if (pod?.metadata.finalizers?.includes(FINALIZERS.pod) === true) return;
  throw broken('S24', `${vm} is there, and ${pod === undefined ? 'its Pod is gone' : 'its finalizer is off'}`);
};

const checkTold = (pod: Pod, record: Known, nowMs: number): void => {
  const state = pod.status?.containerStatuses?.[0]?.state;
  const told = state?.running === undefined ? '' : JSON.stringify(pod.status);
  if (told !== '' && told !== record.told && nowMs - record.lastAliveMs > IN_FLIGHT_MS)
    throw broken('S26', `${pod.metadata.name} is told as running, and no process is there`);
  record.told = told;
  const end = isOver(pod) ? `${pod.status?.phase} ${state?.terminated?.exitCode}` : undefined;
  if (record.end !== undefined && end !== record.end)
    throw broken('S26', `${pod.metadata.name} was ${record.end} and is ${end ?? pod.status?.phase}`);
  if (end !== undefined) record.end = end;
};

/** Counted from when the end was there to be known. */
const checkStarts = (pod: Pod, record: Known, nowMs: number): void => {
  const count = record.pids.size;
  if (pod.spec.restartPolicy === 'Never' && count > 1)
    throw broken('D10', `${pod.metadata.name} must run once and was started ${count} times`);
  if (!isOver(pod) && pod.metadata.deletionTimestamp === undefined) return;
  record.endedMs ??= nowMs;
  if (nowMs - record.endedMs < IN_FLIGHT_MS) return;
  record.startsAtEnd ??= count;
  if (count > record.startsAtEnd) throw broken('S25', `${pod.metadata.name} was started after its end`);
};

const broken = (promise: string, message: string): FleetError =>
  new FleetError('bug', { code: 'PromiseBroken', message: `${promise}: ${message}` });
