/** What must always hold between Pods and VMs, whatever crashes (reliability S22–S29). Looks at the truth, not at what the agent thinks. */
import type { Clock } from '../base/clock.ts';
import { FleetError } from '../base/errors.ts';
import { FINALIZERS } from '../kinds/labels.ts';
import type { Node } from '../kube/types/core.ts';
import type { Pod } from '../kube/types/pod.ts';
import { isOver } from '../kubelet/pods/plan-pod.ts';
import { legacyVmNameOf, parseVmName } from '../kubelet/pods/vm-name.ts';
import type { StepMac } from '../sim/tart/step/step-mac.ts';
import { runningVms } from '../sim/tart/tart-home.ts';

export interface JuryDeps {
  readonly clock: Clock;
  readonly mac: StepMac;
  readonly pods: () => readonly Pod[];
  /** What VMs are being cloned from, by the name that Tart was given; it was there when that began. */
  readonly cloning?: () => Iterable<string>;
  /** Where the Mac has a graphical session that may be missing: whether it is there, and its Node. */
  readonly session?: { readonly isThere: () => boolean; readonly node: () => Node | undefined };
  /** How long what was sent or seen before may still take to arrive; two seconds unless given. */
  readonly inFlightMs?: number;
}

export interface KubeletJury {
  check(): void;
  /** A VM whose Pod somebody took away by force: it is the agent's to end, not its fault. */
  excuse(uid: string): void;
}

const VMS_MAX = 2;
const USERDATA = '/var/lib/tart-userdata';
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

export const createKubeletJury = (deps: JuryDeps): KubeletJury => {
  const { clock, mac, pods, cloning, session, inFlightMs = IN_FLIGHT_MS } = deps;
  const checkReady = session === undefined ? () => undefined : createReadyCheck(clock, session);
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
      for (const from of cloning?.() ?? [])
        if (!hasSource(mac, from)) throw broken('S27', `${from} was deleted while it was cloned`);
      checkShares(mac, all, excused);
      checkReady(running.length);
      for (const pod of all) {
        const record = recordOf(pod.metadata.uid ?? '');
        checkTold(pod, record, { nowMs: clock.now(), inFlightMs });
        checkStarts(pod, record, { nowMs: clock.now(), inFlightMs });
      }
    },
    excuse: (uid) => excused.add(uid),
  };
};

/** A VM of the Go original belongs to whoever has its name. */
const uidOfLegacy = (vm: string, pods: readonly Pod[]): string =>
  pods.find((pod) => legacyVmNameOf(pod) === vm)?.metadata.uid ?? vm;

const checkOwner = (
  vm: string,
  pods: readonly Pod[],
  excused: ReadonlySet<string>,
  promise: 'S24' | 'S28' = 'S24',
): void => {
  const uid = parseVmName(vm);
  if (uid === undefined || excused.has(uid)) return;
  const pod = pods.find(({ metadata }) => metadata.uid === uid);
  if (pod?.metadata.finalizers?.includes(FINALIZERS.pod) === true) return;
  throw broken(
    promise,
    `${promise === 'S24' ? vm : `what ${vm} was given`} is there, and ${pod === undefined ? 'its Pod is gone' : 'its finalizer is off'}`,
  );
};

/** Whether Tart has a VM or an image by that name. */
export const hasSource = ({ home }: Pick<StepMac, 'home'>, name: string): boolean =>
  home.vm(name) !== undefined ||
  home
    .cached()
    .some(({ repository, digest, tags }) =>
      [`${repository}@${digest}`, ...tags.map((tag) => `${repository}:${tag}`)].includes(name),
    );

/** What a VM got is its own Pod's, and nothing of it is left when its Pod is let go. */
const checkShares = ({ processes, files }: StepMac, pods: readonly Pod[], excused: ReadonlySet<string>): void => {
  for (const { command } of processes.list()) {
    const [, , vm = '', ...words] = command.split(' ');
    const shared = words.flatMap((word) => word.split(':').filter((part) => part.startsWith(USERDATA)));
    const other = shared.find((path) => !`${path}/`.startsWith(`${USERDATA}/${vm}/`));
    if (other !== undefined) throw broken('S28', `${vm} has ${other}`);
  }
  for (const folder of files.now.namesIn(USERDATA)) {
    const uid = parseVmName(folder);
    if (uid !== undefined) checkOwner(folder, pods, excused, 'S28');
  }
};

/** A Node is not Ready for longer than this without the session that it needs to start a VM. */
const READY_MS = 60_000;

const createReadyCheck = (
  clock: Clock,
  { isThere, node }: NonNullable<JuryDeps['session']>,
): ((running: number) => void) => {
  let missingSinceMs: number | undefined;
  return (running) => {
    missingSinceMs = isThere() ? undefined : (missingSinceMs ?? clock.now());
    if (missingSinceMs === undefined || clock.now() - missingSinceMs < READY_MS + IN_FLIGHT_MS) return;
    const said =
      node()
        ?.status?.conditions?.filter(({ status }) => status === 'True')
        .map(({ type }) => type) ?? [];
    const isLie = said.includes('GuiSession') || (said.includes('Ready') && running === 0);
    if (isLie) throw broken('S29', `nobody is logged in for a minute, and the Node says ${said.join(', ')}`);
  };
};

interface Moment {
  readonly nowMs: number;
  readonly inFlightMs: number;
}

const checkTold = (pod: Pod, record: Known, { nowMs, inFlightMs }: Moment): void => {
  const { containerStatuses, podIP } = pod.status ?? {};
  const state = containerStatuses?.[0]?.state;
  // Conditions are also written by those who have not heard of the Node for long.
  const told = state?.running === undefined ? '' : JSON.stringify([containerStatuses, podIP]);
  // Of a Pod that is here only now, because its Node's name is another Mac's, that one said it.
  record.told ??= told;
  if (told !== '' && told !== record.told && nowMs - record.lastAliveMs > inFlightMs)
    throw broken('S26', `${pod.metadata.name} is told as running, and no process is there`);
  record.told = told;
  const end = isOver(pod) ? `${pod.status?.phase} ${state?.terminated?.exitCode}` : undefined;
  if (record.end !== undefined && end !== record.end)
    throw broken('S26', `${pod.metadata.name} was ${record.end} and is ${end ?? pod.status?.phase}`);
  if (end !== undefined) record.end = end;
};

/** Counted from when the end was there to be known. */
const checkStarts = (pod: Pod, record: Known, { nowMs, inFlightMs }: Moment): void => {
  const count = record.pids.size;
  if (pod.spec.restartPolicy === 'Never' && count > 1)
    throw broken('S25', `${pod.metadata.name} must run once (D10) and was started ${count} times`);
  if (!isOver(pod) && pod.metadata.deletionTimestamp === undefined) return;
  record.endedMs ??= nowMs;
  if (nowMs - record.endedMs < inFlightMs) return;
  record.startsAtEnd ??= count;
  if (count > record.startsAtEnd) throw broken('S25', `${pod.metadata.name} was started after its end`);
};

/** Of a promise about VMs, with its name in the details. */
export const broken = (promise: `S${number}`, message: string): FleetError =>
  new FleetError('bug', { code: 'PromiseBroken', message: `${promise}: ${message}`, details: { promise } });
