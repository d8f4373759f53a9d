/** Writes what the agent tells of a Pod: status, finalizer and annotations in one call to `pods/status` (design D8). */
import { FINALIZERS } from '../../kinds/labels.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { holdsFinalizer } from './plan-pod.ts';

export interface Telling {
  readonly status?: NonNullable<Pod['status']>;
  /** Whether our finalizer shall be on the Pod; it stays as it is unless given. */
  readonly finalizer?: 'held' | 'gone';
  /** Null takes one off. */
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** The Pod as stored afterwards. Nothing differs, nothing is sent. `conflict` when somebody wrote in between. */
export const tell = async (
  pod: Pod,
  telling: Telling,
  { kube, signal }: { readonly kube: Pick<KubeClient, 'patch'>; readonly signal: AbortSignal },
): Promise<Pod> => {
  const status = telling.status === undefined ? undefined : diffMerge(pod.status ?? {}, telling.status);
  const finalizers = finalizersOf(pod, telling.finalizer);
  const annotations = changedAnnotations(pod, telling.annotations ?? {});
  if (status === undefined && finalizers === undefined && annotations === undefined) return pod;
  const { uid, resourceVersion } = pod.metadata;
  const metadata = {
    ...{ uid, resourceVersion },
    ...(finalizers !== undefined && { finalizers }),
    ...(annotations !== undefined && { annotations }),
  };
  const body = { metadata, ...(status !== undefined && { status }) };
  return kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
};

const finalizersOf = (pod: Pod, wanted: Telling['finalizer']): readonly string[] | undefined => {
  const held = pod.metadata.finalizers ?? [];
  if (wanted === undefined || holdsFinalizer(pod) === (wanted === 'held')) return undefined;
  return wanted === 'held' ? [...held, FINALIZERS.pod] : held.filter((name) => name !== FINALIZERS.pod);
};

const changedAnnotations = (
  { metadata }: Pod,
  wanted: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string | null>> | undefined => {
  const changed = Object.entries(wanted).filter(([name, value]) => (metadata.annotations?.[name] ?? null) !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
};
