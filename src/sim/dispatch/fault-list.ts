/**
 * What may go wrong at the dispatcher and at the GitHub behind it, by the rows of the fault list: where each strikes, and what
 * comes instead of the ordinary answer. F97 (a controller that starts anew, or two of them) is nothing that a dispatcher does: kill it.
 */

/** What arrives: one of the calls of a runner, of the controller, or of a runner at GitHub. */
export type DispatchVerb =
  | ('dispatch' | 'metrics' | 'signals' | 'stopped' | 'drain' | 'look')
  | ('start' | 'renew' | 'end');

/** Where in a call it strikes. */
export type FaultPoint =
  /** Before it has any effect, and after it had all of it. */
  | ('before' | 'after')
  /** While the cluster is asked, while labels are stamped, while a JIT config is minted. */
  | ('cluster' | 'label' | 'mint')
  /** Right after somebody looked how an idle runner stands. */
  | 'looked'
  /** When a runner begins its job. */
  | 'begin'
  /** In what the autoscaler is told. */
  | 'told';

export type FaultEffect =
  | { readonly do: 'answer'; readonly status: number; readonly body: object | string }
  | { readonly do: 'lose' }
  | { readonly do: 'delay'; readonly delayMs: number }
  /** What it does is known at its point. */
  | { readonly do: 'happen' };

export interface FaultRow {
  readonly story: string;
  readonly at: FaultPoint;
  /** Calls that it meets; every one when absent. */
  readonly verbs?: readonly DispatchVerb[];
  readonly effect: FaultEffect;
}

const answer = (status: number, body: object | string): FaultEffect => ({ do: 'answer', status, body });
const HAPPEN: FaultEffect = { do: 'happen' };
const OF_CONTROLLER: readonly DispatchVerb[] = ['signals', 'stopped', 'drain', 'look'];
const OF_GITHUB: readonly DispatchVerb[] = ['start', 'renew', 'end'];
const PAGE = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';

export const DISPATCH_FAULTS = {
  F96: { story: 'a job is claimed for an idle runner right after somebody looked', at: 'looked', effect: HAPPEN },
  F96b: { story: 'the labels that the server stamps on a Pod get lost', at: 'label', effect: HAPPEN },
  F98: { story: 'the dispatcher is down: 503', at: 'before', effect: answer(503, { message: 'down' }) },
  F98b: {
    story: 'GitHub answers 5xx, so no JIT config is minted: 502',
    at: 'mint',
    effect: answer(502, { message: 'GitHub: 500' }),
  },
  F98c: {
    ...{ story: 'the token for minting has expired at GitHub: 502', at: 'mint' },
    effect: answer(502, { message: 'GitHub: 401 Bad credentials' }),
  },
  F98d: {
    ...{
      story: 'a runner loses communication: GitHub hears nothing of it any more',
      at: 'before',
      verbs: ['renew', 'end'],
    },
    effect: { do: 'lose' },
  },
  F98e: { story: 'a job is cancelled when it starts', at: 'begin', effect: HAPPEN },
  F98f: {
    ...{ story: 'stop reports are refused: 503', at: 'before', verbs: ['stopped'] },
    effect: answer(503, { message: 'billing is down' }),
  },
  F98g: {
    story: 'a stop report counts and its answer is lost',
    at: 'after',
    verbs: ['stopped'],
    effect: { do: 'lose' },
  },
  F98h: {
    ...{ story: 'the JIT config has expired when its runner shows it: 401', at: 'before', verbs: ['start'] },
    effect: answer(401, { message: 'the JIT config has expired' }),
  },
  gone: {
    story: 'every runner is sent home: 410',
    at: 'before',
    verbs: ['dispatch'],
    effect: answer(410, { message: 'drain' }),
  },
  denied: {
    story: 'nobody is let in: 401',
    at: 'before',
    verbs: ['dispatch', 'metrics', ...OF_CONTROLLER],
    effect: answer(401, { message: 'no' }),
  },
  forbidden: {
    story: 'known, and not let in: 403',
    at: 'before',
    verbs: ['dispatch', ...OF_CONTROLLER],
    effect: answer(403, { message: 'no' }),
  },
  'no-account': {
    story: 'the account is not configured: 404',
    at: 'mint',
    effect: answer(404, { message: 'no account' }),
  },
  'no-jit': {
    ...{ story: 'a poll is answered with an empty JIT config', at: 'before', verbs: ['dispatch'] },
    effect: answer(200, { encoded_jit_config: '', owner: '' }),
  },
  'no-cluster': { story: 'the server cannot reach Kubernetes: 503', at: 'cluster', effect: HAPPEN },
  taken: { story: 'GitHub gives the job of a runner to somebody else', at: 'begin', effect: HAPPEN },
  html: { story: 'a page of a proxy, with 200', at: 'before', verbs: OF_CONTROLLER, effect: answer(200, PAGE) },
  negative: { story: 'signals are negative', at: 'told', effect: HAPPEN },
  stale: { story: 'signals stay what they were at the first look', at: 'told', effect: HAPPEN },
  'other-fleet': { story: 'signals are those of another fleet', at: 'told', effect: HAPPEN },
  'github-down': {
    story: 'runners cannot reach GitHub: 503',
    at: 'before',
    verbs: OF_GITHUB,
    effect: answer(503, { message: 'down' }),
  },
  lost: { story: 'the connection breaks before anything happened', at: 'before', effect: { do: 'lose' } },
  'lost-answer': { story: 'the connection breaks when all has happened', at: 'after', effect: { do: 'lose' } },
  slow: {
    story: 'an answer takes fifteen seconds longer than its caller waits',
    at: 'after',
    effect: { do: 'delay', delayMs: 15_000 },
  },
} as const satisfies Readonly<Record<string, FaultRow>>;

export type DispatchFaultId = keyof typeof DISPATCH_FAULTS;
