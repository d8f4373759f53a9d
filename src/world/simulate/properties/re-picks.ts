/** L6: a machine whose Mac was given back for failing does not take that one again while another fits. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { Happening, Truth } from '../truth.ts';

export interface RePicks {
  hear(happening: Happening, truth: Truth): void;
  /** What was chosen again within the last hour, each as a sentence. */
  recent(nowMs: number): readonly string[];
}

const HOUR_MS = 3_600_000;
/** A Mac that was written to more recently may not be on offer (R13), or was not known to be when the choice was made. */
const LATELY_MS = 120_000;
/** As the manager gives its reasons for giving a Mac back that failed. */
const FAULTS: readonly string[] = ['BootstrapExhausted', 'HostKeyChanged'];

export const createRePicks = (): RePicks => {
  /** Macs that failed a machine, by its UID. */
  const failed = new Map<string, Set<string>>();
  const found: { readonly atMs: number; readonly message: string }[] = [];
  const noteFailure = ({ metadata, spec }: MacHost, before: MacHost | undefined): void => {
    const isNews = spec.release !== undefined && before?.spec.release === undefined;
    if (!isNews || spec.claimRef === undefined || !FAULTS.includes(spec.release?.reason ?? '')) return;
    const macs = failed.get(spec.claimRef.uid) ?? new Set();
    failed.set(spec.claimRef.uid, macs.add(metadata.name));
  };
  return {
    hear: (happening, truth) => {
      if (happening.is !== 'object') return;
      const { change } = happening;
      if (change.kind === 'hosts' && change.after !== undefined) noteFailure(change.after, change.before);
      if (change.kind !== 'machines' || change.before?.status?.serverID) return;
      const { metadata, status } = change.after ?? {};
      const serverId = status?.serverID;
      if (!serverId || failed.get(metadata?.uid ?? '')?.has(serverId) !== true) return;
      const better = betterThan(serverId, truth);
      if (better === undefined) return;
      const message = `was taken by ${metadata?.name} again, which it had failed, and ${better} was free`;
      found.push({ atMs: truth.nowMs(), message: `${serverId} ${message}` });
    },
    recent: (nowMs) => found.filter(({ atMs }) => nowMs - atMs < HOUR_MS).map(({ message }) => message),
  };
};

/** One that failed less often, and that nobody else may be about to take; undefined when there is none. */
const betterThan = (serverId: string, truth: Truth): string | undefined => {
  const chosen = truth.find('hosts', serverId);
  const machines = truth.list('machines');
  const better = truth.list('hosts').filter(({ metadata, spec, status }) => {
    const isNobodys = [spec.claimRef, spec.release, spec.hold, spec.quarantine].every((part) => part === undefined);
    const isNamed = machines.some((machine) => machine.status?.serverID === metadata.name);
    const isSame = spec.pool?.prefix === chosen?.spec.pool?.prefix && spec.type === chosen?.spec.type;
    const isQuiet = truth.nowMs() - (parseTimestamp(spec.lastWrite?.at) ?? 0) > LATELY_MS;
    const isWell = status?.state === 'free' && status.server?.status === 'ready';
    const isLessFaulty = spec.budgets.returns < (chosen?.spec.budgets.returns ?? 0);
    return isNobodys && !isNamed && isSame && isQuiet && isWell && isLessFaulty;
  });
  const waiting = machines.filter(({ status }) => !status?.serverID);
  return better.length > waiting.length ? better[0]?.metadata.name : undefined;
};
