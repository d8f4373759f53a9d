/**
 * The promises about runners (S30–S35), judged on what really happened: the record of the dispatcher, and in it what the world told of
 * Pods. It reads the record alone, so it holds for whoever works on the pools: our controller, two of them, or the original.
 */
import type { RunnerState } from '../../dispatch/port/wire.ts';
import type { DispatchEntry } from './dispatch-record.ts';

export interface RecordRules {
  /** Whose deletions are judged; a person may delete anything. */
  readonly isFleet: (by: string) => boolean;
  /** How many Pods of a pool may be alive at once: maxReplicas and the surge of a roll. */
  readonly aliveMax: (pool: string) => number;
}

export interface RecordBreach {
  readonly promise: 'S30' | 'S31' | 'S32' | 'S33' | 'S34' | 'S35';
  readonly message: string;
  readonly entry: DispatchEntry;
}

/** A registration at GitHub is gone so long after its VM. */
export const REGISTRATION_REST_MS = 600_000;

/** What the record has told about one runner so far. */
interface Known {
  readonly pod: string;
  state: RunnerState;
  isRefused: boolean;
  handed: number;
  session: 'none' | 'open' | 'closed';
  /** Whether the fleet asked for its end. */
  isDeleted: boolean;
  /** When its VM was over, and when the Pod was gone. */
  overAtMs: number | undefined;
  goneAtMs: number | undefined;
  readonly registrations: Set<number>;
}

export interface RecordChecker {
  /** Call it with the growing record, as often as you like: it judges what is new since the last time. */
  judge(record: readonly DispatchEntry[]): readonly RecordBreach[];
  /** What must not be so any more when everything has come to rest. */
  atRest(nowMs: number): readonly string[];
}

export const createRecordChecker = (rules: RecordRules): RecordChecker => {
  const runners = new Map<string, Known>();
  const alive = new Map<string, Set<string>>();
  const started = new Map<number, string>();
  let judged = 0;
  const knownOf = (entry: DispatchEntry): Known | undefined => {
    if (!('uid' in entry)) return undefined;
    const known = runners.get(entry.uid) ?? unheardOf(entry.pod);
    runners.set(entry.uid, known);
    return known;
  };
  const judgeEntry = (known: Known, entry: DispatchEntry): readonly Found[] => {
    const found = [
      judgeRunner(rules, known, entry),
      judgeJob(started, entry),
      judgeSession(known, entry),
      judgeRegistration(known, { entry, runners }),
      judgePool(rules, alive, entry),
    ];
    remember(known, entry);
    if (entry.event === 'pod-deleted' && rules.isFleet(entry.by ?? '')) known.isDeleted = true;
    return found;
  };
  return {
    judge: (record) => {
      const fresh = record.slice(judged);
      judged = record.length;
      return fresh.flatMap((entry) => {
        const known = knownOf(entry);
        const found = known === undefined ? [] : judgeEntry(known, entry);
        return found.flatMap((breach) => (breach === undefined ? [] : [{ ...breach, entry }]));
      });
    },
    atRest: (nowMs) => [...runners.values()].flatMap((known) => restOf(known, nowMs)),
  };
};

const unheardOf = (pod: string): Known => ({
  ...{ pod, state: 'idle', isRefused: false, isDeleted: false, handed: 0, session: 'none', registrations: new Set() },
  ...{ overAtMs: undefined, goneAtMs: undefined },
});

type Found = Omit<RecordBreach, 'entry'> | undefined;

const BUSY: readonly RunnerState[] = ['claimed', 'running', 'finishing'];

/** S30, S31, S32: who has a job is left alone, gets no other, and who is to go gets none. */
const judgeRunner = (rules: RecordRules, known: Known, entry: DispatchEntry): Found => {
  switch (entry.event) {
    case 'pod-deleted': {
      // A VM that is over has nothing to lose.
      const isBusy = BUSY.includes(known.state) && known.overAtMs === undefined;
      if (!isBusy || !rules.isFleet(entry.by ?? '')) return undefined;
      return { promise: 'S30', message: `${entry.pod} is deleted while ${known.state}` };
    }
    case 'handed':
      return known.handed > 0 ? { promise: 'S31', message: `${entry.pod} gets a second job in one life` } : undefined;
    case 'claimed':
      if (known.isRefused) return { promise: 'S32', message: `${entry.pod} gets a job although it was refused` };
      return known.isDeleted
        ? { promise: 'S32', message: `${entry.pod} gets a job although it was deleted` }
        : undefined;
    default:
      return undefined;
  }
};

/** S30: a job begins once, and whoever began it brings it to its end. */
const judgeJob = (started: Map<number, string>, entry: DispatchEntry): Found => {
  if (entry.event === 'started') {
    const by = started.get(entry.job);
    started.set(entry.job, entry.pod);
    return by === undefined
      ? undefined
      : { promise: 'S30', message: `job ${entry.job} runs twice: ${by}, ${entry.pod}` };
  }
  if (entry.event !== 'ended' || entry.conclusion !== 'lost') return undefined;
  return { promise: 'S30', message: `job ${entry.job} on ${entry.pod} never came to its end` };
};

/** S35: closed exactly once, with an end that is not later than the Pod's deletion. */
const judgeSession = (known: Known, entry: DispatchEntry): Found => {
  if (entry.event === 'session-opened' && known.session !== 'none')
    return { promise: 'S35', message: `${entry.pod} has a second session` };
  if (entry.event !== 'session-closed') return undefined;
  if (known.session !== 'open')
    return { promise: 'S35', message: `${entry.pod}: a session that is not open is closed` };
  return entry.endedAtMs > (known.goneAtMs ?? entry.atMs)
    ? { promise: 'S35', message: `the session of ${entry.pod} ends after its Pod` }
    : undefined;
};

interface Heard {
  readonly entry: DispatchEntry;
  readonly runners: ReadonlyMap<string, Known>;
}

/** S34: one registration per name, and none long after its VM. */
const judgeRegistration = (known: Known, { entry, runners }: Heard): Found => {
  if (entry.event === 'registered') {
    const isTwice = [...runners.values()].some(({ pod, registrations }) => pod === entry.pod && registrations.size > 0);
    return isTwice ? { promise: 'S34', message: `${entry.pod} is registered twice` } : undefined;
  }
  if (entry.event !== 'deregistered' || known.overAtMs === undefined) return undefined;
  return entry.atMs - known.overAtMs > REGISTRATION_REST_MS
    ? { promise: 'S34', message: `the registration of ${entry.pod} outlives its VM` }
    : undefined;
};

/** S33: no more Pods than there may be. */
const judgePool = ({ aliveMax }: RecordRules, alive: Map<string, Set<string>>, entry: DispatchEntry): Found => {
  if (!('pool' in entry) || !('uid' in entry)) return undefined;
  const pods = alive.get(entry.pool) ?? new Set();
  alive.set(entry.pool, pods);
  if (entry.event !== 'pod-made') {
    pods.delete(entry.uid);
    return undefined;
  }
  pods.add(entry.uid);
  const most = aliveMax(entry.pool);
  return pods.size > most
    ? { promise: 'S33', message: `${entry.pool} has ${pods.size} Pods alive, of at most ${most}` }
    : undefined;
};

const remember = (known: Known, entry: DispatchEntry): void => {
  switch (entry.event) {
    case 'claimed':
      known.state = 'claimed';
      return;
    case 'released':
      known.state = 'idle';
      return;
    case 'handed':
      known.handed += 1;
      return;
    case 'started':
      known.state = 'running';
      return;
    case 'ended':
      known.state = 'finishing';
      return;
    case 'refused':
      known.isRefused = true;
      return;
    case 'session-opened':
      known.session = 'open';
      return;
    case 'session-closed':
      known.session = 'closed';
      // Whoever tells the end of a runner that is at work does not make it so.
      if (known.state === 'finishing' || known.overAtMs !== undefined) known.state = 'finished';
      return;
    case 'registered':
      known.registrations.add(entry.runnerId);
      return;
    case 'deregistered':
      known.registrations.delete(entry.runnerId);
      return;
    default:
      rememberPod(known, entry);
  }
};

const rememberPod = (known: Known, { event, atMs }: DispatchEntry): void => {
  if (event === 'pod-over') known.overAtMs ??= atMs;
  if (event !== 'pod-gone') return;
  known.goneAtMs ??= atMs;
  known.overAtMs ??= atMs;
};

const restOf = ({ pod, session, registrations, overAtMs, goneAtMs }: Known, nowMs: number): readonly string[] => [
  ...(session === 'open' && goneAtMs !== undefined ? [`S35: the session of ${pod} was never closed`] : []),
  ...(registrations.size > 0 && overAtMs !== undefined && nowMs - overAtMs > REGISTRATION_REST_MS
    ? [`S34: the registration of ${pod} outlives its VM`]
    : []),
];
