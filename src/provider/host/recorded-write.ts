/**
 * Every write to a server is on record before it is sent, and sent only on a fresh record (R13): a lost answer is
 * recognised by the next look, and a process that was frozen sends nothing it recorded long ago.
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

/** The wish for a name, stored; from now on both names are ours. */
export const intendName = (view: HostView, next: string): HostPlan => ({
  do: 'store',
  spec: {
    assignedName: { current: view.spec.assignedName?.current ?? view.server?.name ?? '', next },
    lastWrite: recordWrite(view, 'rename'),
  },
});

/**
 * A stored wish for a name: seen means done; otherwise it is sent, on a fresh record. When it was seen is noted: the rename
 * may have been sent long after its record, and names are held from then on (R7, R13).
 */
export const pursueName = (view: HostView, next: string): HostPlan => {
  if (view.server?.name === next) {
    const lastWrite = { ...(view.spec.lastWrite ?? recordWrite(view, 'rename')), at: toTimestamp(view.nowMs) };
    return { do: 'store', spec: { assignedName: { current: next }, lastWrite } };
  }
  if (!isRecordFresh(view, 'rename')) return { do: 'store', spec: { lastWrite: recordWrite(view, 'rename') } };
  return { do: 'rename', to: next };
};
