/** A whole list from its pages: complete, or an error. */
import { FleetError } from '../../base/errors.ts';
import type { KubeList, KubeObject } from '../types/meta.ts';
import { broken } from './body.ts';

/** A list that expires this often while it is read is larger than the server can serve in pages. */
const RESTARTS_MAX = 3;

/** Reads the page that the token names, the first one without. */
export type FetchPage<T extends KubeObject> = (continueToken: string | undefined) => Promise<KubeList<T>>;

/** A continue token that expired midway (410) starts the list over, because later pages would be of another moment. */
export const listPages = async <T extends KubeObject>(fetchPage: FetchPage<T>): Promise<KubeList<T>> => {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await readPages(fetchPage);
    } catch (thrown) {
      const isExpired = thrown instanceof FleetError && thrown.code === 'ContinueExpired';
      if (!isExpired || restarts >= RESTARTS_MAX) throw thrown;
    }
  }
};

/** Carries the first page's resource version: a watch from there misses nothing. */
const readPages = async <T extends KubeObject>(fetchPage: FetchPage<T>): Promise<KubeList<T>> => {
  const first = await fetchPage(undefined);
  let token = first.metadata.continue;
  if (isLast(token)) return first;
  const items = [...first.items];
  while (!isLast(token)) {
    const page = await fetchPage(token);
    if (page.metadata.continue === token)
      throw broken('BadList', 'the server gave the same continue token twice: its list would never end');
    for (const item of page.items) items.push(item);
    token = page.metadata.continue;
  }
  return { metadata: { resourceVersion: first.metadata.resourceVersion }, items };
};

/** Go writes an absent token as an empty one. */
const isLast = (token: string | undefined): token is undefined | '' => token === undefined || token === '';
