/** Until an object is so: by a watch, within a time. */
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject, ObjectKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

export interface Waiting<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly key: ObjectKey;
  /** Undefined: it is not there. */
  readonly until: (object: T | undefined) => boolean;
  readonly timeoutMs: number;
  /** For the error: `the Mac to be held`. */
  readonly doing: string;
}

const WATCH_SECONDS = 300;

/** Rejects with `unavailable` when the time is over. */
export const waitFor = <T extends KubeObject>(
  waiting: Waiting<T>,
  { client, clock, signal }: { readonly client: KubeClient; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> =>
  withDeadline(
    { clock, timeoutMs: waiting.timeoutMs, signal, doing: `waiting for ${waiting.doing}` },
    async (within) => {
      while (!(await lookAndWatch(waiting, client, within)));
    },
  );

/** Whether it is so; false when the watch ended and it is to be looked at again. */
const lookAndWatch = async <T extends KubeObject>(
  { resource, key, until }: Waiting<T>,
  client: KubeClient,
  signal: AbortSignal,
): Promise<boolean> => {
  const { namespace, name } = key;
  const scope = { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }), signal };
  const { items, metadata } = await client.list(resource, scope);
  if (until(items[0])) return true;
  const watch = { ...scope, resourceVersion: metadata.resourceVersion, timeoutSeconds: WATCH_SECONDS };
  try {
    for await (const event of client.watch(resource, watch)) {
      if (event.type !== 'BOOKMARK' && until(event.type === 'DELETED' ? undefined : event.object)) return true;
    }
  } catch (error) {
    if (!(error instanceof FleetError && error.code === 'WatchExpired')) throw error;
  }
  return false;
};
