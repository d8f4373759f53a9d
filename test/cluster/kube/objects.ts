/** Objects by the dozen and by the thousand. */
import { createLimiter } from '../../../src/base/limiter.ts';
import { CONFIG_MAPS, type ConfigMap, EVENTS, type Event } from '../../../src/kube/types/core.ts';
import type { Scene } from './scene.ts';

/** So many writes at once keep a server of two processors busy. */
const WRITES_AT_ONCE = 32;

/** Runs `work` for 0, 1, 2 … `count` - 1, a bounded number at a time; throws what the first failure threw. */
export const forEachNumber = async (
  count: number,
  work: (number: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> => {
  const limiter = createLimiter(WRITES_AT_ONCE);
  await Promise.all(Array.from({ length: count }, (_, number) => limiter.run(() => work(number), signal)));
};

export const createMap = ({ client, namespace, signal }: Scene, name: string, bytes = 0): Promise<ConfigMap> => {
  const data = { text: 'x'.repeat(bytes) };
  return client.create(CONFIG_MAPS, { metadata: { namespace, name }, data }, { signal });
};

/** Events are the one kind that the API server keeps no memory of: whoever lists or watches them talks to etcd. */
export const createEvent = ({ client, namespace, signal }: Scene, name: string): Promise<Event> => {
  const involvedObject = { kind: 'Namespace', namespace, name: namespace };
  return client.create(EVENTS, { metadata: { namespace, name }, involvedObject, reason: 'Tried' }, { signal });
};
