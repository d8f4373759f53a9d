/**
 * The conditions of a Node, out of what was found on the Mac. Pure. Times move only with a status, and heartbeat times only with
 * what is said, so that a Node that is as it was is not written at all: that it lives is told by its Lease.
 */
import { toTimestamp } from '../../base/clock.ts';
import type { Node } from '../../kube/types/core.ts';
import type { Concern, Finding, NodeState } from './node-facts.ts';

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];
type Said = Pick<NodeCondition, 'status' | 'reason' | 'message'>;

interface Row {
  readonly type: string;
  /** The status while all is well: pressures are False then. */
  readonly well: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const ROWS: Readonly<Record<Concern, Row>> = {
  memory: {
    type: 'MemoryPressure',
    well: 'False',
    reason: 'TartKubeletHasSufficientMemory',
    message: 'memory is available',
  },
  disk: {
    type: 'DiskPressure',
    well: 'False',
    reason: 'TartKubeletHasSufficientDisk',
    message: 'disk space is available',
  },
  pids: {
    type: 'PIDPressure',
    well: 'False',
    reason: 'TartKubeletHasSufficientPIDs',
    message: 'process ids are available',
  },
  guiSession: {
    type: 'GuiSession',
    well: 'True',
    reason: 'SessionPresent',
    message: 'the login user has a graphical session',
  },
  tart: { type: 'TartUsable', well: 'True', reason: 'TartAnswers', message: 'tart is there and answers' },
  autoLogin: {
    type: 'AutoLogin',
    well: 'True',
    reason: 'AutoLoginConfigured',
    message: 'the login user is logged in after a restart',
  },
};

/** In the order in which kubectl shows them. */
const ORDER: readonly Concern[] = ['memory', 'disk', 'pids', 'guiSession', 'tart', 'autoLogin'];
/** Without any of these no VM can be started. */
export const NEEDED: readonly Concern[] = ['guiSession', 'tart'];

/** Why no VM can be started now; undefined when one can. */
const findHindrance = ({ findings }: Pick<NodeState, 'findings'>): Hindrance | undefined => {
  for (const concern of NEEDED) {
    const finding = findings[concern];
    if (finding.is === 'well' || finding.reason === undefined) continue;
    return { reason: finding.reason, message: finding.message };
  }
  return undefined;
};

interface Hindrance {
  readonly reason: string;
  readonly message: string;
}

type Condition = Pick<NodeState, 'findings' | 'runningVms' | 'goesDown'>;

/** What a Mac is good for: new Pods, only those that it has, or none. From good to bad. */
const OFFERS = ['new-pods', 'old-pods', 'nothing'] as const;

export type Offer = (typeof OFFERS)[number];

export const offerOf = (state: Condition): Offer => {
  if (state.goesDown) return 'nothing';
  if (findHindrance(state) === undefined) return 'new-pods';
  return state.runningVms > 0 ? 'old-pods' : 'nothing';
};

/** Whether less is offered now than was told: nobody may count on it any longer. */
export const isWorse = (now: Offer, told: Offer | undefined): boolean =>
  told !== undefined && OFFERS.indexOf(now) > OFFERS.indexOf(told);

/** All conditions of ours, and those of others as they are. */
export const planConditions = (
  stored: readonly NodeCondition[] | undefined,
  state: Condition,
  nowMs: number,
): readonly NodeCondition[] => {
  const find = (type: string): NodeCondition | undefined => stored?.find((condition) => condition.type === type);
  const ours = [
    ...ORDER.map((concern) => {
      const row = ROWS[concern];
      return stamp(row.type, judge(row, state.findings[concern], find(row.type)), { stored: find(row.type), nowMs });
    }),
    stamp('Ready', judgeReady(state), { stored: find('Ready'), nowMs }),
  ];
  const foreign = (stored ?? []).filter(({ type }) => !ours.some((condition) => condition.type === type));
  return [...foreign, ...ours];
};

/** What nobody could look at stays as it was said last, unless somebody else had to say that he does not know. */
const judge = (row: Row, finding: Finding, stored: NodeCondition | undefined): Said => {
  const well: Said = { status: row.well, reason: row.reason, message: row.message };
  switch (finding.is) {
    case 'well':
      return well;
    case 'ill': {
      const status = row.well === 'True' ? 'False' : 'True';
      // The figures in a message move all the time; what was said when it began is good enough.
      const message = stored?.status === status && stored.reason === finding.reason ? stored.message : undefined;
      return { status, reason: finding.reason, message: message ?? finding.message };
    }
    case 'unknown':
      if (finding.reason !== undefined) return { status: 'Unknown', reason: finding.reason, message: finding.message };
      return stored === undefined || stored.status === 'Unknown' ? well : stored;
  }
};

/**
 * Not ready is a Mac that neither runs a VM nor could start one. One that still runs some stays ready, because its Pods would be
 * driven away otherwise, and takes no further ones (see allocatable in node-object.ts).
 */
const judgeReady = (state: Condition): Said => {
  if (state.goesDown) return { status: 'False', reason: 'NodeShutdown', message: 'the Mac shuts down or restarts' };
  const hindrance = findHindrance(state);
  if (hindrance === undefined) return { status: 'True', reason: 'TartKubeletReady', message: '' };
  const why = `no VM can be started: ${hindrance.message}`;
  if (offerOf(state) === 'old-pods')
    return { status: 'True', reason: 'TartKubeletReady', message: `takes no new Pods: ${why}` };
  return { status: 'False', reason: hindrance.reason, message: why };
};

interface Moment {
  readonly stored: NodeCondition | undefined;
  readonly nowMs: number;
}

const stamp = (type: string, { status, reason, message }: Said, { stored, nowMs }: Moment): NodeCondition => {
  const at = toTimestamp(nowMs);
  const isSame = stored?.status === status && stored.reason === reason && (stored.message ?? '') === (message ?? '');
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    // An API server does not keep an empty one, and would be told it again and again.
    ...(message === undefined || message === '' ? {} : { message }),
    lastHeartbeatTime: isSame ? (stored.lastHeartbeatTime ?? at) : at,
    lastTransitionTime: stored?.status === status ? (stored.lastTransitionTime ?? at) : at,
  };
};
