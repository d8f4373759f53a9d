/** One thing somebody with a Mac's identity might try, and how it must end. */
import type { Node, Secret } from '../../../src/kube/types/core.ts';
import type { Pod } from '../../../src/kube/types/pod.ts';

/**
 * `ignored`: the server said yes and did not do it. `invalid`: whoever asks, the answer is no. `other`: an answer that no
 * row should expect.
 */
export type Verdict = 'allowed' | 'ignored' | 'forbidden' | 'invalid' | 'other';

export interface AttemptRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A watch that is let in goes on for ever: its first line decides. */
  readonly isWatch?: true;
}

/** What the attempts find: one of everything on the Mac itself, on its neighbour, and on no Mac at all. */
export interface Stage {
  readonly node: string;
  readonly neighbour: string;
  readonly namespace: string;
  /** Each stands for its kind: Pods, Secrets, ConfigMaps and claims are called `mine`, `theirs` and `nobodys`. */
  readonly ownNode: Node;
  readonly ownPod: Pod;
  readonly neighboursPod: Pod;
  readonly host: string;
  readonly request: string;
}

export interface Attempt {
  /** Ends the sentence "the Mac". */
  readonly attempt: string;
  readonly verdict: Verdict;
  readonly why: string;
  /** The server refuses it whoever asks; all other refusals are about this identity. */
  readonly isRefusedToAll?: true;
  readonly ask: (stage: Stage) => AttemptRequest;
  /** Whether the object that the server answered with shows what was asked for. */
  readonly tookEffect?: (answer: Answer) => boolean;
}

/** The parts of an answer that attempts look at. */
export interface Answer {
  readonly metadata?: Pod['metadata'];
  readonly spec?: { readonly containers?: Pod['spec']['containers']; readonly unschedulable?: boolean };
  readonly data?: Secret['data'];
}

type Ask = Attempt['ask'];
type Effect = NonNullable<Attempt['tookEffect']>;

const row =
  (verdict: Verdict) =>
  (attempt: string, why: string, ...[ask, tookEffect]: readonly [Ask, Effect?]): Attempt => ({
    attempt,
    verdict,
    why,
    ask,
    ...(tookEffect !== undefined && { tookEffect }),
  });

export const allowed = row('allowed');
export const ignored = row('ignored');
export const forbidden = row('forbidden');
export const invalid = row('invalid');

export const forbiddenToAll = (...args: Parameters<typeof forbidden>): Attempt => ({
  ...forbidden(...args),
  isRefusedToAll: true,
});

export const get = (path: string): AttemptRequest => ({ method: 'GET', path });

/** Writes are dry runs: who may do what is decided all the same, and no attempt finds the traces of another. */
const rehearsed = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}dryRun=All`;

export const post = (path: string, body: unknown): AttemptRequest => ({ method: 'POST', path: rehearsed(path), body });

export const put = (path: string, body: unknown): AttemptRequest => ({ method: 'PUT', path: rehearsed(path), body });

export const patch = (path: string, body: unknown): AttemptRequest => ({
  method: 'PATCH',
  path: rehearsed(path),
  body,
  headers: { 'content-type': 'application/merge-patch+json' },
});

/** Options in the body make the server overlook those in the query. */
export const remove = (path: string): AttemptRequest => ({
  method: 'DELETE',
  path,
  body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, dryRun: ['All'] },
});

export const watch = (path: string): AttemptRequest => ({
  ...get(`${path}${path.includes('?') ? '&' : '?'}watch=1`),
  isWatch: true,
});
