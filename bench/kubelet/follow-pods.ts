/** What happens to Pods, as it happens. */
import type { KubeClient } from '../../src/kube/client/client.ts';
import { PODS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';

interface From {
  readonly resourceVersion: string | undefined;
  readonly signal: AbortSignal;
}

export interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Pod;
}

/** Calls back with what happens to any Pod, until the signal is aborted. */
export const followPods = async (client: KubeClient, from: From, onEvent: (event: PodEvent) => void): Promise<void> => {
  const { resourceVersion = '0', signal } = from;
  try {
    for await (const event of client.watch(PODS, { resourceVersion, timeoutSeconds: 3_600, signal })) {
      if (event.type !== 'BOOKMARK') onEvent(event);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
