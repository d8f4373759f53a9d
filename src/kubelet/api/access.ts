/**
 * Who may ask the agent for what, as with any kubelet: whoever shows a certificate of the cluster's authority or a token that the API
 * knows, and whom the API lets do that with this Node. What the API said is remembered for a while.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Secret } from '../../base/secret.ts';
import { askAccess, askWhose, type KnownUser } from '../../kube/client/access-review.ts';
import type { KubeClient } from '../../kube/client/client.ts';

/** What was shown. */
export interface Proof {
  /** Of a certificate that was verified. */
  readonly certified?: KnownUser;
  readonly token?: Secret<string>;
}

export interface Question {
  readonly method: string;
  readonly pathname: string;
}

export type Judgement = 'allowed' | { readonly status: 401 | 403; readonly message: string };

export interface Access {
  judge(proof: Proof, question: Question, signal: AbortSignal): Promise<Judgement>;
}

export interface AccessOptions {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly nodeName: string;
}

/** As kubelet's defaults. */
const TOKEN_MS = 120_000;
const ALLOWED_MS = 300_000;
const DENIED_MS = 30_000;
const REMEMBERED_MAX = 1_000;

export const createAccess = ({ client, clock, nodeName }: AccessOptions): Access => {
  const users = createMemory<KnownUser | undefined>(clock, () => TOKEN_MS);
  const rights = createMemory<boolean>(clock, (isAllowed) => (isAllowed ? ALLOWED_MS : DENIED_MS));
  const mayDo = (user: KnownUser, verb: string, subresource: string, signal: AbortSignal): Promise<boolean> => {
    const { username, groups, extra } = user;
    const key = JSON.stringify([username, groups, extra, verb, subresource]);
    return rights(key, () =>
      askAccess(
        {
          ...{ user: username, groups, ...(extra === undefined ? {} : { extra }) },
          resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource, name: nodeName },
        },
        { kube: client, signal },
      ),
    );
  };
  const whose = async ({ certified, token }: Proof, signal: AbortSignal): Promise<KnownUser | undefined> => {
    if (certified !== undefined || token === undefined) return certified;
    const key = createHash('sha256').update(token.reveal()).digest('hex');
    return users(key, () => askWhose(token, { kube: client, signal }));
  };
  return {
    judge: async (proof, { method, pathname }, signal) => {
      const user = await whose(proof, signal);
      if (user === undefined) return { status: 401, message: 'Unauthorized' };
      const verb = VERBS.get(method);
      const wanted = subresourcesOf(pathname);
      for (const subresource of verb === undefined ? [] : wanted) {
        if (await mayDo(user, verb ?? '', subresource, signal)) return 'allowed';
      }
      const what = `verb=${verb ?? method}, resource=nodes, subresource(s)=[${wanted.join(' ')}]`;
      return { status: 403, message: `Forbidden (user=${user.username}, ${what})` };
    },
  };
};

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Each by itself is enough. */
const SUBRESOURCES: readonly { readonly under: string; readonly are: readonly string[] }[] = [
  { under: '/stats', are: ['stats'] },
  { under: '/metrics', are: ['metrics'] },
  { under: '/logs', are: ['log'] },
  { under: '/checkpoint', are: ['checkpoint'] },
  { under: '/pods', are: ['pods', 'proxy'] },
  { under: '/runningpods', are: ['pods', 'proxy'] },
  { under: '/healthz', are: ['healthz', 'proxy'] },
  { under: '/configz', are: ['configz', 'proxy'] },
];

/** What of a Node a path belongs to, as kubelet has it. */
export const subresourcesOf = (pathname: string): readonly string[] =>
  SUBRESOURCES.find(({ under }) => pathname === under || pathname.startsWith(`${under}/`))?.are ?? ['proxy'];

/** Remembers answers for as long as each says; a question that failed is asked again. */
const createMemory = <T>(clock: Pick<Clock, 'elapsed'>, lifeMs: (value: T) => number) => {
  const known = new Map<string, { readonly value: T; readonly untilMs: number }>();
  return async (key: string, ask: () => Promise<T>): Promise<T> => {
    const found = known.get(key);
    if (found !== undefined && found.untilMs > clock.elapsed()) return found.value;
    const value = await ask();
    known.delete(key);
    known.set(key, { value, untilMs: clock.elapsed() + lifeMs(value) });
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
    return value;
  };
};
