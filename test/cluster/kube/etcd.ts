/** The store behind the API server, as far as a test must meddle with it. */
import { isRecord } from '../../../src/base/json.ts';

/** Makes etcd forget every revision before the present one, as it does by itself every few minutes. */
export const compactEtcd = async (etcdUrl: string): Promise<void> => {
  const { header } = await call(`${etcdUrl}/v3/kv/range`, {
    key: Buffer.from('/').toString('base64'),
    count_only: true,
  });
  const revision = isRecord(header) ? header['revision'] : undefined;
  await call(`${etcdUrl}/v3/kv/compaction`, { revision, physical: true });
};

const call = async (url: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const answer: unknown = await response.json();
  if (response.ok && isRecord(answer)) return answer;
  throw new Error(`etcd answered ${response.status}: ${JSON.stringify(answer)}`);
};
