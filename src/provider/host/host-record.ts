/** The record of a Mac, as its controllers read and write it: live, and on what was read. */
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';

export const findHost = (
  name: string,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<MacHost | undefined> => readIfThere(MAC_HOSTS, { name }, context);

/** On the record as it was read: of two who write at once, one looks again. */
export const patchHost = async (
  host: MacHost,
  spec: object,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<void> => {
  const { name, uid, resourceVersion } = host.metadata;
  const body = { metadata: { uid, resourceVersion }, spec };
  await kube.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal });
};
