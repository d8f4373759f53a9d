/**
 * Every write to a server is on record before it is sent, and sent only on a fresh record (R13): a lost answer is
 * recognised by the next look, and a process that was frozen sends nothing it recorded long ago. What is planned from a look
 * is recorded and sent in the same pass, so that no more Macs stand between the two than there are workers.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { HostPlan, HostView } from './host-view.ts';

export type LastWrite = NonNullable<MacHostSpec['lastWrite']>;

export const recordWrite = ({ nowMs, uuid }: Pick<HostView, 'nowMs' | 'uuid'>, verb: LastWrite['verb']): LastWrite => ({
  verb,
  id: uuid(),
  at: toTimestamp(nowMs),
});

export const isRecordFresh = ({ spec, nowMs, times }: HostView, verb: LastWrite['verb']): boolean =>
  spec.lastWrite?.verb === verb && nowMs - (parseTimestamp(spec.lastWrite.at) ?? 0) < times.recordMaxAgeMs;

interface Rename {
  readonly from: string;
  readonly to: string;
}

/** The wish for a name; once it is stored both names are ours. */
export const wishFor = (
  view: Pick<HostView, 'nowMs' | 'uuid'>,
  { from, to }: Rename,
): Required<Pick<MacHostSpec, 'assignedName' | 'lastWrite'>> => ({
  assignedName: { current: from, next: to },
  lastWrite: recordWrite(view, 'rename'),
});

/** Stored without a look at the server, by those whose turn it is (turns.ts); sent by a later pass. */
export const intendName = (view: Pick<HostView, 'nowMs' | 'uuid'>, rename: Rename): HostPlan => ({
  do: 'store',
  spec: wishFor(view, rename),
});

/** Stored and sent in one pass, on the look that it was planned from. */
export const giveName = (view: Pick<HostView, 'nowMs' | 'uuid'>, rename: Rename): HostPlan => ({
  do: 'rename',
  to: rename.to,
  record: wishFor(view, rename),
});

/** The name that the server has by the record; the one it was seen with when there is none. */
export const nameOnRecord = ({ spec, server }: Pick<HostView, 'spec' | 'server'>): string => {
  const { current, next } = spec.assignedName ?? {};
  // A wish that came true and was not noted yet: the name that it had before is not one to go back to.
  return server !== undefined && server.name === next ? next : (current ?? server?.name ?? '');
};

/** What is put on record when a server was seen with the name that was wished for it. */
export const nameSeen = (
  view: Pick<HostView, 'spec' | 'nowMs' | 'uuid'>,
  name: string,
): Pick<MacHostSpec, 'assignedName' | 'lastWrite'> => ({
  assignedName: { current: name },
  lastWrite: { ...(view.spec.lastWrite ?? recordWrite(view, 'rename')), at: toTimestamp(view.nowMs) },
});

/**
 * A stored wish for a name: seen means done; otherwise it is sent, on a fresh record. When it was seen is noted: the rename
 * may have been sent long after its record, and names are held from then on (R7, R13). A record that is too old is renewed
 * in the pass that sends: with more Macs under way than the budget of requests lets through, it would be too old for ever.
 */
export const pursueName = (view: HostView, next: string): HostPlan => {
  if (view.server?.name === next) return { do: 'store', spec: nameSeen(view, next) };
  return isRecordFresh(view, 'rename')
    ? { do: 'rename', to: next }
    : { do: 'rename', to: next, record: { lastWrite: recordWrite(view, 'rename') } };
};
