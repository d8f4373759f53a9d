/**
 * One list for each kind, all at once. A kind that the server does not have, or that we may not read, is told apart from
 * an empty one: an error is never read as emptiness.
 */
import { FleetError } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

export type Listed<T extends KubeObject> =
  | { readonly is: 'listed'; readonly items: readonly T[] }
  /** The server has no such kind. */
  | { readonly is: 'absent' }
  | { readonly is: 'denied'; readonly error: FleetError };

type Resources = Readonly<Record<string, Resource<KubeObject>>>;
type ObjectOf<R> = R extends Resource<infer T> ? T : never;
export type Lists<R extends Resources> = { readonly [Key in keyof R]: Listed<ObjectOf<R[Key]>> };

export interface ListScope {
  readonly client: Pick<KubeClient, 'list'>;
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
}

/** What is kept of each object, by the key of its kind; all of it unless given. */
export type Trims<R extends Resources> = { readonly [Key in keyof R]?: (object: ObjectOf<R[Key]>) => ObjectOf<R[Key]> };

/** Rejects only when the cluster itself is the trouble: unreachable, or it does not know us. */
export const listKinds = async <R extends Resources>(
  resources: R,
  scope: ListScope,
  trims: Trims<R> = {},
): Promise<Lists<R>> => {
  const entries = await Promise.all(
    Object.entries(resources).map(async ([key, resource]) => {
      const trim = parseTrim(trims[key]);
      return [key, await listKind({ ...scope, resource, trim })] as const;
    }),
  );
  return parseLists<R>(Object.fromEntries(entries));
};

/** Keys and kinds are those that were asked for. */
const parseLists = <R extends Resources>(lists: Readonly<Record<string, Listed<KubeObject>>>): Lists<R> =>
  lists as Lists<R>;

type Trim = (object: KubeObject) => KubeObject;

/** Each is only ever given objects of its own kind. */
const parseTrim = (trim: unknown): Trim | undefined => {
  return trim as Trim | undefined;
};

interface KindScope extends ListScope {
  readonly resource: Resource<KubeObject>;
  readonly trim: Trim | undefined;
}

const listKind = async ({ client, resource, trim, namespace, signal }: KindScope): Promise<Listed<KubeObject>> => {
  try {
    const within = namespace === undefined || resource.scope === 'Cluster' ? {} : { namespace };
    const { items } = await client.list(resource, { ...within, ...(trim && { transform: trim }), signal });
    return { is: 'listed', items };
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    if (error.code === 'KindNotServed') return { is: 'absent' };
    if (error.code === 'Forbidden') return { is: 'denied', error };
    throw error;
  }
};

/** What there is of a kind, where it makes no difference whether the server lacks it. */
export const itemsOf = <T extends KubeObject>(listed: Listed<T>): readonly T[] =>
  listed.is === 'listed' ? listed.items : [];
