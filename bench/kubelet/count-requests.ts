/** What an API server counts of itself. */
import type { KubeClient } from '../../src/kube/client/client.ts';

/** Requests so far, by `VERB resource/subresource`; watches count when they end. */
export const countRequests = async (client: KubeClient, signal: AbortSignal): Promise<ReadonlyMap<string, number>> =>
  parseCounts(String(await client.getRaw('/metrics', { signal })));

/** `apiserver_request_total{…,resource="pods",…,subresource="status",verb="PATCH",…} 12` */
const parseCounts = (text: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const read = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const key = `${read('verb')} ${read('resource')}${read('subresource') && `/${read('subresource')}`}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(count));
  }
  return counts;
};
