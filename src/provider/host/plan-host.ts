/**
 * The next thing to do for a Mac: pure, from a view of everything that may matter. Whatever changes the server is first
 * stored as an intent with a fresh record of the request (R11, R13), and carried out in the next pass.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { unreachable } from '../../base/errors.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { parseServerName, renderServerName } from '../../kinds/names.ts';
import type { Changes } from '../../kube/controller/outcome.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';
import { HOST_LIFE, hostStateOf, type Move, sightName } from './host-life.ts';

export interface HostTimes {
  /** How long a pending name is held before the final one (R7): longer than 5 s and the HTTP deadline together. */
  readonly claimHoldMs: number;
  /** How long a host is not claimable after the last request that changed it (R13). */
  readonly quietMs: number;
  /** How old the record of a request may be when it is sent. */
  readonly recordMaxAgeMs: number;
  /** How often a server under way to something is looked at. */
  readonly pollMs: number;
}

export interface HostView {
  readonly nowMs: number;
  readonly spec: MacHostSpec;
  /** As the cloud showed it in this very pass (R8); undefined when it was not asked or does not show it. */
  readonly server: CloudServer | undefined;
  /** Whether the machine behind the claim exists and names this host. */
  readonly owner: 'names-it' | 'does-not' | 'gone';
  readonly node: 'there' | 'absent';
  readonly clusterId: string;
  readonly times: HostTimes;
  /** For new names and requests. */
  readonly uuid: () => string;
}

export type HostPlan =
  | { readonly do: 'rest' }
  | { readonly do: 'wait'; readonly afterMs: number }
  /** Store this, then look again. */
  | { readonly do: 'store'; readonly spec: Changes<MacHostSpec> }
  | { readonly do: 'rename'; readonly to: string }
  | { readonly do: 'reinstall'; readonly osFamily: string }
  | { readonly do: 'prepare' }
  | { readonly do: 'delete-node' }
  | { readonly do: 'report'; readonly message: string };

export const planHost = (view: HostView): HostPlan => {
  const state = hostStateOf(view.spec, view.node);
  const move: Move = HOST_LIFE[state][sightName(view.spec, view.server?.name)];
  switch (move) {
    case 'rest':
      return { do: 'rest' };
    case 'take':
      return planTake(view);
    case 'drop':
      return { do: 'store', spec: { claimRef: undefined, assignedName: undefined } };
    case 'prepare':
      return planPrepare(view);
    case 'wipe':
      return planWipe(view);
    case 'return':
      return planReturn(view);
    case 'report':
      return { do: 'report', message: describeMismatch(view) };
    default:
      return unreachable(move);
  }
};

const describeMismatch = ({ spec, server }: HostView): string =>
  server === undefined
    ? 'Scaleway does not show the server'
    : `the server is named "${server.name}", expected "${spec.assignedName?.next ?? spec.assignedName?.current}"`;

/** pool name → pending name, held for a while → the machine's name. */
const planTake = (view: HostView): HostPlan => {
  const { spec, server, owner, times, nowMs } = view;
  const name = spec.assignedName;
  if (name === undefined && owner !== 'names-it') return { do: 'store', spec: { claimRef: undefined } };
  if (name === undefined) return intendName(view, renderServerName({ kind: 'claim-pending', uuid: view.uuid() }));
  if (name.next !== undefined) return pursueName(view, name.next);
  if (parseServerName(server?.name ?? '', [])?.kind !== 'claim-pending')
    return { do: 'report', message: describeMismatch(view) };
  const heldMs = nowMs - (parseTimestamp(spec.lastWrite?.at) ?? nowMs);
  if (heldMs < times.claimHoldMs) return { do: 'wait', afterMs: times.claimHoldMs - heldMs };
  return intendName(view, spec.claimRef?.name ?? '');
};

const planPrepare = ({ server, times, owner }: HostView): HostPlan => {
  if (owner !== 'names-it')
    return { do: 'report', message: 'the machine that claimed this host is gone or names another one' };
  return server?.status === 'ready' ? { do: 'prepare' } : { do: 'wait', afterMs: times.pollMs };
};

/** any name of ours → releasing name → reinstall, until one was seen to begin. */
const planWipe = (view: HostView): HostPlan => {
  const { spec, server, times, clusterId } = view;
  const name = spec.assignedName;
  if (spec.pool === undefined) return { do: 'report', message: 'the host has no pool, so it is never wiped (R15)' };
  if (name?.next !== undefined && isReleasing(name.next)) {
    if (server?.name !== name.next) return pursueName(view, name.next);
    return { do: 'store', spec: { assignedName: { current: name.next } } };
  }
  if (server === undefined || !isReleasing(server.name)) {
    return intendName(view, renderServerName({ kind: 'releasing', clusterId, uuid: view.uuid() }));
  }
  if (server.status === 'reinstalling' && isWipeRequested(spec)) return acceptWipe(view);
  if (server.status !== 'ready') return { do: 'wait', afterMs: times.pollMs };
  return isWipeRequested(spec) && isRecordFresh(view, 'reinstall')
    ? { do: 'reinstall', osFamily: spec.osFamily ?? server.osFamily }
    : intendWipe(view);
};

const isReleasing = (name: string): boolean => parseServerName(name, [])?.kind === 'releasing';

const isWipeRequested = ({ release, reinstall }: MacHostSpec): boolean =>
  release !== undefined && reinstall?.intentID === release.intentID;

const intendWipe = (view: HostView): HostPlan => {
  const { spec, nowMs } = view;
  const requestedAt = toTimestamp(nowMs);
  const reinstall = { intentID: spec.release?.intentID ?? '', requestedAt };
  return { do: 'store', spec: { reinstall, lastWrite: recordOf(view, 'reinstall') } };
};

/** The plan to store that the wipe of this release has begun. */
export const acceptWipe = ({ spec, nowMs }: Pick<HostView, 'spec' | 'nowMs'>): HostPlan => ({
  do: 'store',
  spec: { reinstall: { ...toReinstall(spec), acceptedAt: toTimestamp(nowMs) } },
});

const toReinstall = (spec: MacHostSpec) => ({
  intentID: spec.reinstall?.intentID ?? '',
  requestedAt: spec.reinstall?.requestedAt ?? '',
});

/** Wiped and ready → pool name → a fresh record. */
const planReturn = (view: HostView): HostPlan => {
  const { spec, server, node, times } = view;
  const name = spec.assignedName;
  if (server?.status !== 'ready') return { do: 'wait', afterMs: times.pollMs };
  if (node === 'there') return { do: 'delete-node' };
  const prefix = spec.pool?.prefix ?? '';
  if (name?.next === undefined) return intendName(view, renderServerName({ kind: 'pool', prefix, rest: view.uuid() }));
  return server.name === name.next ? { do: 'store', spec: freshRecord(spec) } : pursueName(view, name.next);
};

/** What is left of a life once the Mac is free again. */
const freshRecord = ({ wipes }: MacHostSpec): Changes<MacHostSpec> => ({
  claimRef: undefined,
  assignedName: undefined,
  release: undefined,
  reinstall: undefined,
  hostKey: undefined,
  identity: undefined,
  rebootRequest: undefined,
  wipes: wipes + 1,
  budgets: undefined,
});

const intendName = (view: HostView, next: string): HostPlan => ({
  do: 'store',
  spec: {
    assignedName: { current: view.spec.assignedName?.current ?? view.server?.name ?? '', next },
    lastWrite: recordOf(view, 'rename'),
  },
});

/** A stored wish for a name: seen means done; otherwise it is sent, on a fresh record. */
const pursueName = (view: HostView, next: string): HostPlan => {
  if (view.server?.name === next) return { do: 'store', spec: { assignedName: { current: next } } };
  if (!isRecordFresh(view, 'rename')) return { do: 'store', spec: { lastWrite: recordOf(view, 'rename') } };
  return { do: 'rename', to: next };
};

const recordOf = ({ nowMs, uuid }: HostView, verb: 'rename' | 'reinstall') => ({
  verb,
  id: uuid(),
  at: toTimestamp(nowMs),
});

const isRecordFresh = ({ spec, nowMs, times }: HostView, verb: 'rename' | 'reinstall'): boolean =>
  spec.lastWrite?.verb === verb && nowMs - (parseTimestamp(spec.lastWrite.at) ?? 0) < times.recordMaxAgeMs;

/** Whether a machine may claim it: free, seen ready under its pool name, and nothing sent to it lately (R3, R13). */
export const isClaimable = (
  host: {
    readonly spec: MacHostSpec;
    readonly serverName: string | undefined;
    readonly serverStatus: string | undefined;
  },
  { nowMs, times }: Pick<HostView, 'nowMs' | 'times'>,
): boolean => {
  const { spec, serverName, serverStatus } = host;
  const lastWriteMs = parseTimestamp(spec.lastWrite?.at);
  return (
    hostStateOf(spec, 'absent') === 'free' &&
    sightName(spec, serverName) === 'pool' &&
    serverStatus === 'ready' &&
    (lastWriteMs === undefined || nowMs - lastWriteMs >= times.quietMs)
  );
};
